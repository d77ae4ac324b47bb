#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "floats.hpp"

namespace headwise::test {
namespace {

constexpr std::initializer_list<std::size_t> awkward_counts = {0, 1, 3, 5, 7, 8, 16, 33, 129};

void scale_reference(float* scores, std::size_t count, float scale) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] *= scale;
  }
}

void multiply_reference(float* values, const float* factors, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] *= factors[i];
  }
}

void add_reference(float* values, const float* others, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] += others[i];
  }
}

void softcap_reference(float* scores, std::size_t count, float cap) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = cap * std::tanh(scores[i] / cap);
  }
}

void softcap_gradient_reference(float* gradients, const float* capped, std::size_t count,
                                float cap) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const float tangent = capped[i] / cap;
    gradients[i] *= 1.0F - tangent * tangent;
  }
}

bool all_finite_reference(const float* matrix, std::size_t row_stride, std::size_t rows,
                          std::size_t columns) noexcept {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      if (!std::isfinite(matrix[row * row_stride + i])) {
        return false;
      }
    }
  }
  return true;
}

void add_rows_reference(const float* rows, std::size_t count, std::size_t size, float* sum) {
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < size; ++i) {
      sum[i] += rows[row * size + i];
    }
  }
}

void scale_heads_reference(const float* heads, const float* factors, std::size_t rows,
                           std::size_t num_heads, std::size_t size, float* scaled) {
  for (std::size_t i = 0; i < rows * num_heads * size; ++i) {
    scaled[i] = heads[i] * (factors != nullptr ? factors[i / size % num_heads] : 1.0F);
  }
}

bool mask_scores_reference(float* scores, std::size_t count, const std::uint8_t* allowed,
                           std::size_t stride) {
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_allowed = allowed[i * stride] != 0;
    any = any || is_allowed;
    scores[i] = is_allowed ? scores[i] : -infinity;
  }
  return any;
}

bool add_mask_to_scores_reference(float* scores, std::size_t count, const float* added,
                                  std::size_t stride) {
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_allowed = added[i * stride] != -infinity;
    any = any || is_allowed;
    scores[i] = is_allowed ? scores[i] + added[i * stride] : -infinity;
  }
  return any;
}

/// Whether two arrays hold the same bits, NaN of any kind for NaN.
bool same_bits(const Floats& a, const Floats& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y) ||
           (std::isnan(x) && std::isnan(y));
  });
}

/// Random numbers with what is no ordinary number among them, if there are enough, and guards
/// after.
Floats numbers_with_specials(std::size_t count, std::uint64_t seed) {
  Floats numbers = random_floats(count, seed);
  constexpr std::array specials = {nan, infinity, -infinity, -0.0F};
  for (std::size_t i = 0; i < specials.size() && 2 * i + 1 < count; ++i) {
    numbers[(2 * i + 1 + seed) % count] = specials[i];
  }
  numbers.resize(count + 3, guard);
  return numbers;
}

/// The kernel and its reference, on the same numbers of memory that goes on.
void check_same(const auto& kernel, const auto& reference) {
  for (const std::size_t count : awkward_counts) {
    CAPTURE(count);
    Floats values = numbers_with_specials(count, 1);
    Floats expected = values;
    const Floats others = numbers_with_specials(count, 2);
    kernel(values.data(), others.data(), count);
    reference(expected.data(), others.data(), count);
    CHECK(same_bits(values, expected));
  }
}

void check_near(const auto& kernel, const auto& reference) {
  for (const std::size_t count : awkward_counts) {
    CAPTURE(count);
    Floats values = random_floats(count, 1);
    values.resize(count + 3, guard);
    Floats expected = values;
    const Floats others = random_floats(count, 2);
    kernel(values.data(), others.data(), count);
    reference(expected.data(), others.data(), count);
    CHECK(max_difference(values, expected) <= 1e-6);
  }
}

TEST_CASE("scale gives the bits of its reference") {
  check_same([](float* values, const float* /*others*/,
                std::size_t count) { kernels::scale(values, count, 0.3F); },
             [](float* values, const float* /*others*/, std::size_t count) {
               scale_reference(values, count, 0.3F);
             });
}

TEST_CASE("multiply gives the bits of its reference") {
  check_same(kernels::multiply, multiply_reference);
}

TEST_CASE("add gives the bits of its reference") { check_same(kernels::add, add_reference); }

TEST_CASE("add_rows adds in the order of its reference") {
  for (const std::size_t size : awkward_counts) {
    for (const std::size_t count : {0, 1, 2, 5, 33}) {
      CAPTURE(size, count);
      const Floats rows = numbers_with_specials(count * size, 3);
      Floats sum = random_floats(size, 4);
      sum.resize(size + 3, guard);
      Floats expected = sum;
      kernels::add_rows(rows.data(), count, size, sum.data());
      add_rows_reference(rows.data(), count, size, expected.data());
      CHECK(same_bits(sum, expected));
    }
  }
}

TEST_CASE("scale_heads gives the bits of its reference, and without factors a copy") {
  for (const std::size_t size : awkward_counts) {
    for (const std::size_t num_heads : {1, 3}) {
      CAPTURE(size, num_heads);
      const std::size_t rows = 2;
      const std::size_t total = rows * num_heads * size;
      const Floats heads = numbers_with_specials(total, 5);
      const Floats factors = {0.5F, 0.0F, -3.0F};
      for (const float* given : {factors.data(), static_cast<const float*>(nullptr)}) {
        Floats scaled(total + 3, guard);
        Floats expected = scaled;
        kernels::scale_heads(heads.data(), given, rows, num_heads, size, scaled.data());
        scale_heads_reference(heads.data(), given, rows, num_heads, size, expected.data());
        CHECK(same_bits(scaled, expected));
      }
    }
  }
}

TEST_CASE("softcap agrees with its reference") {
  check_near([](float* scores, const float* /*others*/,
                std::size_t count) { kernels::softcap(scores, count, 1.5F); },
             [](float* scores, const float* /*others*/, std::size_t count) {
               softcap_reference(scores, count, 1.5F);
             });
}

TEST_CASE("softcap_gradient agrees with its reference") {
  check_near([](float* gradients, const float* capped,
                std::size_t count) { kernels::softcap_gradient(gradients, capped, count, 1.5F); },
             [](float* gradients, const float* capped, std::size_t count) {
               softcap_gradient_reference(gradients, capped, count, 1.5F);
             });
}

TEST_CASE("mask_scores gives the bits of its reference, whatever the stride and the mask") {
  for (const std::size_t count : awkward_counts) {
    for (const std::size_t stride : {0, 1, 2, 5}) {
      for (const std::size_t period : {1, 2, 3, 1000}) {
        CAPTURE(count, stride, period);
        // Entries between those of the row say the opposite.
        std::vector<std::uint8_t> allowed(count * stride + 1, 1);
        for (std::size_t i = 0; i < count; ++i) {
          allowed[i * stride] = (i + 1) % period == 0 ? 2 : 0;
        }
        Floats scores = numbers_with_specials(count, 6);
        Floats expected = scores;
        CHECK(kernels::mask_scores(scores.data(), count, allowed.data(), stride) ==
              mask_scores_reference(expected.data(), count, allowed.data(), stride));
        CHECK(same_bits(scores, expected));
      }
    }
  }
}

TEST_CASE("add_mask_to_scores gives the bits of its reference, whatever the stride and the mask") {
  for (const std::size_t count : awkward_counts) {
    for (const std::size_t stride : {0, 1, 2, 5}) {
      for (const std::size_t period : {1, 2, 3, 1000}) {
        CAPTURE(count, stride, period);
        Floats added = random_floats(count * stride + 1, 7);
        for (std::size_t i = 0; i < count; ++i) {
          added[i * stride] = (i + 1) % period == 0 ? 0.25F * static_cast<float>(i) : -infinity;
        }
        Floats scores = numbers_with_specials(count, 8);
        Floats expected = scores;
        CHECK(kernels::add_mask_to_scores(scores.data(), count, added.data(), stride) ==
              add_mask_to_scores_reference(expected.data(), count, added.data(), stride));
        CHECK(same_bits(scores, expected));
      }
    }
  }
}

TEST_CASE("mark_allowed and mark_added mark what is not hidden, and clear nothing") {
  for (const std::size_t count : awkward_counts) {
    for (const std::size_t stride : {0, 1, 2, 5}) {
      for (const std::size_t period : {1, 2, 3, 1000}) {
        CAPTURE(count, stride, period);
        std::vector<std::uint8_t> allowed(count * stride + 1, 1);
        Floats added(count * stride + 1, 0.0F);
        for (std::size_t i = 0; i < count; ++i) {
          allowed[i * stride] = (i + 1) % period == 0 ? 255 : 0;
          added[i * stride] = (i + 1) % period == 0 ? -1.0F : -infinity;
        }
        std::vector<std::uint8_t> expected(count + 3, 0);
        for (std::size_t i = 0; i < count; ++i) {
          expected[i] = i % 5 == 4 || allowed[i * stride] != 0 ? 1 : 0;
        }
        std::vector<std::uint8_t> marks(count + 3, 0);
        for (std::size_t i = 4; i < count; i += 5) {
          marks[i] = 1;
        }
        std::vector<std::uint8_t> other_marks = marks;
        kernels::mark_allowed(marks.data(), count, allowed.data(), stride);
        kernels::mark_added(other_marks.data(), count, added.data(), stride);
        CHECK(marks == expected);
        CHECK(other_marks == expected);
      }
    }
  }
}

TEST_CASE("all_finite finds any number that is not, and looks at nothing else") {
  for (const std::size_t columns : awkward_counts) {
    const std::size_t rows = 3;
    const std::size_t stride = columns + 2;
    // What lies between the rows is nobody's business.
    Floats matrix(span_size(rows, columns, stride), nan);
    const auto element = [&](std::size_t row, std::size_t column) -> float& {
      return matrix[row * stride + column];
    };
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        element(row, column) = column % 2 == 0 ? std::numeric_limits<float>::lowest()
                                               : std::numeric_limits<float>::denorm_min();
      }
    }
    const auto both = [&] {
      const bool result = kernels::all_finite(matrix.data(), stride, rows, columns);
      CHECK(result == all_finite_reference(matrix.data(), stride, rows, columns));
      return result;
    };
    CAPTURE(columns);
    CHECK(both());
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        for (const float bad : {nan, infinity, -infinity}) {
          CAPTURE(row, column, bad);
          const float before = std::exchange(element(row, column), bad);
          CHECK_FALSE(both());
          element(row, column) = before;
        }
      }
    }
  }
  CHECK(kernels::all_finite(nullptr, 0, 0, 0));
}

}  // namespace
}  // namespace headwise::test
