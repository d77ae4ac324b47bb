#pragma once

#include <cstdint>
#include <headwise/caller_memory.hpp>
#include <headwise/core/analysis/pattern_scores.hpp>
#include <headwise/core/tasks/task_sampler.hpp>
#include <string_view>
#include <vector>

/// The checks of the tasks' public functions, as in validation.hpp.
namespace headwise::validation {

void check_at_least(std::string_view argument, std::int64_t number, std::int64_t min);
void check_task_options(const CopyOptions& options);
void check_task_options(const SequenceOptions& options);
void check_task_options(const TaskSampler::Sort& options);
void check_task_options(const AssociativeRecallOptions& options);
void check_task_options(const InductionOptions& options);

/// Attention weights (batch, heads, queries, keys), or (heads, queries, keys) of one sample.
WeightsView check_weights(const InputTensor& weights);
/// The same of as many keys as queries.
WeightsView check_self_attention(const InputTensor& weights);
/// Tokens of the queries of checked weights, as they are stored.
std::vector<std::int32_t> check_tokens_of_weights(const InputTensor& weights,
                                                  const Input<double>& tokens);
/// The same for their correct keys.
std::vector<std::int32_t> check_keys(const InputTensor& weights, const Input<double>& keys);

}  // namespace headwise::validation
