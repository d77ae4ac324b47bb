#pragma once

#include <cstdint>
#include <headwise/tensor.hpp>
#include <headwise/tokens.hpp>
#include <string_view>

namespace headwise {
struct AssociativeRecallOptions;
struct CopyOptions;
struct InductionOptions;
struct SequenceOptions;
}  // namespace headwise

/// The checks of the tasks' public functions, as in validation.hpp.
namespace headwise::validation {

void check_at_least(std::string_view argument, std::int64_t number, std::int64_t min);
/// At least `count` symbols, which are drawn without repetition. `counted` names the count.
void check_distinct(std::string_view argument, std::int64_t symbols, std::string_view counted,
                    std::int64_t count);
void check_task_options(const CopyOptions& options);
void check_task_options(const SequenceOptions& options);
void check_task_options(const AssociativeRecallOptions& options);
void check_task_options(const InductionOptions& options);

/// (batch, heads, length, length)
void check_self_attention(const TensorView<4>& weights);
/// Of weights (batch, heads, queries, keys).
void check_tokens_of_weights(const TensorView<4>& weights, const Tokens& tokens);
void check_keys(const TensorView<4>& weights, const Tokens& keys);

}  // namespace headwise::validation
