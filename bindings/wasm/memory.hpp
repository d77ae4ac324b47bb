#pragma once

#include <cstddef>
#include <type_traits>

#include "errors.hpp"
#include "record.hpp"

/// WebAssembly memory, and what wraps a call for JavaScript.
namespace headwise::bindings {

/// Returns the address of working memory of at least `floats` floats, 0 if memory does not suffice.
/// All calls share one block, whose contents are lost.
Address reserve(double floats);

/// Returns the address of memory of its own for so many floats, which begins at a cache line.
Address new_tensor(double floats);
void delete_tensor(Address tensor) noexcept;

/// A size that JavaScript computed, saturated at the largest std::size_t.
inline std::size_t size_of(double number) noexcept {
  return __builtin_wasm_trunc_saturate_u_i32_f64(number);
}

/// Ends a call. Builds that check trap if it wrote to the unused bytes from address 0 on.
void end_call() noexcept;

/// Wraps a function for JavaScript.
template <auto Function>
struct Call;
template <typename Result, typename... Arguments, bool IsNoexcept,
          Result (*Function)(Arguments...) noexcept(IsNoexcept)>
struct Call<Function> {
  /// A call that fails has changed nothing. It returns 0 once JavaScript was told.
  static Result run(Arguments... arguments) {
    try {
      if constexpr (std::is_void_v<Result>) {
        Function(arguments...);
        end_call();
      } else {
        const Result result = Function(arguments...);
        end_call();
        return result;
      }
    } catch (...) {
      report_failure();
    }
    return Result();
  }
};

}  // namespace headwise::bindings
