#pragma once

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
