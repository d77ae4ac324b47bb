#include <algorithm>
#include <headwise/core/attention/masked_softmax.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

/// Rows of a piece of work.
constexpr std::size_t rows_at_once = 64;

void softmax_row(const AttentionMask& mask, std::size_t row, float* weights) noexcept {
  const KeyRange keys = mask.range(row / mask.num_queries, row % mask.num_queries);
  if (keys.size() == 0) {
    const bool uniform = mask.rules.empty_rows == EmptyRows::uniform;
    std::fill_n(weights, mask.num_keys, uniform ? 1.0F / static_cast<float>(mask.num_keys) : 0.0F);
    return;
  }
  // Lengths alone allow a prefix of the keys.
  kernels::softmax(weights, keys.end);
  write_zeros(weights + keys.end, mask.num_keys - keys.end);
}

}  // namespace

void masked_softmax_into(const AttentionMask& mask, float* weights,
                         std::size_t num_threads) noexcept {
  const std::size_t rows = mask.batch * mask.num_queries;
  constexpr double exp_operations = 40;
  const double operations =
      exp_operations * static_cast<double>(rows) * static_cast<double>(mask.num_keys);
  parallel::for_each(
      (rows + rows_at_once - 1) / rows_at_once, parallel::threads_worth(operations, num_threads),
      [&](std::size_t piece, std::size_t /*thread*/) {
        const std::size_t first = piece * rows_at_once;
        for (std::size_t row = first; row < std::min(first + rows_at_once, rows); ++row) {
          softmax_row(mask, row, weights + row * mask.num_keys);
        }
      });
}

}  // namespace headwise
