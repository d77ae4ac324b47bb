#include "files.hpp"

#include <cstring>

namespace headwise::test {

File file_of(std::string_view bytes) {
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

std::string text_of(const File& file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

std::string little_endian(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>((number >> (8 * i)) & 0xFFU);
  }
  return bytes;
}

std::string little_endian(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

File safetensors_file(std::string_view header, std::string_view data) {
  return file_of(little_endian(header.size(), 8).append(header).append(data));
}

File npy_file(std::string_view dictionary, std::string_view data) {
  const std::string length = little_endian(dictionary.size(), 2);
  return file_of(("\x93NUMPY\x01" + std::string(1, '\0') + length).append(dictionary).append(data));
}

bool same_bits(const float* a, std::size_t size_a, const float* b, std::size_t size_b) {
  return size_a == size_b && (size_a == 0 || std::memcmp(a, b, size_a * sizeof(float)) == 0);
}

}  // namespace headwise::test
