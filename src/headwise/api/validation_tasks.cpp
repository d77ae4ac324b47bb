#include <array>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/tasks.hpp>
#include <limits>
#include <string>

namespace headwise::validation {
namespace {

void check_at_least_other(std::string_view argument, std::int64_t number, std::string_view other,
                          std::int64_t min) {
  check_size(argument, number);
  if (number < min) {
    fail(ErrorCode::invalid_option, argument, {"at least ", other, " (", min, ")"}, {number});
  }
}

/// Symbols and positions are stored in 32 bits.
void check_fits(std::string_view argument, std::string_view what, std::string_view unit,
                std::int64_t count) {
  if (count > std::numeric_limits<std::int32_t>::max()) {
    fail(ErrorCode::invalid_option, argument, {what, " of at most 2147483647 ", unit}, {count});
  }
}

void check_vocabulary(std::string_view argument, std::int64_t symbols) {
  check_fits(argument, "a vocabulary", "symbols", symbols);
}

void check_length(std::string_view argument, std::int64_t tokens) {
  check_fits(argument, "sequences", "tokens", tokens);
}

/// `name` names the positions in errors.
void check_positions(const TensorView<4>& weights, std::string_view name, const Tokens& positions) {
  check_shape(name, positions.shape(), std::array<Axis, 2>{weights.shape(0), weights.shape(2)});
}

}  // namespace

void check_at_least(std::string_view argument, std::int64_t number, std::int64_t min) {
  if (number < min) {
    fail(ErrorCode::invalid_option, argument, {"an integer from ", min, " on"}, {number});
  }
}

void check_distinct(std::string_view argument, std::int64_t symbols, std::string_view counted,
                    std::int64_t count) {
  check_at_least_other(argument, symbols, counted, count);
}

void check_task_options(const CopyOptions& options) {
  check_size("num_symbols", options.num_symbols);
  check_size("offset", options.offset);
  check_at_least_other("length", options.length, "offset + 1", options.offset + 1);
}

void check_task_options(const SequenceOptions& options) {
  check_size("num_symbols", options.num_symbols);
  check_size("num_items", options.num_items);
  check_vocabulary("num_symbols", options.num_symbols + 1);
  check_length("num_items", 2 * options.num_items);
}

void check_task_options(const AssociativeRecallOptions& options) {
  check_size("num_values", options.num_values);
  check_size("num_pairs", options.num_pairs);
  check_size("num_questions", options.num_questions);
  check_distinct("num_names", options.num_names, "num_pairs", options.num_pairs);
  check_vocabulary("num_values", options.num_names + options.num_values);
  check_length("num_pairs", 2 * options.num_pairs + options.num_questions);
}

void check_task_options(const InductionOptions& options) {
  check_size("min_period", options.min_period);
  check_at_least_other("max_period", options.max_period, "min_period", options.min_period);
  check_distinct("num_symbols", options.num_symbols, "max_period", options.max_period);
  check_at_least_other("length", options.length, "max_period + 1", options.max_period + 1);
}

void check_self_attention(const TensorView<4>& weights) {
  check_shape("attention_weights", weights.shape(),
              std::array<Axis, 4>{"batch", "heads", weights.shape(2), weights.shape(2)});
}

void check_tokens_of_weights(const TensorView<4>& weights, const Tokens& tokens) {
  check_positions(weights, "tokens", tokens);
  check_symbols("tokens", tokens, 0, std::numeric_limits<std::size_t>::max());
}

void check_keys(const TensorView<4>& weights, const Tokens& keys) {
  check_positions(weights, "keys", keys);
  check_symbols("keys", keys, ignored_target, weights.shape(3));
}

}  // namespace headwise::validation
