#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/error.hpp>
#include <headwise/tasks.hpp>
#include <vector>

namespace headwise {
namespace {

template <typename Options>
TaskSampler checked(const Options& options) {
  report_out_of_memory([&] { validation::check_task_options(options); });
  return TaskSampler(options);
}

}  // namespace

TaskBatch Task::batch(std::uint64_t seed, std::int64_t batch_size, std::int64_t first) const {
  return report_out_of_memory([&] {
    validation::check_at_least("batch_size", batch_size, 0);
    validation::check_at_least("first", first, 0);
    const auto rows = static_cast<std::size_t>(batch_size);
    const std::array<std::size_t, 2> shape = {rows, length()};
    TaskBatch result{.tokens = make_tensor<2, std::int64_t>(shape),
                     .targets = make_tensor<2, std::int64_t>(shape),
                     .keys = make_tensor<2, std::int64_t>(shape)};
    std::vector<std::int32_t> row(3 * length());
    std::vector<std::int32_t> workspace(vocabulary_size());
    const std::span<std::int32_t> numbers(row);
    const TaskSample sample{.tokens = numbers.first(length()),
                            .targets = numbers.subspan(length(), length()),
                            .keys = numbers.last(length())};
    for (std::size_t i = 0; i < rows; ++i) {
      core_.sample_into(seed, static_cast<std::uint64_t>(first) + i, sample, workspace);
      std::copy(sample.tokens.begin(), sample.tokens.end(), &result.tokens(i, 0));
      std::copy(sample.targets.begin(), sample.targets.end(), &result.targets(i, 0));
      std::copy(sample.keys.begin(), sample.keys.end(), &result.keys(i, 0));
    }
    return result;
  });
}

CopyTask::CopyTask(const CopyOptions& options) : Task(checked(options)) {}

ReverseTask::ReverseTask(const SequenceOptions& options)
    : Task(checked(TaskSampler::Reverse{options})) {}

SortTask::SortTask(const SequenceOptions& options) : Task(checked(TaskSampler::Sort{options})) {}

AssociativeRecallTask::AssociativeRecallTask(const AssociativeRecallOptions& options)
    : Task(checked(options)) {}

InductionTask::InductionTask(const InductionOptions& options) : Task(checked(options)) {}

}  // namespace headwise
