#pragma once

#include <headwise/io/failure.hpp>
#include <headwise/io/text_reader.hpp>
#include <span>
#include <string_view>

namespace headwise::io {

/// A reader that remembers what was not there. Every function returns whether all is well.
class CheckedReader {
 protected:
  /// `subject` names the kind of file.
  CheckedReader(const char* subject, std::span<char> text) noexcept
      : subject_(subject), reader_(text) {}

  bool take(const char* mark) noexcept;
  bool take_integer(std::uint64_t& number) noexcept;
  bool take_end() noexcept;

  /// Goes on with a list: whether all is well and there is more.
  bool take_more(const char* closing) noexcept;

  /// All return false.
  bool fail(const char* expected, const Detail& expected_detail, const char* got,
            const Detail& got_detail = {}) noexcept;
  /// What was expected where the reader is.
  bool fail_here(const char* expected, std::string_view name = {}) noexcept;

  TextReader& reader() noexcept { return reader_; }
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }

 private:
  const char* subject_;
  TextReader reader_;
  Failure failure_;
};

}  // namespace headwise::io
