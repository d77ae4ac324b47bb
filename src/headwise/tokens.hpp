#pragma once

#include <cstdint>
#include <headwise/core/training/cross_entropy.hpp>
#include <headwise/tensor.hpp>

namespace headwise {

/// Tokens as numbers, (batch, length).
using Tokens = xt::xtensor<std::int64_t, 2>;

}  // namespace headwise
