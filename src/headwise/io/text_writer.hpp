#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headwise::io {

/// Puts a text together piece by piece; small, since texts make up most of this folder's code.
class TextWriter {
 public:
  TextWriter& operator<<(std::string_view piece);
  TextWriter& operator<<(std::uint64_t number);
  /// The numbers with this between them.
  TextWriter& list(std::span<const std::uint64_t> numbers, std::string_view separator);
  /// A string as JSON writes it.
  TextWriter& json(std::string_view string);
  /// A name as an error message shows it, short whatever it is.
  TextWriter& name(std::string_view name);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  // Implicit, so that a text can be put together where one is wanted.
  operator std::string_view() const noexcept { return text_; }  // NOLINT(*-explicit-*)

 private:
  std::string text_;
};

}  // namespace headwise::io
