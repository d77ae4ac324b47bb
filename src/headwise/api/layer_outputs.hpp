#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/multi_head_attention.hpp>
#include <vector>

/// Results that layers or models return beside their outputs. Internal.
namespace headwise {

/// The rows of the weights that are returned, and what `rows` points to.
struct ChosenRows {
  /// The indices were checked.
  ChosenRows(const ReturnedWeights& chosen, std::size_t num_heads, std::size_t num_queries);
  ChosenRows(const ChosenRows&) = delete;
  ChosenRows(ChosenRows&&) = default;
  ChosenRows& operator=(const ChosenRows&) = delete;
  ChosenRows& operator=(ChosenRows&&) = default;
  ~ChosenRows() = default;

  std::vector<std::int32_t> head_places;
  std::vector<std::int32_t> query_places;
  WeightRows rows;
};

/// The member of this name.
template <std::size_t Rank>
[[nodiscard]] std::optional<Tensor<Rank + 1>>& captured_tensor(CapturedTensors<Rank>& captured,
                                                               ResultName name) noexcept {
  return name == ResultName::captured_queries  ? captured.queries
         : name == ResultName::captured_keys   ? captured.keys
         : name == ResultName::captured_values ? captured.values
         : name == ResultName::captured_scores ? captured.scores
         : name == ResultName::captured_pooled ? captured.pooled
                                               : captured.dropped_weights;
}

}  // namespace headwise
