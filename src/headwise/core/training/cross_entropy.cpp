#include <algorithm>
#include <headwise/core/elementary_functions.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/training/cross_entropy.hpp>

namespace headwise {
namespace {

/// Returns the loss of one row and overwrites its logits by their gradient times `share`.
float cross_entropy_row(float* logits, std::size_t target, std::size_t count,
                        float share) noexcept {
  const float distance = *std::max_element(logits, logits + count) - logits[target];
  const float sum = kernels::exp_minus_max(logits, count);
  kernels::scale(logits, count, share / sum);
  logits[target] -= share;
  return static_cast<float>(natural_logarithm(static_cast<double>(sum))) + distance;
}

}  // namespace

double cross_entropy_into(const CrossEntropy& arguments) noexcept {
  const auto& [logits, targets, losses, rows, vocabulary_size, num_threads] = arguments;
  if (rows == 0) {
    return 0;
  }
  constexpr std::size_t rows_per_piece = 64;
  constexpr double operations_per_element = 16;  // mostly the exponential
  const double operations =
      operations_per_element * static_cast<double>(rows) * static_cast<double>(vocabulary_size);
  const float share = 1.0F / static_cast<float>(rows);
  parallel::for_each(
      (rows + rows_per_piece - 1) / rows_per_piece,
      parallel::threads_worth(operations, num_threads),
      [&](std::size_t piece, std::size_t /*thread*/) {
        const std::size_t end = std::min(arguments.rows, (piece + 1) * rows_per_piece);
        for (std::size_t row = piece * rows_per_piece; row < end; ++row) {
          arguments.losses[row] = cross_entropy_row(
              arguments.logits + row * arguments.vocabulary_size,
              static_cast<std::size_t>(arguments.targets[row]), arguments.vocabulary_size, share);
        }
      });
  double sum = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    sum += static_cast<double>(losses[row]);
  }
  return sum / static_cast<double>(rows);
}

}  // namespace headwise
