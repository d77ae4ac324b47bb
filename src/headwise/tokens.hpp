#pragma once

#include <cstdint>
#include <headwise/tensor.hpp>

namespace headwise {

/// Numbers of symbols, (batch, length).
using Tokens = xt::xtensor<std::int64_t, 2>;

/// The target of a position where nothing is asked; the key of a query that has no right one.
/// (PyTorch's `ignore_index` is −100 by default.)
inline constexpr std::int32_t ignored_target = -1;

}  // namespace headwise
