#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>
#include <limits>
#include <vector>

#include "floats.hpp"

namespace headwise::test {
namespace {

constexpr std::initializer_list<std::size_t> quantized_sizes = {1, 3, 5, 7, 8, 33, 129, 600};

/// The largest of these integers.
template <typename Integer>
constexpr int most = sizeof(Integer) == 1 ? kernels::max_int8 : kernels::max_int16;

/// A matrix of random integers, packed, with what pads it as large as can be.
template <typename Integer>
struct Packed {
  std::size_t depth;
  std::size_t columns;
  std::vector<int> integers;  ///< (depth, columns)
  std::vector<Integer> panels;
  Floats scales;

  Packed(std::size_t num_rows, std::size_t num_columns, int max)
      : depth(num_rows), columns(num_columns), integers(depth * columns), scales(columns) {
    const std::size_t stride = kernels::quantized_panel_size(depth);
    panels.assign(kernels::round_up_to_panel(columns) / kernels::panel_width() * stride,
                  static_cast<Integer>(max));
    const Floats random = random_floats(depth * columns, 11);
    for (std::size_t k = 0; k < depth; ++k) {
      for (std::size_t j = 0; j < columns; ++j) {
        const float number = random[k * columns + j] * static_cast<float>(max) / 2;
        const int integer = std::clamp(static_cast<int>(number), -max, max);
        integers[k * columns + j] = integer;
        panels[kernels::quantized_place(k, j, stride)] = static_cast<Integer>(integer);
      }
    }
    for (std::size_t j = 0; j < columns; ++j) {
      scales[j] = 0.001F * static_cast<float>(j + 1);
    }
  }

  [[nodiscard]] kernels::QuantizedMatrix matrix() const {
    kernels::QuantizedMatrix result{.panel_stride = kernels::quantized_panel_size(depth),
                                    .column_scales = scales.data()};
    if constexpr (sizeof(Integer) == 1) {
      result.int8 = panels.data();
    } else {
      result.int16 = panels.data();
    }
    return result;
  }
};

/// c[j] = scale · scales[j] · Σ x[k] · depth_scales[k] · integers[k][j] + addend[j], as is.
template <typename Integer>
void quantized_gemv_reference(const Packed<Integer>& b, const float* x, const float* depth_scales,
                              float scale, const float* addend, double* c,
                              double* magnitude) noexcept {
  for (std::size_t j = 0; j < b.columns; ++j) {
    const double factor = static_cast<double>(scale) * b.scales[j] / most<Integer>;
    c[j] = 0;
    magnitude[j] = 0;
    for (std::size_t k = 0; k < b.depth; ++k) {
      const double scaled = static_cast<double>(x[k]) * (depth_scales ? depth_scales[k] : 1.0F);
      const double term = factor * scaled * b.integers[k * b.columns + j];
      c[j] += term;
      magnitude[j] += std::abs(term);
    }
    c[j] += addend ? addend[j] : 0.0F;
  }
}

/// The largest error of integers for a block of x, for the largest integers of a column.
double rounding_of(const Floats& x, const float* depth_scales, double largest_in_column) {
  double error = 0;
  for (std::size_t k = 0; k < x.size(); k += kernels::quantized_block) {
    double largest = 0;
    const std::size_t end = std::min(x.size(), k + kernels::quantized_block);
    for (std::size_t i = k; i < end; ++i) {
      largest = std::max(
          largest, std::abs(static_cast<double>(x[i])) * (depth_scales ? depth_scales[i] : 1));
    }
    error += static_cast<double>(end - k) * largest / 2 / kernels::max_int16;
  }
  return error * largest_in_column * 1.001;
}

template <typename Integer>
void check_gemv(int max) {
  std::vector<std::size_t> depths(quantized_sizes);
  // Sums of integers are converted every 2048 rows.
  depths.insert(depths.end(), {2049, 4100});
  for (const std::size_t depth : depths) {
    for (const std::size_t columns : quantized_sizes) {
      const Packed<Integer> b(depth, columns, max);
      Floats x = random_floats(depth, 3);
      // Blocks of different sizes: an outlier must not take the digits of other blocks.
      x.front() *= 1000;
      Floats depth_scales(depth);
      for (std::size_t k = 0; k < depth; ++k) {
        depth_scales[k] = 0.5F + static_cast<float>(k % 5);
      }
      const Floats addend = random_floats(columns, 5);
      std::vector<double> exact(columns);
      std::vector<double> magnitude(columns);
      for (const bool with_more : {false, true}) {
        const float* more = with_more ? depth_scales.data() : nullptr;
        const float* added = with_more ? addend.data() : nullptr;
        Floats c(columns + 1, guard);
        kernels::quantized_gemv(x.data(), more, depth, b.matrix(), columns, 0.3F, added, c.data());
        quantized_gemv_reference(b, x.data(), more, 0.3F, added, exact.data(), magnitude.data());
        CAPTURE(depth, columns, with_more);
        REQUIRE(c.back() == guard);
        for (std::size_t j = 0; j < columns; ++j) {
          const double rounded = rounding_of(x, more, 0.3 * b.scales[j]);
          const double bound =
              rounded + 6e-8 * static_cast<double>(depth + 4) * (magnitude[j] + std::abs(exact[j]));
          REQUIRE(std::abs(c[j] - exact[j]) <= bound);
        }
      }
    }
  }
}

TEST_CASE("quantized_gemv agrees with float64 within the rounding of its inputs") {
  check_gemv<std::int8_t>(127);
  check_gemv<std::int16_t>(kernels::max_int16);
}

TEST_CASE("quantized_gemv of the largest integers does not overflow") {
  Packed<std::int16_t> b(256, 3, kernels::max_int16);
  std::ranges::fill(b.panels, static_cast<std::int16_t>(kernels::max_int16));
  const Floats x(256, 2.0F);
  Floats c(3);
  kernels::quantized_gemv(x.data(), nullptr, 256, b.matrix(), 3, 1.0F, nullptr, c.data());
  for (std::size_t j = 0; j < 3; ++j) {
    const double exact = 256.0 * 2 * b.scales[j];
    CHECK(std::abs(c[j] - exact) <= 1e-6 * exact);
  }
}

TEST_CASE("quantized_gemv of no rows is the addend, or zeros, and may add to its result") {
  const Packed<std::int8_t> b(0, 5, 127);
  Floats c(5, guard);
  kernels::quantized_gemv(nullptr, nullptr, 0, b.matrix(), 5, 1.0F, nullptr, c.data());
  CHECK(c == Floats(5, 0.0F));
  std::ranges::fill(c, 2.0F);
  kernels::quantized_gemv(nullptr, nullptr, 0, b.matrix(), 5, 1.0F, c.data(), c.data());
  CHECK(c == Floats(5, 2.0F));
}

/// Columns of which each has a factor of another size, and rows of all sizes, block by block.
template <typename Integer>
void check_sizes(int max) {
  constexpr std::size_t columns = 278;
  constexpr std::size_t depth = 40;
  Packed<Integer> b(depth, columns, max);
  for (std::size_t j = 0; j < columns; ++j) {
    b.scales[j] = std::ldexp(0.9F, static_cast<int>(j) - 149);
  }
  for (int exponent = -149; exponent <= 127; exponent += 2) {
    Floats x = random_floats(depth, 7);
    for (std::size_t k = 0; k < depth; ++k) {
      x[k] = std::ldexp(x[k] / 4, exponent - 30 * static_cast<int>(k / kernels::quantized_block));
    }
    std::vector<double> exact(columns);
    std::vector<double> magnitude(columns);
    quantized_gemv_reference(b, x.data(), nullptr, 1.0F, nullptr, exact.data(), magnitude.data());
    Floats c(columns);
    kernels::quantized_gemv(x.data(), nullptr, depth, b.matrix(), columns, 1.0F, nullptr, c.data());
    CAPTURE(max, exponent);
    for (std::size_t j = 0; j < columns; ++j) {
      constexpr double denormal = std::numeric_limits<float>::denorm_min();
      const double bound = rounding_of(x, nullptr, b.scales[j]) + 6e-6 * magnitude[j] +
                           denormal * (2 + b.scales[j] * static_cast<double>(depth));
      CAPTURE(j, c[j], exact[j], bound);
      const bool may_overflow = std::abs(exact[j]) + bound >= std::numeric_limits<float>::max();
      REQUIRE((std::abs(c[j] - exact[j]) <= bound || (may_overflow && !std::isfinite(c[j]))));
    }
  }
}

TEST_CASE("quantized_gemv is as exact for numbers and factors of any size that floats have") {
  check_sizes<std::int8_t>(127);
  check_sizes<std::int16_t>(kernels::max_int16);
}

}  // namespace
}  // namespace headwise::test
