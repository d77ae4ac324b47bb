#pragma once

#include <cstdint>
#include <headwise/error.hpp>
#include <headwise/io/text_writer.hpp>
#include <string_view>

namespace headwise::io {

/// A number and a name that stand in a message for `#` and `@`, or `%` for the name whatever it is.
struct Detail {
  std::uint64_t number = 0;
  std::string_view name = {};
};

/// What is wrong with an argument, or nothing. Nothing in this folder's core throws: it checks
/// files for both languages, and the WebAssembly build has no exceptions. The message is put
/// together at the end and in one place, which keeps that build small; names lie in the argument
/// until then.
struct Failure {
  ErrorCode code{};
  const char* subject = nullptr;
  const char* expected = nullptr;
  const char* got = nullptr;
  Detail expected_detail = {};
  Detail got_detail = {};

  explicit operator bool() const noexcept { return subject != nullptr; }
  /// `subject: expected …, got …`
  void write(TextWriter& message) const;
};

/// Throws a failure, if it is one, as an `Error`.
void throw_if(const Failure& failure);

}  // namespace headwise::io
