#include <algorithm>
#include <array>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/training/cross_entropy.hpp>
#include <limits>

namespace headwise::validation {
namespace {

/// Symbols and positions are stored in 32 bits.
void check_fits(std::string_view argument, std::string_view what, std::string_view unit,
                std::int64_t count) {
  if (count > std::numeric_limits<std::int32_t>::max()) {
    fail_option("#: expected # of at most 2147483647 #, got #", {argument, what, unit, count});
  }
}

/// Checks a size of at least `min`, which is that of `other`.
void check_at_least_other(std::string_view argument, std::int64_t number, std::string_view other,
                          std::int64_t min) {
  check_size(argument, number);
  if (number < min) {
    fail_option("#: expected at least # (#), got #", {argument, other, min, number});
  }
}

/// Checks attention weights, which must have these last two axes.
WeightsView check_weights(const InputTensor& weights, const Axis& queries, const Axis& keys) {
  const bool has_batch_axis = weights.shape.size() != 3;
  const std::array<Axis, 4> expected = {"batch", "heads", queries, keys};
  check_shape("attention_weights", weights.shape, std::span(expected).last(has_batch_axis ? 4 : 3));
  return {.weights = weights.data,
          .batch = has_batch_axis ? weights.shape.front() : 1,
          .num_heads = weights.shape.end()[-3],
          .num_queries = weights.length(),
          .num_keys = weights.size()};
}

/// Integers up to `max` for the queries of checked weights. `name` names them in errors.
std::vector<std::int32_t> check_positions(const InputTensor& weights, std::string_view name,
                                          const Input<double>& positions, std::int64_t min,
                                          std::int64_t max) {
  const std::array<Axis, 2> expected = {weights.shape.front(), weights.length()};
  check_shape(name, positions.shape, std::span(expected).last(weights.shape.size() - 2));
  // They are stored in 32 bits.
  check_between(name, positions, min,
                std::min<std::int64_t>(max, std::numeric_limits<std::int32_t>::max()));
  const std::span<const double> numbers = positions.numbers();
  return {numbers.begin(), numbers.end()};
}

}  // namespace

void check_at_least(std::string_view argument, std::int64_t number, std::int64_t min) {
  if (number < min) {
    fail_option("#: expected an integer from # on, got #", {argument, min, number});
  }
}

void check_task_options(const CopyOptions& options) {
  check_size("num_symbols", options.num_symbols);
  check_size("offset", options.offset);
  check_at_least_other("length", options.length, "offset + 1", options.offset + 1);
}

void check_task_options(const SequenceOptions& options) {
  check_size("num_symbols", options.num_symbols);
  check_size("num_items", options.num_items);
  check_fits("num_symbols", "a vocabulary", "symbols", options.num_symbols + 1);
  check_fits("num_items", "sequences", "tokens", 2 * options.num_items);
}

void check_task_options(const TaskSampler::Sort& options) {
  check_task_options(static_cast<const SequenceOptions&>(options));
  check_at_least_other("num_symbols", options.num_symbols, "num_items", options.num_items);
}

void check_task_options(const AssociativeRecallOptions& options) {
  check_size("num_values", options.num_values);
  check_size("num_pairs", options.num_pairs);
  check_size("num_questions", options.num_questions);
  check_at_least_other("num_names", options.num_names, "num_pairs", options.num_pairs);
  check_fits("num_values", "a vocabulary", "symbols", options.num_names + options.num_values);
  check_fits("num_pairs", "sequences", "tokens", 2 * options.num_pairs + options.num_questions);
}

void check_task_options(const InductionOptions& options) {
  check_size("min_period", options.min_period);
  check_at_least_other("max_period", options.max_period, "min_period", options.min_period);
  check_at_least_other("num_symbols", options.num_symbols, "max_period", options.max_period);
  check_at_least_other("length", options.length, "max_period + 1", options.max_period + 1);
}

WeightsView check_weights(const InputTensor& weights) {
  return check_weights(weights, "queries", "keys");
}

WeightsView check_self_attention(const InputTensor& weights) {
  const std::size_t length = weights.shape.size() < 2 ? 0 : weights.length();
  return check_weights(weights, length, length);
}

std::vector<std::int32_t> check_tokens_of_weights(const InputTensor& weights,
                                                  const Input<double>& tokens) {
  return check_positions(weights, "tokens", tokens, 0, std::numeric_limits<std::int64_t>::max());
}

std::vector<std::int32_t> check_keys(const InputTensor& weights, const Input<double>& keys) {
  return check_positions(weights, "keys", keys, ignored_target,
                         static_cast<std::int64_t>(weights.size()) - 1);
}

}  // namespace headwise::validation
