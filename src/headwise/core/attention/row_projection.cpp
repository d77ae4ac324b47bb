#include <algorithm>
#include <headwise/core/attention/row_projection.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

/// Rows of a block at most: inputs that stay in the processor's nearer cache while the weights pass
/// by.
constexpr std::size_t most_block_rows = 256;
/// Columns of a block, whole panels of any instruction set: blocks small enough for threads to
/// finish at nearly the same time.
constexpr std::size_t block_columns = 128;

constexpr std::size_t divide_up(std::size_t count, std::size_t size) noexcept {
  return (count + size - 1) / size;
}

/// One projection cut into blocks of rows and columns.
class Blocks {
 public:
  explicit Blocks(const RowProjection& projection) noexcept
      : projection_(projection),
        row_blocks_(divide_up(projection.rows, most_block_rows)),
        // Panels begin anew in each group.
        width_(projection.linear->sizes().groups > 1 ? projection.linear->sizes().out
                                                     : block_columns),
        column_blocks_(divide_up(projection.linear->sizes().out, width_)) {}

  [[nodiscard]] std::size_t count() const noexcept { return row_blocks_ * column_blocks_; }

  void project(std::size_t block) const noexcept {
    const std::size_t row_block = block / column_blocks_;
    const std::size_t first = block % column_blocks_ * width_;
    const std::size_t rows = projection_.rows;
    project_rows(row_block * rows / row_blocks_, (row_block + 1) * rows / row_blocks_, first,
                 std::min(width_, projection_.linear->sizes().out - first));
  }

 private:
  /// Neighbours with the same mark in one go.
  void project_rows(std::size_t first_row, std::size_t end, std::size_t first_column,
                    std::size_t columns) const noexcept {
    const auto& [linear, inputs, outputs, rows, read] = projection_;
    const auto [in, out, groups] = linear->sizes();
    for (std::size_t row = first_row; row < end;) {
      std::size_t next = end;
      if (read != nullptr) {
        const std::uint8_t* other = std::find_if(
            read + row, read + end, [&](std::uint8_t mark) { return mark != read[row]; });
        next = static_cast<std::size_t>(other - read);
      }
      if (read == nullptr || read[row] != 0) {
        linear->project(inputs + row * in, next - row, first_column, columns, outputs + row * out);
        row = next;
      }
      for (; row < next; ++row) {
        std::fill_n(outputs + row * out + first_column, columns, 0.0F);
      }
    }
  }

  const RowProjection& projection_;
  std::size_t row_blocks_;
  std::size_t width_;
  std::size_t column_blocks_;
};

}  // namespace

void project(std::span<const RowProjection> projections, std::size_t num_threads) noexcept {
  std::size_t blocks = 0;
  double operations = 0;
  for (const RowProjection& projection : projections) {
    const auto [in, out, groups] = projection.linear->sizes();
    projection.linear->pack();
    blocks += Blocks(projection).count();
    const std::size_t group_in = in / groups;
    operations += 2.0 * static_cast<double>(projection.rows) * static_cast<double>(group_in) *
                  static_cast<double>(out);
  }
  parallel::for_each(blocks, parallel::threads_worth(operations, num_threads),
                     [&](std::size_t block, std::size_t /*thread*/) {
                       for (const RowProjection& projection : projections) {
                         const Blocks own(projection);
                         if (block < own.count()) {
                           return own.project(block);
                         }
                         block -= own.count();
                       }
                     });
}

}  // namespace headwise
