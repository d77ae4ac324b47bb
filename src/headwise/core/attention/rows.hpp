#pragma once

#include <cstddef>

namespace headwise {

/// Rows of one matrix as they lie in memory, `stride` floats apart.
struct Rows {
  const float* data = nullptr;
  std::size_t stride = 0;
};

}  // namespace headwise
