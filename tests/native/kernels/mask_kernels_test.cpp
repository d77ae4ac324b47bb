#include <catch2/catch_test_macros.hpp>
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

TEST_CASE("mask_scores, add_mask_to_scores, mark_allowed and mark_added of any stride and mask") {
  for (const std::size_t count : awkward_counts) {
    for (const std::size_t stride : {0, 1, 2, 5}) {
      for (const std::size_t period : {1, 2, 3, 1000}) {
        CAPTURE(count, stride, period);
        // Entries between those of the row say the opposite.
        std::vector<std::uint8_t> allowed(count * stride + 1, 1);
        Floats added(count * stride + 1, 0.0F);
        for (std::size_t i = 0; i < count; ++i) {
          const bool is_allowed = (i + 1) % period == 0;
          allowed[i * stride] = is_allowed ? 2 : 0;
          added[i * stride] = is_allowed ? 0.25F * static_cast<float>(i) : -infinity;
        }
        Floats scores = random_floats(count, 6);
        if (count > 2) {
          scores[count - 1] = scores[0] = infinity;
          scores[count / 2] = nan;
        }
        std::vector<std::uint8_t> marks(count, 0);
        for (std::size_t i = 4; i < count; i += 5) {
          marks[i] = 1;
        }
        scores.resize(count + 3, guard);
        marks.resize(count + 3, 0);
        Floats masked = scores;
        Floats biased = scores;
        std::vector<std::uint8_t> marked = marks;
        bool any = false;
        for (std::size_t i = 0; i < count; ++i) {
          const bool is_allowed = allowed[i * stride] != 0;
          any = any || is_allowed;
          masked[i] = is_allowed ? scores[i] : -infinity;
          biased[i] = is_allowed ? scores[i] + added[i * stride] : -infinity;
          marked[i] |= is_allowed ? 1 : 0;
        }
        Floats other_scores = scores;
        std::vector<std::uint8_t> other_marks = marks;
        CHECK(kernels::mask_scores(scores.data(), count, allowed.data(), stride) == any);
        CHECK(max_difference(scores, masked) == 0);
        CHECK(kernels::add_mask_to_scores(other_scores.data(), count, added.data(), stride) == any);
        CHECK(max_difference(other_scores, biased) == 0);
        kernels::mark_allowed(marks.data(), count, allowed.data(), stride);
        CHECK(marks == marked);
        kernels::mark_added(other_marks.data(), count, added.data(), stride);
        CHECK(other_marks == marked);
      }
    }
  }
}

TEST_CASE("all_finite finds any number that is not, and looks at nothing else") {
  for (const std::size_t columns : awkward_counts) {
    const std::size_t rows = 3;
    const std::size_t stride = columns + 2;
    // Between the rows lies what must not be read.
    Floats matrix(span_size(rows, columns, stride), nan);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      matrix[i / columns * stride + i % columns] = i % 2 == 0
                                                       ? std::numeric_limits<float>::lowest()
                                                       : std::numeric_limits<float>::denorm_min();
    }
    CAPTURE(columns);
    CHECK(kernels::all_finite(matrix.data(), stride, rows, columns));
    for (std::size_t i = 0; i < rows * columns; ++i) {
      for (const float bad : {nan, infinity, -infinity}) {
        CAPTURE(i, bad);
        const std::size_t place = i / columns * stride + i % columns;
        const float before = std::exchange(matrix[place], bad);
        CHECK_FALSE(kernels::all_finite(matrix.data(), stride, rows, columns));
        matrix[place] = before;
      }
    }
  }
  CHECK(kernels::all_finite(nullptr, 0, 0, 0));
}

}  // namespace
}  // namespace headwise::test
