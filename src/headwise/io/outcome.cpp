#include <headwise/io/outcome.hpp>

namespace headwise::io {

Failure failure(ErrorCode code, std::string_view subject, std::string_view expected,
                std::string_view got) {
  std::string message(subject);
  message.append(": expected ").append(expected).append(", got ").append(got);
  return {.code = code, .message = std::move(message)};
}

}  // namespace headwise::io
