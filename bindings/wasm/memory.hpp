#pragma once

#include <cstddef>
#include <headwise/core/memory/arena.hpp>
#include <limits>
#include <type_traits>

#include "record.hpp"

/// WebAssembly memory. A build without exceptions cannot unwind, so an allocation that fails ends
/// the call by a trap, which JavaScript sees as an error; `recover` then gives back whatever the
/// call had allocated. That leaves everything as it was, since calls allocate all they need before
/// they change anything that outlives them.
namespace headwise::bindings {

/// The address of working memory of at least `floats` floats, 0 if there is no room. All calls
/// share one block: what it held is lost.
Address reserve(double floats);

/// Carves working memory from an address on up to its end.
Arena working_arena(float* memory) noexcept;

/// Floats that `lay_out(arena)` takes.
template <typename LayOut>
double floats_of(const LayOut& lay_out) noexcept {
  return static_cast<double>(measure(lay_out)) / sizeof(float);
}

/// A size that JavaScript computed; what no memory holds is the largest there is.
inline std::size_t size_of(double number) noexcept {
  constexpr auto max = std::numeric_limits<std::size_t>::max();
  return number < static_cast<double>(max) ? static_cast<std::size_t>(number) : max;
}

/// From here on what is allocated belongs to the call that begins.
void begin_call() noexcept;
/// Traps if the call has written where nothing lies, in builds that check.
void end_call() noexcept;

/// After a trap: frees what the call had allocated and gives the stack back. Returns whether it was
/// memory that was wanting.
std::size_t recover() noexcept;

/// A function as JavaScript calls it.
template <auto Function>
struct Call;
template <typename Result, typename... Arguments, bool IsNoexcept,
          Result (*Function)(Arguments...) noexcept(IsNoexcept)>
struct Call<Function> {
  static Result run(Arguments... arguments) {
    begin_call();
    if constexpr (std::is_void_v<Result>) {
      Function(arguments...);
      end_call();
    } else {
      const Result result = Function(arguments...);
      end_call();
      return result;
    }
  }
};

}  // namespace headwise::bindings
