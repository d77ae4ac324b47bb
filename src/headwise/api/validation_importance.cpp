#include <array>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/head_importance.hpp>
#include <string>
#include <vector>

namespace headwise::validation {
namespace {

std::string_view measure_name(HeadMeasure measure) {
  switch (measure) {
    case HeadMeasure::gradient:
      return "'gradient'";
    case HeadMeasure::ablation:
      return "'ablation'";
    case HeadMeasure::confidence:
      return "'confidence'";
    default:
      return "'entropy'";
  }
}

}  // namespace

void check_importance(const ImportanceInputs& inputs) {
  if (!inputs.has_layers) {
    fail_option("side: expected 'self' for a model without an encoder, got #",
                {inputs.side == Side::cross ? "'cross'" : "'encoder'"});
  }
  if (inputs.normalize && inputs.measure != HeadMeasure::gradient) {
    fail_option("normalize: expected measure 'gradient' beside it, got #",
                {measure_name(inputs.measure)});
  }
  if (inputs.needs_loss && inputs.measure == HeadMeasure::gradient && !inputs.has_gradient) {
    fail_option("loss: expected its gradient beside measure 'gradient', got none", {});
  }
  if (inputs.needs_loss && inputs.measure == HeadMeasure::ablation && !inputs.has_value) {
    fail_option("loss: expected its value beside measure 'ablation', got none", {});
  }
  if (inputs.num_batches == 0) {
    fail_option("batches: expected at least one, got none", {});
  }
}

void check_measured_heads(const MeasuredHeads& heads, const HeadImportanceOptions& options) {
  const auto check_is_there = [&](std::string_view argument, bool is_there) {
    if (!is_there) {
      fail_option("#: expected a function beside measure #, got none",
                  {argument, measure_name(options.measure)});
    }
  };
  if (options.measure == HeadMeasure::gradient) {
    check_is_there("gate_gradients", static_cast<bool>(heads.gate_gradients));
  } else if (options.measure == HeadMeasure::ablation) {
    check_is_there("loss", static_cast<bool>(heads.loss));
  } else {
    check_is_there("attention_weights", static_cast<bool>(heads.attention_weights));
  }
  check_importance({.measure = options.measure,
                    .normalize = options.normalize,
                    .num_batches = heads.batch_sizes.size()});
}

void check_ignored_keys(Shape keys, Shape ignored) {
  // `forward` refuses keys with other axes.
  if (keys.size() == 2 || keys.size() == 3) {
    const std::size_t batch = keys.size() == 2 ? 1 : keys.front();
    check_shape("ignored_keys", ignored, std::array<Axis, 2>{batch, keys.end()[-2]});
  }
}

}  // namespace headwise::validation
