#include <array>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/heap_sort.hpp>
#include <headwise/head_importance.hpp>
#include <string>
#include <tuple>
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

HeadsByLayer check_least_important(const double* importance, std::span<const std::size_t> num_heads,
                                   double fraction, HeadMeasure measure, std::int64_t group_size) {
  if (!(fraction >= 0 && fraction <= 1)) {
    fail_option("fraction: expected a number from 0 to 1, got #", {fraction});
  }
  check_at_least("group_size", group_size, 1);
  const auto size = static_cast<std::size_t>(group_size);
  // The importance, the layer and the first head of each.
  std::vector<std::tuple<double, std::size_t, std::size_t>> groups;
  for (std::size_t layer = 0; layer < num_heads.size(); ++layer) {
    // A group size may exceed the sizes of WebAssembly.
    if (static_cast<std::int64_t>(num_heads[layer]) % group_size != 0) {
      fail_option("group_size: expected a divisor of the layer's heads (#), got #",
                  {num_heads[layer], group_size});
    }
    for (std::size_t head = 0; head < num_heads[layer]; ++head, ++importance) {
      if (!is_finite(*importance)) {
        fail_text(ErrorCode::invalid_value, "importance: expected finite numbers, got #",
                  {*importance});
      }
      if (head % size == 0) {
        groups.emplace_back(0, layer, head);
      }
      std::get<double>(groups.back()) +=
          measure == HeadMeasure::entropy ? -*importance : *importance;
    }
  }
  // Less than a rounding error of the product must not cost a head.
  const double wanted = fraction * static_cast<double>(groups.size());
  auto left = static_cast<std::size_t>(wanted * (1 + 1e-12));
  heap_sort(groups);
  HeadsByLayer removed(num_heads.size());
  for (const auto& [number, layer, first] : groups) {
    if (left > 0 && removed[layer].size() + size < num_heads[layer]) {
      --left;
      for (std::size_t head = first; head < first + size; ++head) {
        removed[layer].push_back(head);
      }
    }
  }
  for (std::vector<std::size_t>& heads : removed) {
    heap_sort(heads);
  }
  return removed;
}

void check_ignored_keys(Shape keys, Shape ignored) {
  // `forward` refuses keys with other axes.
  if (keys.size() == 2 || keys.size() == 3) {
    const std::size_t batch = keys.size() == 2 ? 1 : keys.front();
    check_shape("ignored_keys", ignored, std::array<Axis, 2>{batch, keys.end()[-2]});
  }
}

}  // namespace headwise::validation
