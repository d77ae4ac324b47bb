#include <headwise/io/checked_reader.hpp>

namespace headwise::io {

bool CheckedReader::take(const char* mark) noexcept {
  return reader_.take(mark) || fail_here("@ at byte # of the header", mark);
}

bool CheckedReader::take_integer(std::uint64_t& number) noexcept {
  return reader_.take_integer(number) || fail_here("an integer below 2^53 at byte # of the header");
}

bool CheckedReader::take_end() noexcept {
  return reader_.next().empty() || fail_here("the header's end at byte # of it");
}

bool CheckedReader::take_more(const char* closing) noexcept {
  return reader_.take(",") || (take(closing) && false);
}

bool CheckedReader::fail(const char* expected, const Detail& expected_detail, const char* got,
                         const Detail& got_detail) noexcept {
  failure_ = {.code = ErrorCode::invalid_file,
              .subject = subject_,
              .expected = expected,
              .got = got,
              .expected_detail = expected_detail,
              .got_detail = got_detail};
  return false;
}

bool CheckedReader::fail_here(const char* expected, std::string_view name) noexcept {
  const std::string_view next = reader_.next();
  return fail(expected, {reader_.position(), name}, next.empty() ? "its end" : "@", {0, next});
}

}  // namespace headwise::io
