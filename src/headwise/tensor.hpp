#pragma once

// xtensor moved its headers into folders with 0.26; both layouts are in use.
#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xarray.hpp>
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>
#endif

#include <cstddef>

namespace headwise {

/// The library's tensor: row-major, contiguous, float32, of fixed rank.
template <std::size_t Rank>
using Tensor = xt::xtensor<float, Rank>;

}  // namespace headwise
