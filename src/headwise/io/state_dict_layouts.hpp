#pragma once

#include <array>
#include <cstddef>
#include <headwise/attention/layer_parameters.hpp>
#include <headwise/io/failure.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <span>
#include <string_view>

/// Which layout a state dict has, and how a layer's parameters are made of it. Knows names and
/// shapes only, so that the numbers may lie wherever they lie.
namespace headwise::io {

/// One parameter of the layer: rows of a tensor of the dict.
struct PlannedParameter {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr std::size_t zeros = none - 1;

  std::size_t source = none;  ///< the tensor's index; `zeros`; `none` if the layer has it not
  std::size_t first_row = 0;
  std::size_t rows = 0;
  bool transposed = false;  ///< whether the tensor's columns are the rows
};

/// The options that the dict settles, 0 for sizes that it does not, and the parameters by number.
/// Shapes that do not fit each other are not looked for: loading the parameters finds them.
struct StateDictPlan {
  std::size_t num_hiddens = 0;
  std::size_t output_size = 0;
  std::size_t num_kv_heads = 0;
  std::size_t attention_hiddens = 0;
  bool output_projection = false;
  bool bias = false;
  bool bias_kv = false;
  Pooling pooling = Pooling::dot_product;
  Projection projection = Projection::none;
  std::array<PlannedParameter, LayerParameters::names.size()> parameters;
  TextWriter missing;  ///< what the failure says of it
};

struct StateDictQuestion {
  std::span<const NamedShape> dict;
  std::string_view prefix;
  std::size_t num_heads;
  /// Whether no layout at all may be that of a layer without parameters.
  bool may_be_empty;
};

[[nodiscard]] Failure plan_state_dict(const StateDictQuestion& question, StateDictPlan& plan);

}  // namespace headwise::io
