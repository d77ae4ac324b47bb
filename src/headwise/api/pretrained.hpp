#pragma once

#include <cstddef>
#include <headwise/core/models/pretrained/layout.hpp>
#include <headwise/core/models/pretrained/pretrained_parameters.hpp>
#include <headwise/state_dict.hpp>
#include <headwise/transformer.hpp>
#include <string>
#include <vector>

/// Models and the checkpoints that they were read from. Internal to `Transformer`.
namespace headwise {

/// A parameter of the model that a checkpoint was read into, as it was before heads were removed.
struct PretrainedShape {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t head_size;  ///< of its layer; 0 for the model's own

  friend bool operator==(const PretrainedShape&, const PretrainedShape&) = default;
};

struct PretrainedCheckpoint {
  PretrainedLayout layout;
  std::vector<PretrainedShape> shapes;  ///< by the numbers that the layout has for the parameters
  std::string config;                   ///< the text of its `config.json`
};

/// The model's parameters as the checkpoint's tensors; those that repeat the embedding have no
/// gradients. Throws invalid-option without a checkpoint, and for a model whose layers were
/// replaced by others.
[[nodiscard]] StateDict pretrained_tensors(const Transformer& model,
                                           const PretrainedCheckpoint* checkpoint,
                                           PretrainedParameters::Kind kind);

}  // namespace headwise
