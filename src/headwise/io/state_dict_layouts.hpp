#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/attention/multi_head_attention.hpp>
#include <headwise/io/from_state_dict.hpp>
#include <headwise/io/outcome.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// Which layout a state dict has, and how a layer's parameters are made of it. Knows names and
/// shapes only, so that the numbers may lie wherever they lie.
namespace headwise::io {

/// One parameter of the layer: rows of a tensor of the dict.
struct ParameterPlan {
  std::string_view name;  ///< d2l's
  std::vector<std::uint64_t> shape;
  /// Index of the tensor in the dict; none for zeros.
  std::optional<std::size_t> source;
  std::size_t first_row = 0;
  /// Whether the tensor's columns are the rows.
  bool transposed = false;
};

struct StateDictPlan {
  MultiHeadAttentionOptions options;
  std::vector<ParameterPlan> parameters;
};

/// The failures are invalid-state-dict, and invalid-option where an option contradicts the dict.
[[nodiscard]] Outcome<StateDictPlan> plan_state_dict(std::span<const NamedShape> dict,
                                                     const FromStateDictOptions& options);

}  // namespace headwise::io
