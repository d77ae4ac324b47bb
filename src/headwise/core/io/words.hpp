#pragma once

#include <algorithm>
#include <string_view>

namespace headwise::io {

/// Takes the first word of a text of words with one space between.
inline std::string_view next_word(std::string_view& words) noexcept {
  const std::string_view word = words.substr(0, words.find(' '));
  words.remove_prefix(std::min(word.size() + 1, words.size()));
  return word;
}

/// Whether a text of words has this one.
inline bool has_word(std::string_view words, std::string_view word) noexcept {
  while (!words.empty()) {
    if (next_word(words) == word) {
      return true;
    }
  }
  return false;
}

}  // namespace headwise::io
