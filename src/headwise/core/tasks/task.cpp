#include <algorithm>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/tasks/random_integers.hpp>
#include <headwise/error.hpp>
#include <headwise/task.hpp>
#include <numeric>
#include <vector>

namespace headwise {

TaskBatch Task::batch(std::uint64_t seed, std::int64_t batch_size, std::int64_t first) const {
  return report_out_of_memory([&] {
    validation::check_at_least("batch_size", batch_size, 0);
    validation::check_at_least("first", first, 0);
    const auto rows = static_cast<std::size_t>(batch_size);
    const std::array<std::size_t, 2> shape = {rows, length_};
    TaskBatch result{.tokens = make_tensor<2, std::int64_t>(shape),
                     .targets = make_tensor<2, std::int64_t>(shape),
                     .keys = make_tensor<2, std::int64_t>(shape)};
    std::vector<std::int32_t> row(3 * length_);
    std::vector<std::int32_t> workspace(vocabulary_size_);
    const std::span<std::int32_t> numbers(row);
    const TaskSample sample{.tokens = numbers.first(length_),
                            .targets = numbers.subspan(length_, length_),
                            .keys = numbers.last(length_)};
    for (std::size_t i = 0; i < rows; ++i) {
      sample_into(seed, static_cast<std::uint64_t>(first) + i, sample, workspace);
      std::copy(sample.tokens.begin(), sample.tokens.end(), &result.tokens(i, 0));
      std::copy(sample.targets.begin(), sample.targets.end(), &result.targets(i, 0));
      std::copy(sample.keys.begin(), sample.keys.end(), &result.keys(i, 0));
    }
    return result;
  });
}

void Task::sample_into(std::uint64_t seed, std::uint64_t number, const TaskSample& sample,
                       std::span<std::int32_t> workspace) const noexcept {
  std::fill(sample.targets.begin(), sample.targets.end(), ignored_target);
  std::fill(sample.keys.begin(), sample.keys.end(), ignored_target);
  std::iota(workspace.begin(), workspace.end(), 0);
  RandomIntegers random(seed, number);
  draw(random, sample, workspace);
}

}  // namespace headwise
