#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/safetensors.hpp>
#include <span>
#include <string_view>

namespace headwise::io {

/// Integers or booleans of a dtype of the format, as they lie in a file.
[[nodiscard]] IntegerTensor read_integers(std::string_view dtype,
                                          std::span<const std::uint64_t> shape,
                                          const std::byte* bytes);

}  // namespace headwise::io
