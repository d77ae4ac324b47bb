#pragma once

#include <cstddef>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/models/pretrained/config.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <span>
#include <string>
#include <string_view>

/// The families of checkpoints that are read: what their configs mean, and what they call the
/// parameters. Source: Hugging Face Transformers, the models of these names; nanoGPT; minGPT.
namespace headwise {

class PretrainedNames;

/// Lists are texts of words with one space between.
struct PretrainedFamily {
  /// Pairs: a parameter's name in `state_dict`, `#` standing for a layer's number, or the beginning
  /// of all names that begin with it, if it ends in a dot; and what the checkpoint has in its
  /// place, without optional prefixes. A tensor of several parameters has them stacked along the
  /// rows, in the order of `state_dict`.
  std::string_view names;
  /// Prefixes that a name may have, whether others have them or not.
  std::string_view prefixes;
  /// Beginnings of names that are poolers, task heads or fixed tables, and are not read.
  std::string_view ignored;
  /// Other names of the token embedding, which is one for both sides.
  std::string_view input_embeddings;
  /// Names of unembeddings. One that is tied may hold the embedding in its place.
  std::string_view heads;
  /// A bias of the logits, which is 0 where the tensor is missing.
  std::string_view logits_bias;
  TransformerOptions (*options)(PretrainedConfig& config);
  /// Whether the weights of linear maps are (in, out).
  bool transposed = false;
  /// Whether a tensor of queries, keys and values has them head by head.
  bool by_head = false;
  /// What is added to the weights of norms when they are read.
  float norm_offset = 0;
};

/// The family of the config's `model_type`; null, and a problem of the config, if it is not known.
[[nodiscard]] const PretrainedFamily* find_family(PretrainedConfig& config);

/// The family as its tensors and fields show it: GPT-2's linear maps are (in, out), nanoGPT's and
/// minGPT's of the same names (out, in); vision transformers have older or newer names.
[[nodiscard]] const PretrainedFamily* with_layout_of(const PretrainedFamily* family,
                                                     const PretrainedConfig& config,
                                                     const PretrainedNames& names,
                                                     std::span<const io::NamedTensor> tensors);

}  // namespace headwise
