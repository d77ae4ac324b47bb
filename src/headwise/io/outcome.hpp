#pragma once

#include <headwise/error.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

/// What the readers and writers of this folder are made of. They never throw: files are checked
/// here for both languages, and the WebAssembly build has no exceptions.
namespace headwise::io {

struct Failure {
  ErrorCode code;
  std::string message;
};

/// `subject: expected …, got …`
[[nodiscard]] Failure failure(ErrorCode code, std::string_view subject, std::string_view expected,
                              std::string_view got);

template <typename T>
using Outcome = std::variant<T, Failure>;

/// What came out, or the failure thrown as an `Error`.
template <typename T>
T value_or_throw(Outcome<T> outcome) {
  if (const auto* failed = std::get_if<Failure>(&outcome)) {
    throw Error(failed->code, failed->message);
  }
  return std::get<T>(std::move(outcome));
}

}  // namespace headwise::io
