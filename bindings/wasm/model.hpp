#pragma once

#include <algorithm>
#include <headwise/core/models/transformer_core.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <utility>
#include <vector>

namespace headwise::bindings {

/// A model with its layers and other parameters. Its core points to them, so it must not move.
struct Model {
  ModelParameters parameters;
  std::vector<AttentionLayer> layers;
  TransformerCore core;

  Model(const AttentionOnlyTransformerOptions& options, std::uint64_t seed)
      : parameters(sizes_of(options), seed),
        layers(make_layers(options, seed)),
        core(options.causal, parameters, pointers_to(layers)) {}

 private:
  static std::vector<AttentionLayer> make_layers(const AttentionOnlyTransformerOptions& options,
                                                 std::uint64_t seed) {
    const std::vector<MultiHeadAttentionOptions> of_layers = layer_options_of(options, seed);
    return {of_layers.begin(), of_layers.end()};
  }
  static std::vector<AttentionLayer*> pointers_to(std::vector<AttentionLayer>& layers) {
    std::vector<AttentionLayer*> pointers(layers.size());
    std::ranges::transform(layers, pointers.begin(), [](AttentionLayer& layer) { return &layer; });
    return pointers;
  }
};

}  // namespace headwise::bindings
