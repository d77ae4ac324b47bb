#pragma once

#include <algorithm>
#include <headwise/core/models/pretrained/layout.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <headwise/core/models/unchecked_transformer.hpp>
#include <headwise/multi_head_attention.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record.hpp"

namespace headwise::bindings {

struct Model;

/// The parameters of a model and of its layers, in the order of `state_dict`. Valid until heads are
/// removed.
class ParameterList {
 public:
  /// `whole`: with the shapes that the parameters had before heads were removed.
  explicit ParameterList(Model& model, bool whole = false);

  struct Parameter {
    std::string name;
    std::vector<std::size_t> shape;
    StoredParameters* stored;
    std::size_t index;                      ///< in `stored`
    float* gradient;                        ///< null if there is none yet
    const AttentionLayer* layer = nullptr;  ///< null for the model's own
    const ParameterTable::Entry* entry = nullptr;
  };
  [[nodiscard]] const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::span<const io::NamedTensor> tensors() const noexcept { return tensors_; }

 private:
  std::vector<Parameter> parameters_;
  std::vector<io::NamedTensor> tensors_;  ///< of the same
};

/// A model with its layers and other parameters. Its core points to them, so it must not move.
struct Model {
  ModelParameters parameters;
  std::vector<MultiHeadAttention> self;
  std::vector<MultiHeadAttention> cross;
  std::vector<MultiHeadAttention> encoder;
  UncheckedTransformer core;
  /// Of the checkpoint that it was read from; without tensors for none.
  PretrainedLayout pretrained = {};
  /// While its tensors are loaded or saved, one call each.
  std::optional<ParameterList> pretrained_parameters = {};

  /// The options have a seed.
  explicit Model(const TransformerOptions& options)
      // What does not fit the address space fails before anything of it is allocated.
      : Model(options, settings_of(options)) {}

  /// Without the tie to a checkpoint.
  Model(const Model& other)
      : parameters(other.parameters),
        self(other.self),
        cross(other.cross),
        encoder(other.encoder),
        core(make_core()) {}
  Model(Model&&) = delete;
  Model& operator=(const Model&) = delete;
  Model& operator=(Model&&) = delete;
  ~Model() = default;

  [[nodiscard]] std::vector<MultiHeadAttention>& layers(Side side) noexcept {
    return side == Side::self ? self : side == Side::cross ? cross : encoder;
  }

 private:
  Model(const TransformerOptions& options, const TransformerSettings& settings)
      : parameters(settings),
        self(make_layers(options, Side::self, settings.seed)),
        cross(make_layers(options, Side::cross, settings.seed)),
        encoder(make_layers(options, Side::encoder, settings.seed)),
        core(make_core()) {}

  [[nodiscard]] UncheckedTransformer make_core() {
    return {
        parameters,
        {.self = pointers_to(self), .cross = pointers_to(cross), .encoder = pointers_to(encoder)}};
  }

  static std::vector<MultiHeadAttention> make_layers(const TransformerOptions& options, Side side,
                                                     std::uint64_t seed) {
    const std::vector<MultiHeadAttentionOptions> layers = layer_options_of(options, side, seed);
    return {layers.begin(), layers.end()};
  }

  static std::vector<AttentionLayer*> pointers_to(std::vector<MultiHeadAttention>& layers) {
    std::vector<AttentionLayer*> pointers(layers.size());
    std::ranges::transform(layers, pointers.begin(),
                           [](MultiHeadAttention& layer) { return &layer; });
    return pointers;
  }
};

inline Model& model_at(Address model) noexcept { return *at<Model>(model); }

}  // namespace headwise::bindings
