#pragma once

#include <cstddef>
#include <headwise/tensor.hpp>
#include <span>
#include <vector>

namespace headwise {

/// Reads an .npy file of one array, formats 1.0, 2.0 and 3.0: floats of 2, 4 and 8 bytes, integers
/// of 1 to 8 and bools, in either byte order and either order of axes, all as row-major float32,
/// rounded to nearest. Arrays have at most 64 axes. Source: NumPy, `numpy.lib.format`.
///
/// Throws `Error` (invalid-file, out-of-memory).
[[nodiscard]] xt::xarray<float> load_npy(std::span<const std::byte> file);

/// Writes an .npy file, format 1.0, of float32 numbers in row-major order. Throws `Error`
/// (invalid-shape) for more than 64 axes; out-of-memory.
[[nodiscard]] std::vector<std::byte> save_npy(const xt::xarray<float>& tensor);

}  // namespace headwise
