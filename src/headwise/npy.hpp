#pragma once

#include <cstddef>
#include <headwise/tensor.hpp>
#include <span>
#include <vector>

namespace headwise {

/// Reads a .npy file, versions 1 to 3, of floats, integers or booleans in either byte order and
/// either order of axes. Source: NumPy's documentation, numpy.lib.format. Throws `Error`
/// (invalid-file) for a malformed file, out-of-memory.
[[nodiscard]] xt::xarray<float> load_npy(std::span<const std::byte> bytes);

/// A .npy file of float32 numbers. Throws `Error` (invalid-shape) for more than 64 axes, NumPy's
/// limit; out-of-memory.
[[nodiscard]] std::vector<std::byte> save_npy(const xt::xarray<float>& tensor);

}  // namespace headwise
