#pragma once

#include <cstddef>

namespace headwise::kernels {

/// A matrix (depth, columns) packed as [columns / panel width][depth][panel width], or the part of
/// one from some row on: `panel_stride` floats lie between its panels.
struct PackedMatrix {
  const float* panels;
  std::size_t panel_stride;
};

}  // namespace headwise::kernels
