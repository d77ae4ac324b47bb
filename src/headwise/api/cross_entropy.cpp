#include <headwise/api/validation.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/training/cross_entropy.hpp>
#include <headwise/cross_entropy.hpp>
#include <headwise/error.hpp>
#include <vector>

namespace headwise {

double cross_entropy(const TensorView<3>& logits, const Tokens& targets) {
  return report_out_of_memory([&] {
    validation::check_cross_entropy(logits.shape(), targets);
    const std::size_t vocabulary_size = logits.shape(2);
    std::vector<float> selected_logits;
    std::vector<std::int32_t> selected_targets;
    const float* row = logits.data();
    for (const std::int64_t target : targets) {
      if (target != ignored_target) {
        selected_logits.insert(selected_logits.end(), row, row + vocabulary_size);
        selected_targets.push_back(static_cast<std::int32_t>(target));
      }
      row += vocabulary_size;
    }
    std::vector<float> losses(selected_targets.size());
    return cross_entropy_into({.logits = selected_logits.data(),
                               .targets = selected_targets.data(),
                               .losses = losses.data(),
                               .rows = selected_targets.size(),
                               .vocabulary_size = vocabulary_size,
                               .num_threads = parallel::num_threads()});
  });
}

}  // namespace headwise
