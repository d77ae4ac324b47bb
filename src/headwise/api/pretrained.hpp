#pragma once

#include <headwise/core/models/pretrained/layout.hpp>
#include <headwise/state_dict.hpp>
#include <headwise/transformer.hpp>
#include <string>

/// Models and the checkpoints that they were read from. Internal to `Transformer`.
namespace headwise {

struct PretrainedCheckpoint {
  PretrainedLayout layout;
  std::string config;  ///< the text of its `config.json`
};

/// The tensors of a checkpoint's layout from those of `state_dict`, or from its gradients. `copies`
/// says whether tensors that repeat the embedding are among them. Throws invalid-option without a
/// checkpoint.
[[nodiscard]] StateDict with_pretrained_names(const Transformer& model,
                                              const PretrainedCheckpoint* checkpoint,
                                              const StateDict& tensors, bool copies);

/// The same of the whole model, with zeros for removed heads.
[[nodiscard]] StateDict with_zeroed_heads(const Transformer& model,
                                          const PretrainedCheckpoint& checkpoint,
                                          const StateDict& tensors);

}  // namespace headwise
