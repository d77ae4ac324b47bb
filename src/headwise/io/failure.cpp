#include <headwise/io/failure.hpp>
#include <string>

namespace headwise::io {
namespace {

void write_text(TextWriter& message, const char* text, const Detail& detail) {
  for (; *text != '\0'; ++text) {
    if (*text == '#') {
      message << detail.number;
    } else if (*text == '@') {
      message.name(detail.name);
    } else {
      message << (*text == '%' ? detail.name : std::string_view(text, 1));
    }
  }
}

}  // namespace

void Failure::write(TextWriter& message) const {
  message << subject << ": expected ";
  write_text(message, expected, expected_detail);
  message << ", got ";
  write_text(message, got, got_detail);
}

void throw_if(const Failure& failure) {
  if (failure) {
    TextWriter message;
    failure.write(message);
    throw Error(failure.code, std::string(message.text()));
  }
}

}  // namespace headwise::io
