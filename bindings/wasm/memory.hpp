#pragma once

#include <cstddef>
#include <headwise/core/memory/arena.hpp>
#include <type_traits>

#include "record.hpp"

/// WebAssembly memory. A build without exceptions cannot unwind, so an allocation that fails ends
/// the call by a trap, which JavaScript sees as an error; `recover` then frees whatever the call
/// had allocated. That leaves everything as it was, since calls allocate all they need before they
/// change anything that outlives them.
namespace headwise::bindings {

/// Returns the address of working memory of at least `floats` floats, 0 if memory does not suffice.
/// All calls share one block, whose contents are lost.
Address reserve(double floats);

/// Returns the address of memory of its own for so many floats, which begins at a cache line, 0 if
/// memory does not suffice.
Address new_tensor(double floats) noexcept;
void delete_tensor(Address tensor) noexcept;

/// An arena over working memory from an address to its end.
Arena working_arena(float* memory) noexcept;

/// Size in floats of what `lay_out(arena)` takes.
template <typename LayOut>
double floats_of(const LayOut& lay_out) noexcept {
  return static_cast<double>(measure(lay_out)) / sizeof(float);
}

/// A size that JavaScript computed, saturated at the largest std::size_t.
inline std::size_t size_of(double number) noexcept {
  return __builtin_wasm_trunc_saturate_u_i32_f64(number);
}

/// Begins a call, to which the blocks allocated from here on belong. Not inlined: calls are many.
[[gnu::noinline]] void begin_call() noexcept;
/// Ends a call. Builds that check trap if it wrote to the unused bytes from address 0 on.
void end_call() noexcept;

/// After a trap: returns whether an allocation had failed. If so, frees what the call had allocated
/// and resets the stack. After any other trap the call may have changed anything.
std::size_t recover() noexcept;

/// Wraps a function for JavaScript.
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
