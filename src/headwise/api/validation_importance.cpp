#include <array>
#include <cmath>
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

void check_head_importance(const MeasuredHeads& heads, const HeadImportanceOptions& options) {
  const std::string_view measure = measure_name(options.measure);
  if (options.normalize && options.measure != HeadMeasure::gradient) {
    fail(ErrorCode::invalid_option, "normalize", {"measure 'gradient' beside it"}, {measure});
  }
  const auto check_is_there = [&](std::string_view argument, bool is_there) {
    if (!is_there) {
      fail(ErrorCode::invalid_option, argument, {"a function beside measure ", measure}, {"none"});
    }
  };
  if (options.measure == HeadMeasure::gradient) {
    check_is_there("gate_gradients", static_cast<bool>(heads.gate_gradients));
  } else if (options.measure == HeadMeasure::ablation) {
    check_is_there("loss", static_cast<bool>(heads.loss));
  } else {
    check_is_there("attention_weights", static_cast<bool>(heads.attention_weights));
  }
  if (heads.batch_sizes.empty()) {
    fail(ErrorCode::invalid_option, "batches", {"at least one"}, {"none"});
  }
}

void check_least_important(const std::vector<Tensor<1>>& importance,
                           const LeastImportantOptions& options) {
  if (!(options.fraction >= 0 && options.fraction <= 1)) {
    fail(ErrorCode::invalid_option, "fraction", {"a number from 0 to 1"}, {options.fraction});
  }
  for (const Tensor<1>& layer : importance) {
    if (options.group_size == 0 || layer.size() % options.group_size != 0) {
      fail(ErrorCode::invalid_option, "group_size",
           {"a divisor of the layer's heads (", layer.size(), ")"}, {options.group_size});
    }
    for (const float number : layer) {
      if (!std::isfinite(number)) {
        fail(ErrorCode::invalid_value, "importance", {"finite numbers"}, {number});
      }
    }
  }
}

void check_output_loss(const OutputLoss& loss, const HeadImportanceOptions& options) {
  if (options.measure == HeadMeasure::gradient && !loss.gradient) {
    fail(ErrorCode::invalid_option, "loss", {"its gradient beside measure 'gradient'"}, {"none"});
  }
  if (options.measure == HeadMeasure::ablation && !loss.value) {
    fail(ErrorCode::invalid_option, "loss", {"its value beside measure 'ablation'"}, {"none"});
  }
}

void check_ignored_keys(const HeadMeasureBatch& batch) {
  if (batch.ignored_keys) {
    check_shape("ignored_keys", batch.ignored_keys->shape(),
                std::array<Axis, 2>{batch.keys.shape(0), batch.keys.shape(1)});
  }
}

void check_model_importance(const Transformer& model, const HeadImportanceOptions& options,
                            Side side, const OutputLoss& loss) {
  check_model_in_use(model);
  if (model.attention_layers(side).empty()) {
    fail(ErrorCode::invalid_option, "side", {"'self' for a model without an encoder"},
         {side == Side::cross ? "'cross'" : "'encoder'"});
  }
  if (!model.settings().head || loss.value || loss.gradient) {
    check_output_loss(loss, options);
  }
}

}  // namespace headwise::validation
