#pragma once

#include <cstdint>
#include <headwise/core/models/pretrained/config.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <string>
#include <string_view>
#include <vector>

/// Config fields that several families share: kinds of layers, windows and rotary positions.
namespace headwise {

/// Of each layer 1 if it is of the second of two kinds, else 0.
using LayerKinds = std::vector<std::uint8_t>;

void require_kinds(PretrainedConfig& config, std::string_view list, std::size_t count,
                   std::string_view of_layers, std::int64_t num_layers);

/// Appends which layers of a list are of the second kind.
void read_kinds(PretrainedConfig& config, std::string_view list, std::string_view first,
                std::string_view second, LayerKinds& kinds);

/// The layers whose attention slides, by `layer_types`; empty if the config does not list them.
[[nodiscard]] LayerKinds sliding_layers(PretrainedConfig& config, std::int64_t num_layers);

/// Whether the kinds of so many layers may be listed: tensors would have to exist for all of them.
[[nodiscard]] bool check_listed_layers(PretrainedConfig& config, std::string_view of_layers,
                                       std::int64_t num_layers);

/// Marks each layer for which is(layer) holds.
template <typename Function>
LayerKinds layers_that(PretrainedConfig& config, std::string_view of_layers,
                       std::int64_t num_layers, const Function& is) {
  LayerKinds layers;
  if (!check_listed_layers(config, of_layers, num_layers)) {
    return layers;
  }
  for (std::int64_t layer = 0; layer < num_layers; ++layer) {
    layers.push_back(is(layer) ? 1 : 0);
  }
  return layers;
}

/// Whether all layers are of one kind.
[[nodiscard]] bool is_uniform(const LayerKinds& kinds) noexcept;

/// Gives a window to these layers.
void set_windows(const LayerKinds& sliding, const Window& window, TransformerOptions& options);

/// A number in (least, 1e30].
[[nodiscard]] double number_above(PretrainedConfig& config, const std::string& name, double least,
                                  double otherwise);

/// What fields of rotary positions are called in the config itself.
struct RotaryFields {
  std::string_view base = "rope_theta";
  /// The share of each head's elements that are rotated.
  std::string_view share = "partial_rotary_factor";
  /// If it is 1, all are.
  double default_share = 1;
};

/// Reads the parameters of rotary positions where Transformers 5 looks for them: in `rope_scaling`,
/// if it is not empty, else in `rope_parameters`; what they lack is in the config itself. They may
/// hold an object for each kind of layers.
void read_rotary(PretrainedConfig& config, TransformerOptions& options,
                 const RotaryFields& fields = {});

}  // namespace headwise
