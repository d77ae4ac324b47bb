#include <headwise/core/io/text_cursor.hpp>

namespace headwise::io {
namespace {

constexpr std::uint64_t max_integer = std::uint64_t{1} << 53;

bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }

}  // namespace

bool TextCursor::fail_here(std::string_view expected) noexcept {
  return fail({what_, " with ", expected, " at byte ", position_},
              {at_end() ? std::string_view("its end") : text_.substr(position_, 1)});
}

void TextCursor::skip_spaces(std::string_view spaces) noexcept {
  while (!at_end() && spaces.find(text_[position_]) != std::string_view::npos) {
    ++position_;
  }
}

bool TextCursor::take(std::string_view word) noexcept {
  const bool stands_here = ok() && stands_at(word);
  position_ += stands_here ? word.size() : 0;
  return stands_here;
}

bool TextCursor::need(std::string_view word) noexcept { return take(word) || fail_here(word); }

bool TextCursor::integer(std::uint64_t& number) noexcept {
  const std::size_t first = position_;
  number = 0;
  while (!at_end() && is_digit(text_[position_]) && number <= max_integer) {
    number = number * 10 + static_cast<std::uint64_t>(text_[position_] - '0');
    ++position_;
  }
  const bool has_leading_zero = position_ - first > 1 && text_[first] == '0';
  if (position_ == first || number > max_integer || has_leading_zero) {
    position_ = first;
    return fail_here("an integer from 0 to 2^53");
  }
  return ok();
}

bool TextCursor::next(char& byte) noexcept {
  if (!ok() || at_end()) {
    return fail_here("more");
  }
  byte = text_[position_++];
  return true;
}

}  // namespace headwise::io
