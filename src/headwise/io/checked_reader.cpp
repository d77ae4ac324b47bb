#include <headwise/io/checked_reader.hpp>

namespace headwise::io {

bool CheckedReader::take(char character) {
  return reader_.take(character) || fail_here(std::string("'") + character + "'");
}

bool CheckedReader::take_end() { return reader_.at_end() || fail_here("nothing more"); }

bool CheckedReader::fail(std::string_view expected, std::string_view got) {
  failure_ = failure(ErrorCode::invalid_file, subject_, expected, got);
  return false;
}

bool CheckedReader::fail_here(std::string_view expected) {
  const std::size_t position = reader_.position();
  return fail(std::string(expected) + " at byte " + std::to_string(position) + " of " +
                  std::string(place_),
              reader_.next_text());
}

}  // namespace headwise::io
