#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>
#include <initializer_list>
#include <limits>
#include <utility>

#include "compare.hpp"

namespace headwise::test {
namespace {

/// The error of `got` against scale · Σ term(k) + offset in float64, as a part of what rounding
/// each step allows.
template <typename Term>
double error_of_sum(float got, std::size_t depth, double scale, double offset, const Term& term) {
  double sum = 0;
  double magnitude = 0;
  for (std::size_t k = 0; k < depth; ++k) {
    sum += term(k);
    magnitude += std::abs(term(k));
  }
  const double unit = std::numeric_limits<float>::epsilon() / 2;
  const double bound =
      static_cast<double>(depth + 3) * unit * (magnitude * scale + std::abs(offset));
  const double error = std::abs(got - (sum * scale + offset));
  return error == 0 ? 0 : error / bound;
}

enum class Added { nothing, row, matrix, own_place };

/// One product with every stride wider than its matrix, and what it must be.
class Product {
 public:
  Product(std::size_t rows, std::size_t columns, std::size_t depth, Added added,
          bool transposed = false)
      : rows_(rows),
        columns_(columns),
        depth_(depth),
        added_(added),
        scale_(depth % 2 == 1 ? 1.0F : 0.3F),
        a_row_stride_(transposed ? 1 : depth + 3),
        a_depth_stride_(transposed ? rows + 3 : 1),
        a_(random_floats(
            transposed ? span_size(depth, rows, rows + 3) : span_size(rows, depth, depth + 3), 1)),
        b_(random_floats(span_size(depth, columns, columns + 2), 2)),
        addend_(random_floats(span_size(added == Added::row ? 1 : rows, columns, columns + 4), 3)),
        packed_(kernels::packed_size(depth, columns), guard) {
    if ((rows + columns) % 4 < 2) {
      kernels::pack_rows(b_.data(), columns + 2, depth, columns, packed_.data());
      return;
    }
    Floats columns_of_b(columns * (depth + 1));
    for (std::size_t i = 0; i < columns * depth; ++i) {
      columns_of_b[i / depth * (depth + 1) + i % depth] = b_[i % depth * (columns + 2) + i / depth];
    }
    kernels::pack_columns(columns_of_b.data(), depth + 1, depth, columns, packed_.data());
  }

  /// Rows [first, first + count) of C, its columns followed by `padding` guards.
  Floats multiply(std::size_t first, std::size_t count, std::size_t padding = 5) const {
    const std::size_t stride = columns_ + padding;
    Floats c = result_before(first, count, padding);
    kernels::gemm(count, columns_, depth_, a_from(first), packed(), scale_,
                  addend(first, c, stride), c.data(), stride);
    return c;
  }

  /// The largest `error_of_sum` of C; infinite where a guard behind a row is gone.
  double largest_error(const Floats& c, std::size_t padding = 5) const {
    double largest = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      const float* end = c.data() + i * (columns_ + padding) + columns_;
      largest = std::count(end, end + padding, guard) < static_cast<std::ptrdiff_t>(padding)
                    ? infinity
                    : largest;
      for (std::size_t j = 0; j < columns_; ++j) {
        const double offset = added_ == Added::nothing ? 0 : addend_[addend_index(i) + j];
        const auto term = [&](std::size_t k) {
          return static_cast<double>(a_[i * a_row_stride_ + k * a_depth_stride_]) *
                 b_[k * (columns_ + 2) + j];
        };
        largest = std::max(
            largest, error_of_sum(c[i * (columns_ + padding) + j], depth_, scale_, offset, term));
      }
    }
    return largest;
  }

  const Floats& packed_numbers() const { return packed_; }

 private:
  kernels::PackedMatrix packed() const {
    return {.panels = packed_.data(), .panel_stride = depth_ * kernels::panel_width()};
  }
  kernels::StridedMatrix a_from(std::size_t row) const {
    return {.data = a_.data() + row * a_row_stride_,
            .row_stride = a_row_stride_,
            .depth_stride = a_depth_stride_};
  }
  std::size_t addend_index(std::size_t row) const {
    return added_ == Added::row ? 0 : row * (columns_ + 4);
  }
  kernels::Addend addend(std::size_t first, const Floats& c, std::size_t stride) const {
    switch (added_) {
      case Added::row:
        return {.data = addend_.data()};
      case Added::matrix:
        return {.data = addend_.data() + addend_index(first), .row_stride = columns_ + 4};
      case Added::own_place:
        return {.data = c.data(), .row_stride = stride};
      default:
        return {};
    }
  }
  /// Guards; between them the addend, if the product is added to what is there.
  Floats result_before(std::size_t first, std::size_t count, std::size_t padding) const {
    const std::size_t stride = columns_ + padding;
    Floats c(span_size(count, columns_, stride) + padding, guard);
    for (std::size_t i = 0; added_ == Added::own_place && i < count; ++i) {
      std::copy_n(addend_.data() + addend_index(first + i), columns_, c.data() + i * stride);
    }
    return c;
  }

  std::size_t rows_;
  std::size_t columns_;
  std::size_t depth_;
  Added added_;
  float scale_;
  std::size_t a_row_stride_;
  std::size_t a_depth_stride_;
  Floats a_;
  Floats b_;
  Floats addend_;
  Floats packed_;
};

constexpr std::initializer_list<std::size_t> awkward_sizes = {1, 2, 3, 5, 7, 16, 33, 129};
constexpr std::initializer_list<std::size_t> sizes_from_0 = {0, 1, 2, 3, 5, 7, 16, 33, 129};

TEST_CASE("gemm of what pack_rows or pack_columns packed agrees with float64") {
  for (const std::size_t rows : awkward_sizes) {
    for (const std::size_t columns : awkward_sizes) {
      // Over depth 0, what is added is all there is.
      for (const std::size_t depth : sizes_from_0) {
        const auto added = static_cast<Added>((rows + columns + depth) / 2 % 4);
        const bool transposed = (rows / 2 + columns) % 2 == 1;
        CAPTURE(rows, columns, depth, static_cast<int>(added), transposed);
        const Product product(rows, columns, depth, added, transposed);
        // Random numbers are not 0, which fills the last panel.
        CHECK(std::ranges::count(product.packed_numbers(), 0.0F) ==
              static_cast<std::ptrdiff_t>((kernels::round_up_to_panel(columns) - columns) * depth));
        const Floats c = product.multiply(0, rows);
        CHECK(product.largest_error(c) <= 1);
        // Without room between the rows, a row that writes too far spoils the next.
        CHECK(product.largest_error(product.multiply(0, rows, 0), 0) <= 1);
      }
    }
  }
}

TEST_CASE("gemm gives the same bits however rows are grouped into calls") {
  const std::size_t rows = 11;
  const std::size_t columns = 21;
  const Product product(rows, columns, 13, Added::matrix);
  const Floats whole = product.multiply(0, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const Floats alone = product.multiply(row, 1);
    CAPTURE(row);
    CHECK(std::equal(alone.begin(), alone.begin() + columns,
                     whole.begin() + static_cast<std::ptrdiff_t>(row * (columns + 5))));
  }
}

TEST_CASE("transpose exchanges rows and columns and writes nothing beside them") {
  for (const std::size_t rows : awkward_sizes) {
    for (const std::size_t columns : awkward_sizes) {
      CAPTURE(rows, columns);
      const std::size_t row_stride = columns + 3;
      const std::size_t transposed_stride = rows + 5;
      const Floats matrix = random_floats(rows * row_stride, 1);
      Floats transposed(columns * transposed_stride, guard);
      kernels::transpose(matrix.data(), row_stride, rows, columns, transposed.data(),
                         transposed_stride);
      bool in_place = true;
      for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t i = 0; i < transposed_stride; ++i) {
          const float expected = i < rows ? matrix[i * row_stride + j] : guard;
          in_place &= transposed[j * transposed_stride + i] == expected;
        }
      }
      CHECK(in_place);
    }
  }
}

/// Whether `got` is, within float32's rounding, the product of x and `count` columns of `size`
/// numbers: element k of column j is columns[j · column_stride + k · stride].
bool is_product(const Floats& got, const Floats& x, const Floats& columns, std::size_t count,
                std::size_t column_stride, std::size_t stride, float scale) {
  for (std::size_t j = 0; j < count; ++j) {
    const auto term = [&](std::size_t k) {
      return static_cast<double>(x[k]) * columns[j * column_stride + k * stride];
    };
    if (error_of_sum(got[j], x.size(), scale, 0, term) > 1) {
      return false;
    }
  }
  return true;
}

TEST_CASE("gemv and gemv_transposed agree with float64") {
  for (const std::size_t count : sizes_from_0) {
    for (const std::size_t size : awkward_sizes) {
      CAPTURE(count, size);
      const std::size_t stride = size + 2;
      const Floats rows = random_floats(span_size(count, size, stride), 2);
      const Floats x = random_floats(size, 1);
      Floats dots(count + 1, guard);
      kernels::gemv(x.data(), rows.data(), stride, count, size, 0.3F, dots.data());
      CHECK(dots.back() == guard);
      CHECK(is_product(dots, x, rows, count, stride, 1, 0.3F));
      const Floats weights = random_floats(count, 1);
      Floats sum(size + 1, guard);
      kernels::gemv_transposed(weights.data(), rows.data(), stride, count, size, sum.data());
      CHECK(sum.back() == guard);
      CHECK(is_product(sum, weights, rows, size, 1, stride, 1));
    }
  }
}

TEST_CASE("all_finite finds any number that is not, and looks at nothing else") {
  for (const std::size_t columns : {0, 1, 3, 5, 7, 8, 16, 33, 129}) {
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
