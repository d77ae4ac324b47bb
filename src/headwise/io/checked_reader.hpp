#pragma once

#include <headwise/io/outcome.hpp>
#include <headwise/io/text_reader.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headwise::io {

/// A reader of a header whose functions each take one thing and return whether it was there; the
/// first that was not is remembered.
class CheckedReader {
 protected:
  /// `subject` names the kind of file, `place` what is read of it.
  CheckedReader(std::string_view subject, std::string_view place, std::span<char> text)
      : subject_(subject), place_(place), reader_(text) {}

  bool take(char character);
  bool take_end();

  /// All return false.
  bool fail(std::string_view expected, std::string_view got);
  bool fail_here(std::string_view expected);

  template <typename Result>
  Outcome<Result> outcome(bool valid, Result& result) {
    return valid ? Outcome<Result>(std::move(result)) : Outcome<Result>(std::move(*failure_));
  }

  TextReader& reader() noexcept { return reader_; }

 private:
  std::string_view subject_;
  std::string_view place_;
  TextReader reader_;
  std::optional<Failure> failure_;
};

}  // namespace headwise::io
