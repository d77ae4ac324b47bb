#include <algorithm>
#include <bit>
#include <headwise/io/file_tensors.hpp>

namespace headwise::io {

xt::xarray<float> read_tensor(const StoredNumbers& numbers) {
  auto tensor = xt::xarray<float>::from_shape(
      xt::xarray<float>::shape_type(numbers.shape.begin(), numbers.shape.end()));
  to_floats(numbers, tensor.data());
  return tensor;
}

std::vector<std::uint64_t> shape_of(const xt::xarray<float>& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

NamedShapes::NamedShapes(const std::map<std::string, xt::xarray<float>>& tensors) {
  shapes_.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    all_.push_back({.name = name, .shape = shapes_.emplace_back(shape_of(tensor))});
  }
}

void append_numbers(std::vector<std::byte>& file, const xt::xarray<float>& tensor) {
  for (const float number : tensor) {
    auto bits = std::bit_cast<std::uint32_t>(number);
    for (std::size_t i = 0; i < sizeof bits; ++i, bits >>= 8U) {
      file.push_back(static_cast<std::byte>(bits));
    }
  }
}

std::span<const char> as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string copy_text(std::span<const std::byte> bytes) {
  const auto text = as_text(bytes);
  return {text.begin(), text.end()};
}

std::vector<std::byte> to_bytes(std::string_view text, std::size_t room) {
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() + room);
  std::transform(text.begin(), text.end(), std::back_inserter(bytes),
                 [](char character) { return static_cast<std::byte>(character); });
  return bytes;
}

}  // namespace headwise::io
