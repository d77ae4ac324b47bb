#include <catch2/catch_test_macros.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>

#include "floats.hpp"

namespace headwise::test {
namespace {

/// dots = scale · rows · x
void gemv_reference(const float* x, const float* rows, std::size_t stride, std::size_t count,
                    std::size_t size, float scale, float* dots) noexcept {
  for (std::size_t j = 0; j < count; ++j) {
    float sum = 0.0F;
    for (std::size_t k = 0; k < size; ++k) {
      sum += x[k] * rows[j * stride + k];
    }
    dots[j] = sum * scale;
  }
}

/// sum = weights · rows
void gemv_transposed_reference(const float* weights, const float* rows, std::size_t stride,
                               std::size_t count, std::size_t size, float* sum) noexcept {
  for (std::size_t k = 0; k < size; ++k) {
    sum[k] = 0.0F;
    for (std::size_t j = 0; j < count; ++j) {
      sum[k] += weights[j] * rows[j * stride + k];
    }
  }
}

constexpr std::initializer_list<std::size_t> awkward_sizes = {1, 3, 5, 7, 16, 33, 129};

TEST_CASE("gemv agrees with its reference and with float64") {
  for (const std::size_t count : awkward_sizes) {
    for (const std::size_t size : awkward_sizes) {
      const std::size_t stride = size + 2;
      const Floats x = random_floats(size, 1);
      const Floats rows = random_floats(span_size(count, size, stride), 2);
      Floats dots(count + 1, guard);
      Floats reference(count);
      kernels::gemv(x.data(), rows.data(), stride, count, size, 0.3F, dots.data());
      gemv_reference(x.data(), rows.data(), stride, count, size, 0.3F, reference.data());
      CAPTURE(count, size);
      CHECK(dots.back() == guard);
      for (std::size_t j = 0; j < count; ++j) {
        double exact = 0;
        double magnitude = 0;
        for (std::size_t k = 0; k < size; ++k) {
          const double term = static_cast<double>(x[k]) * rows[j * stride + k];
          exact += term;
          magnitude += std::abs(term);
        }
        const double bound = 6e-8 * static_cast<double>(size + 2) * magnitude * 0.3;
        CHECK(std::abs(dots[j] - exact * 0.3F) <= bound);
        CHECK(std::abs(reference[j] - exact * 0.3F) <= bound);
      }
    }
  }
}

TEST_CASE("gemv_transposed agrees with its reference and with float64") {
  for (const std::size_t count : awkward_sizes) {
    for (const std::size_t size : awkward_sizes) {
      const std::size_t stride = size + 2;
      const Floats weights = random_floats(count, 1);
      const Floats rows = random_floats(span_size(count, size, stride), 2);
      Floats sum(size + 1, guard);
      Floats reference(size);
      kernels::gemv_transposed(weights.data(), rows.data(), stride, count, size, sum.data());
      gemv_transposed_reference(weights.data(), rows.data(), stride, count, size, reference.data());
      CAPTURE(count, size);
      CHECK(sum.back() == guard);
      for (std::size_t k = 0; k < size; ++k) {
        double exact = 0;
        double magnitude = 0;
        for (std::size_t j = 0; j < count; ++j) {
          const double term = static_cast<double>(weights[j]) * rows[j * stride + k];
          exact += term;
          magnitude += std::abs(term);
        }
        const double bound = 6e-8 * static_cast<double>(count + 1) * magnitude;
        CHECK(std::abs(sum[k] - exact) <= bound);
        CHECK(std::abs(reference[k] - exact) <= bound);
      }
    }
  }
}

TEST_CASE("gemv_transposed of no rows is zeros") {
  Floats sum(5, guard);
  kernels::gemv_transposed(nullptr, nullptr, 0, 0, 5, sum.data());
  CHECK(sum == Floats(5, 0.0F));
}

}  // namespace
}  // namespace headwise::test
