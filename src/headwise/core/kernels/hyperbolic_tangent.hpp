#pragma once

#include <headwise/core/kernels/simd.hpp>
#include <headwise/core/kernels/target.hpp>

namespace headwise::kernels::HEADWISE_TARGET {

/// tanh of a vector. Not inlined: it is long, and used in several places.
[[nodiscard]] Batch hyperbolic_tangent(const Batch& x) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
