#include <algorithm>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/core/elementary_functions.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/cross_entropy.hpp>
#include <headwise/error.hpp>
#include <vector>

namespace headwise {
namespace {

/// The loss of one row, whose logits become the gradient of that loss times `share`.
float differentiate_row(float* logits, std::size_t target, std::size_t count,
                        float share) noexcept {
  const float distance = *std::max_element(logits, logits + count) - logits[target];
  const float sum = kernels::exp_minus_max(logits, count);
  kernels::scale(logits, count, share / sum);
  logits[target] -= share;
  return static_cast<float>(natural_logarithm(static_cast<double>(sum))) + distance;
}

}  // namespace

double cross_entropy(const Tensor<3>& logits, const Tokens& targets) {
  return report_out_of_memory([&] {
    validation::check_cross_entropy(logits.shape(), targets);
    const std::size_t vocabulary_size = logits.shape(2);
    std::vector<float> asked_logits;
    std::vector<std::int32_t> asked_targets;
    const float* row = logits.data();
    for (const std::int64_t target : targets) {
      if (target != ignored_target) {
        asked_logits.insert(asked_logits.end(), row, row + vocabulary_size);
        asked_targets.push_back(static_cast<std::int32_t>(target));
      }
      row += vocabulary_size;
    }
    std::vector<float> losses(asked_targets.size());
    return cross_entropy_into({.logits = asked_logits.data(),
                               .targets = asked_targets.data(),
                               .losses = losses.data(),
                               .rows = asked_targets.size(),
                               .vocabulary_size = vocabulary_size,
                               .num_threads = parallel::num_threads()});
  });
}

double cross_entropy_into(const CrossEntropy& arguments) noexcept {
  const auto& [logits, targets, losses, rows, vocabulary_size, num_threads] = arguments;
  if (rows == 0) {
    return 0;
  }
  constexpr std::size_t rows_a_piece = 64;
  constexpr double operations_an_element = 16;  // mostly of its exponential
  const double operations =
      operations_an_element * static_cast<double>(rows) * static_cast<double>(vocabulary_size);
  const float share = 1.0F / static_cast<float>(rows);
  parallel::for_each(
      (rows + rows_a_piece - 1) / rows_a_piece, parallel::threads_worth(operations, num_threads),
      [&](std::size_t piece, std::size_t /*thread*/) {
        const std::size_t end = std::min(arguments.rows, (piece + 1) * rows_a_piece);
        for (std::size_t row = piece * rows_a_piece; row < end; ++row) {
          arguments.losses[row] = differentiate_row(
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
