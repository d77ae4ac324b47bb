#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/io/number_format.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <headwise/tensor.hpp>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What the readers and writers of both formats do with tensors and bytes.
namespace headwise::io {

[[nodiscard]] xt::xarray<float> read_tensor(const StoredNumbers& numbers);

[[nodiscard]] std::vector<std::uint64_t> shape_of(const xt::xarray<float>& tensor);

/// Names and shapes of tensors, which outlive it.
class NamedShapes {
 public:
  explicit NamedShapes(const std::map<std::string, xt::xarray<float>>& tensors);

  [[nodiscard]] std::span<const NamedShape> all() const noexcept { return all_; }

 private:
  std::vector<std::vector<std::uint64_t>> shapes_;
  std::vector<NamedShape> all_;
};

/// Appends the tensor's numbers, little-endian.
void append_numbers(std::vector<std::byte>& file, const xt::xarray<float>& tensor);

[[nodiscard]] std::span<const char> as_text(std::span<const std::byte> bytes);

/// A copy of the header, which its reader may write to.
[[nodiscard]] std::string copy_text(std::span<const std::byte> bytes);

[[nodiscard]] std::vector<std::byte> to_bytes(std::string_view text, std::size_t room);

}  // namespace headwise::io
