#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

/// Errors. Every message names the argument, what was expected and what was given: `queries:
/// expected (batch, queries, 100), got (2, 4, 64)`. Codes and texts are those of the JavaScript
/// package, where names are spelled in camelCase.
namespace headwise {

/// What went wrong.
enum class ErrorCode {
  invalid_option,       ///< an option does not accept the given value
  invalid_shape,        ///< a tensor's shape does not fit
  invalid_value,        ///< a number inside an argument is outside its range
  invalid_state_dict,   ///< names or shapes of a state dict do not fit the layer
  invalid_file,         ///< a file is malformed, or its content is not supported
  invalid_cache,        ///< a cache that does not fit the layer or the call
  cache_full,           ///< more positions than a cache has room for
  sizes_unknown,        ///< the call needs sizes that the layer has not inferred yet
  no_pending_backward,  ///< no forward with `requires_grad` awaits its backward
  disposed,             ///< the layer, cache, model or optimizer was moved from
  out_of_memory,        ///< there is not enough memory for the call; nothing was changed
};

/// The code as it is spelled in both languages, for example `invalid-shape`.
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

/// Whether the code has this spelling.
[[nodiscard]] inline bool operator==(ErrorCode code, std::string_view spelling) noexcept {
  return to_string(code) == spelling;
}

class Error : public std::invalid_argument {
 public:
  Error(ErrorCode code, const std::string& message);

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Rethrows the current exception. Turns a failed allocation into an `Error`, without allocating.
[[noreturn]] void throw_as_error();

/// Runs a public function's body; failed allocations become an `Error`.
template <typename Function>
decltype(auto) report_out_of_memory(Function&& body) {
  try {
    return std::forward<Function>(body)();
  } catch (...) {
    throw_as_error();
  }
}

/// A copy of a value, for copy constructors.
template <typename Value>
Value copied(const Value& value) {
  return report_out_of_memory([&] { return Value(value); });
}

}  // namespace headwise
