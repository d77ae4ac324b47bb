#pragma once

#include <cstddef>
#include <headwise/caller_memory.hpp>
#include <headwise/multi_head_attention.hpp>
#include <optional>

/// Results that layers return beside their outputs. Internal.
namespace headwise {

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
