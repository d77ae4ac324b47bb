#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory.hpp"
#include "record.hpp"

namespace headwise::bindings {

/// Writes a message to working memory and returns its address; 0 if memory does not suffice.
template <typename Message>
Address respond(const Message& message) {
  MessageWriter writer;
  write(writer, message);
  const std::vector<std::uint32_t> words = writer.words();
  const Address address = reserve(static_cast<double>(words.size()));
  if (address != 0) {
    std::ranges::copy(words, at<std::uint32_t>(address));
  }
  return address;
}

}  // namespace headwise::bindings
