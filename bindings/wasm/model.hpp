#pragma once

#include <headwise/core/models/pretrained/layout.hpp>
#include <headwise/core/models/pretrained/pretrained_parameters.hpp>
#include <headwise/transformer.hpp>
#include <optional>

#include "record.hpp"

namespace headwise::bindings {

/// A model, and its tie to a checkpoint, which copies do not have.
struct Model {
  Transformer transformer;
  /// Of the checkpoint that it was read from; without tensors for none.
  PretrainedLayout pretrained = {};
  /// While its tensors are loaded or saved, one call each.
  std::optional<PretrainedParameters> pretrained_parameters = {};

  /// The options have a seed.
  explicit Model(const TransformerOptions& options,
                 InitialParameters initial = InitialParameters::random)
      : transformer(options, initial) {}
  Model(const Model& other) : transformer(other.transformer.copy()) {}
  Model(Model&&) = delete;
  Model& operator=(const Model&) = delete;
  Model& operator=(Model&&) = delete;
  ~Model() = default;
};

inline Model& model_at(Address model) noexcept { return *at<Model>(model); }
inline Transformer& transformer_at(Address model) noexcept { return model_at(model).transformer; }

}  // namespace headwise::bindings
