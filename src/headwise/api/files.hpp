#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <headwise/api/make_tensor.hpp>
#include <headwise/core/io/message.hpp>
#include <headwise/error.hpp>
#include <headwise/safetensors.hpp>
#include <headwise/tensor.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Helpers of the public functions on files.
namespace headwise::io {

/// A copy of a file's first bytes: reading a header overwrites it.
inline std::vector<char> first_bytes(std::span<const std::byte> file, std::size_t max_size) {
  const auto* first = reinterpret_cast<const char*>(file.data());
  return {first, first + std::min(file.size(), max_size)};
}

/// What messages call a file that has no name.
inline constexpr std::string_view unnamed = "bytes";

/// `file` is the file's name in the error.
inline void throw_if(const Message& message, std::string_view file = unnamed) {
  if (!message.empty()) {
    std::string text(file);
    text += message.text().substr(unnamed.size());
    throw Error(ErrorCode::invalid_file, text);
  }
}

inline void append(std::vector<std::byte>& file, const void* bytes, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(bytes);
  file.insert(file.end(), first, first + size);
}

template <typename Number = float, typename Shape>
xt::xarray<Number> tensor_of_shape(const Shape& shape) {
  return make_array<Number>(shape);
}

/// Integers or booleans of a dtype of the safetensors format, as they lie in a file.
[[nodiscard]] IntegerTensor read_integers(std::string_view dtype,
                                          std::span<const std::uint64_t> shape,
                                          const std::byte* bytes);

template <typename Number>
std::span<const std::size_t> shape_of(const xt::xarray<Number>& tensor) {
  return {tensor.shape().data(), tensor.dimension()};
}

}  // namespace headwise::io
