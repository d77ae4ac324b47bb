#include <headwise/io/checked_reader.hpp>
#include <headwise/io/text_writer.hpp>

namespace headwise::io {

bool CheckedReader::take(char character) {
  return reader_.take(character) ||
         fail_here(TextWriter() << "'" << std::string_view(&character, 1) << "'");
}

bool CheckedReader::take_end() { return reader_.at_end() || fail_here("nothing more"); }

bool CheckedReader::fail(std::string_view expected, std::string_view got) {
  failure_ = failure(ErrorCode::invalid_file, subject_, expected, got);
  return false;
}

bool CheckedReader::fail_here(std::string_view expected) {
  return fail(TextWriter() << expected << " at byte " << reader_.position() << " of " << place_,
              reader_.next_text());
}

}  // namespace headwise::io
