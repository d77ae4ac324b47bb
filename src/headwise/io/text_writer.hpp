#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headwise::io {

/// Puts a text together piece by piece.
class TextWriter {
 public:
  TextWriter& operator<<(std::string_view piece);
  TextWriter& operator<<(std::uint64_t number);
  /// The numbers with this between them.
  TextWriter& list(std::span<const std::uint64_t> numbers, std::string_view separator);
  /// A string as JSON writes it.
  TextWriter& json(std::string_view string);
  /// A name as an error message shows it: valid UTF-8 and short whatever it is.
  TextWriter& name(std::string_view name);

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_.size()}; }
  [[nodiscard]] char* data() noexcept { return text_.data(); }
  void clear() noexcept { text_.clear(); }

 private:
  std::vector<char> text_;
};

}  // namespace headwise::io
