#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <cstdint>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>
#include <limits>
#include <vector>

#include "compare.hpp"

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

template <typename Integer, typename Multiply>
void check_largest(const Multiply& multiply) {
  Packed<Integer> b(512, 3, most<Integer>);
  std::ranges::fill(b.panels, static_cast<Integer>(most<Integer>));
  const Floats x(512, 2.0F);
  Floats c(3);
  multiply(x.data(), b.matrix(), c.data());
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(std::abs(c[j] - 1024.0 * b.scales[j]) <= 1e-3 * b.scales[j]);
  }
}

TEST_CASE("Products of the largest integers do not overflow") {
  const auto gemv = [](const float* x, const kernels::QuantizedMatrix& b, float* c) {
    kernels::quantized_gemv(x, nullptr, 512, b, 3, 1.0F, nullptr, c);
  };
  check_largest<std::int8_t>(gemv);
  check_largest<std::int16_t>(gemv);
  check_largest<std::int8_t>([](const float* x, const kernels::QuantizedMatrix& b, float* c) {
    kernels::quantized_gemm(1, 3, 512, {x, 0}, b, {}, c, 3);
  });
}

TEST_CASE("quantized_gemm agrees with float64 within the rounding of each 512 numbers of a row") {
  const auto [depth, columns, rows] = GENERATE(table<std::size_t, std::size_t, std::size_t>(
      {{0, 5, 3}, {1, 1, 1}, {7, 33, 5}, {129, 5, 33}, {600, 129, 70}}));
  const Packed<std::int8_t> b(depth, columns, kernels::max_int8);
  const std::size_t stride = depth + 3;
  Floats a = random_floats(rows * stride, 3);
  // Rows of zeros, of numbers far from 1 and one with a number that is not finite.
  constexpr std::array sizes = {1.0F, 0.0F, 1e-30F, 1e30F};
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] *= sizes.at(i / stride % 4);
  }
  a[4 % rows * stride] = NAN;
  const Floats addend = random_floats(columns, 5);
  Floats c(rows * columns + 1, guard);
  kernels::quantized_gemm(rows, columns, depth, {.data = a.data(), .row_stride = stride},
                          b.matrix(), {.data = addend.data()}, c.data(), columns);
  std::vector<double> exact(columns), magnitude(columns);
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const std::size_t j = i % columns;
    if (const float* x = a.data() + i / columns * stride; j == 0) {
      quantized_gemv_reference(b, x, nullptr, 1.0F, addend.data(), exact.data(), magnitude.data());
    }
    // No number is above 5 of its row's size.
    const double rounded = 5e-5 * sizes.at(i / columns % 4) * static_cast<double>(depth);
    CAPTURE(depth, i, c[i], exact[j]);
    REQUIRE(std::isnan(exact[j]) == std::isnan(c[i]));
    REQUIRE(!(std::abs(c[i] - exact[j]) >
              rounded * b.scales[j] + 2e-6 * (magnitude[j] + std::abs(exact[j]))));
  }
  REQUIRE(c.back() == guard);
}

TEST_CASE("unpack_columns writes the numbers that integers stand for, exactly") {
  for (const std::size_t depth : quantized_sizes) {
    for (std::size_t columns = 1; columns <= kernels::panel_width(); ++columns) {
      Packed<std::int8_t> b(depth, columns, kernels::max_int8);
      for (std::size_t j = 0; j < columns; ++j) {
        b.scales[j] = kernels::max_int8 * (0x1p-20F * static_cast<float>(0x1FFFF - 2 * j));
      }
      Floats panel(depth * kernels::panel_width() + 1, guard);
      kernels::unpack_columns(b.matrix(), depth, columns, panel.data());
      for (std::size_t i = 0; i < depth * columns; ++i) {
        REQUIRE(panel[i / columns * kernels::panel_width() + i % columns] ==
                static_cast<float>(b.integers[i]) * (b.scales[i % columns] / kernels::max_int8));
      }
      REQUIRE(panel.back() == guard);
    }
  }
}

TEST_CASE("int4_gemv and unpack_int4_columns agree with weights that were rounded one by one") {
  const std::size_t columns = GENERATE(1U, 5U, 33U, 129U);
  const std::size_t width = kernels::panel_width();
  for (const std::size_t depth : {1, 7, 8, 31, 32, 33, 129, 600, 2100}) {
    Floats packed(quantized_size(Precision::int4, columns, depth), NAN);
    const Floats weights = random_floats(depth * columns, 7);
    const Floats addend = random_floats(columns, 5);
    const kernels::Int4Matrix b = int4_weights(depth, packed.data(), 0);
    for (std::size_t j = 0; j < columns; ++j) {
      pack_int4(weights.data() + j * depth, j, depth, packed.data());
    }
    Floats panel(depth * width + 1, guard);
    kernels::unpack_int4_columns(b, depth, std::min(columns, width), panel.data());
    REQUIRE(panel.back() == guard);
    for (const float size : {1.0F, 1e-30F, 1e30F}) {
      Floats x = random_floats(depth, 3);
      std::ranges::transform(x, x.begin(), [&](float number) { return number * size; });
      Floats c(columns + 1, guard);
      kernels::int4_gemv(x.data(), depth, b, columns, addend.data(), c.data());
      REQUIRE(c.back() == guard);
      for (std::size_t j = 0; j < columns; ++j) {
        double exact = addend[j], magnitude = std::abs(exact), largest = 0;
        for (std::size_t k = 0; k < depth; ++k) {
          float weight = 0;
          unpack_int4(packed.data(), j, depth, k, 1, &weight);
          REQUIRE((j >= width || panel[k * width + j] == weight));
          exact += static_cast<double>(x[k]) * weight;
          magnitude += std::abs(static_cast<double>(x[k]) * weight);
          largest = std::max(largest, std::abs(static_cast<double>(weight)));
        }
        CAPTURE(depth, columns, size, j);
        REQUIRE(std::abs(c[j] - exact) <= rounding_of(x, nullptr, largest) +
                                              6e-8 * static_cast<double>(depth + 4) * magnitude);
      }
    }
  }
}

}  // namespace
}  // namespace headwise::test
