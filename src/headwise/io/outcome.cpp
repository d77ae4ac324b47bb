#include <headwise/io/outcome.hpp>
#include <headwise/io/text_writer.hpp>

namespace headwise::io {

Failure failure(ErrorCode code, std::string_view subject, std::string_view expected,
                std::string_view got) {
  TextWriter message;
  message << subject << ": expected " << expected << ", got " << got;
  return {.code = code, .message = message.text()};
}

}  // namespace headwise::io
