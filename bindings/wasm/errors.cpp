#include "errors.hpp"

#include <cxxabi.h>

#include <array>
#include <cstddef>
#include <headwise/api/validation_text.hpp>
#include <headwise/error.hpp>
#include <string>
#include <string_view>
#include <typeinfo>

// JavaScript's, see library.js.
extern "C" {
// NOLINTBEGIN(*-identifier-naming)
/// The call under way found too little memory.
void outOfMemory();
/// The call under way failed, for a reason with this text. JavaScript knows the codes by number.
void callFailed(std::size_t code, const char* text);
/// Writes a number as JavaScript prints it and returns how many letters it has: 24 at most.
std::size_t printNumber(double number, char* text);
// NOLINTEND(*-identifier-naming)
}

namespace headwise::bindings {

// Without a clause that catches a type, for which libc++abi has 2 KB of code.
void report_failure() noexcept {
  if (*abi::__cxa_current_exception_type() == typeid(Error)) {
    void* const thrown = abi::__cxa_current_primary_exception();
    const auto& error = *static_cast<const Error*>(thrown);
    callFailed(static_cast<std::size_t>(error.code()), error.what());
    abi::__cxa_decrement_exception_refcount(thrown);
  } else {
    // std::bad_alloc, or std::length_error of a container.
    outOfMemory();
  }
}

}  // namespace headwise::bindings

void headwise::throw_as_error() { throw; }

namespace headwise::validation {

void append_number(std::string& text, double number) {
  std::array<char, 24> printed;
  text.append(printed.data(), printNumber(number, printed.data()));
}

// JavaScript's integers, and sizes of its tensors, are doubles exactly.
void append_number(std::string& text, std::int64_t number) {
  append_number(text, static_cast<double>(number));
}

void append_number(std::string& text, std::uint64_t number) {
  append_number(text, static_cast<double>(number));
}

void append_words(std::string& text, std::string_view words) {
  const char* begin = words.data();
  const char* const end = begin + words.size();
  // A letter stands alone: W_q, w_v.
  for (const char* next = begin; next != end; ++next) {
    if (*next == '_' && next > words.data() + 1 && next[-1] >= 'a' && next[-2] >= 'a') {
      text.append(begin, static_cast<std::size_t>(next - begin));
      const char capital = static_cast<char>(next[1] - 'a' + 'A');
      text.append(&capital, 1);
      begin = next + 2;
    }
  }
  text.append(begin, static_cast<std::size_t>(end - begin));
}

}  // namespace headwise::validation
