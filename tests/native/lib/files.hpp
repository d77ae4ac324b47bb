#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Files in memory, whole and broken.
namespace headwise::test {

/// Holds no byte behind its last, so that AddressSanitizer sees who reads on.
using File = std::vector<std::byte>;

File file_of(std::string_view bytes);

std::string text_of(const File& file);

/// A number's bytes, the lowest first.
std::string little_endian(std::uint64_t number, std::size_t size);

std::string little_endian(const std::vector<float>& numbers);

/// A safetensors file with this header, whatever it says.
File safetensors_file(std::string_view header, std::string_view data = "");

/// A .npy file of version 1 with this dictionary, whatever it says.
File npy_file(std::string_view dictionary, std::string_view data = "");

/// Whether two lists of numbers are the same in every bit, NaNs and signs of zeros included.
bool same_bits(const float* a, std::size_t size_a, const float* b, std::size_t size_b);

template <typename A, typename B>
bool same_bits(const A& a, const B& b) {
  return same_bits(a.data(), a.size(), b.data(), b.size());
}

}  // namespace headwise::test
