#pragma once

// xtensor moved its headers into folders with 0.26; both layouts are in use.
#if __has_include(<xtensor/core/xtensor_config.hpp>)
#include <xtensor/core/xtensor_config.hpp>
#else
#include <xtensor/xtensor_config.hpp>
#endif

#if !defined(__cpp_exceptions)
// In place of what it would throw, xtensor prints to std::cerr: a megabyte of streams and locales,
// in builds where nothing reaches it.
#include <cstdlib>
#undef XTENSOR_THROW
#define XTENSOR_THROW(exception, message) std::abort()
#endif

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
