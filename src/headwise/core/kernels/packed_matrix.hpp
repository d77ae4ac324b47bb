#pragma once

#include <cstddef>

namespace headwise::kernels {

/// A matrix (depth, columns) packed as [columns / panel width][depth][panel width], or the part of
/// one from some row on: panels are `panel_stride` floats apart.
struct PackedMatrix {
  const float* panels;
  std::size_t panel_stride;
};

/// A matrix (rows, depth) read in place: element (i, k) is data[i · row_stride + k · depth_stride].
/// One of the strides is 1; with a row stride of 1 a matrix is read as its transpose.
struct StridedMatrix {
  const float* data;
  std::size_t row_stride;
  std::size_t depth_stride = 1;
};

/// What a product is added to: element (i, j) is data[i · row_stride + j]. A stride of 0 repeats
/// one row, null adds nothing. It may be C itself, to accumulate.
struct Addend {
  const float* data = nullptr;
  std::size_t row_stride = 0;
};

}  // namespace headwise::kernels
