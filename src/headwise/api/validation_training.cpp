#include <algorithm>
#include <headwise/api/validation_text.hpp>
#include <headwise/api/validation_training.hpp>
#include <limits>

namespace headwise::validation {

void check_trainables(const std::vector<Trainable*>& trainables) {
  if (trainables.empty()) {
    fail_option("trainables: expected at least one layer or model, got none", {});
  }
  for (auto trainable = trainables.begin(); trainable != trainables.end(); ++trainable) {
    if (*trainable == nullptr) {
      fail_option("trainables: expected layers and models, got null", {});
    }
    if (std::find(trainables.begin(), trainable, *trainable) != trainable) {
      fail_option("trainables: expected each of them once, got one twice", {});
    }
  }
}

void check_can_be_trained(const UncheckedOptimizer& optimizer) {
  const std::string_view precision = optimizer.weights_precision();
  if (precision != "float32") {
    fail_option("weights: expected 'float32' in what is trained, got \"#\"", {precision});
  }
}

void check_trains(const UncheckedOptimizer& optimizer, std::span<Trainable* const> trainables) {
  if (!optimizer.trains_only(trainables)) {
    fail_option(
        "optimizer: expected one that trains this model or layers of it alone, "
        "got one that trains others",
        {});
  }
}

void check_symbol_list(std::string_view argument, std::span<const std::int64_t> symbols,
                       std::int64_t first, std::size_t end) {
  constexpr std::int64_t max_symbol = std::numeric_limits<std::int32_t>::max();
  const std::int64_t last =
      end <= static_cast<std::size_t>(max_symbol) ? static_cast<std::int64_t>(end) - 1 : max_symbol;
  for (const std::int64_t symbol : symbols) {
    if (symbol < first || symbol > last) {
      fail_text(ErrorCode::invalid_value, "#: expected integers from # to #, got #",
                {argument, first, last, symbol});
    }
  }
}

void check_symbols(std::string_view argument, const Tokens& symbols, std::int64_t first,
                   std::size_t end) {
  check_symbol_list(argument, {symbols.data(), symbols.size()}, first, end);
}

void check_targets(const Tokens& targets, std::size_t vocabulary_size) {
  check_symbols("targets", targets, ignored_target, vocabulary_size);
}

void check_cross_entropy(std::span<const std::size_t> logits, const Tokens& targets) {
  check_shape("targets", targets.shape(), std::array<Axis, 2>{logits[0], logits[1]});
  check_targets(targets, logits[2]);
}

}  // namespace headwise::validation
