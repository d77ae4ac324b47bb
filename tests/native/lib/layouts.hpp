#pragma once

#include <headwise/headwise.hpp>
#include <string>

/// State dicts as other systems name and lay them out, made from d2l's: each function takes what
/// `MultiHeadAttention::state_dict` gives.
namespace headwise::test {

/// Random numbers in every parameter of a layer with these options.
StateDict random_parameters(const MultiHeadAttentionOptions& options);

/// nn.MultiheadAttention, with one weight for queries, keys and values.
StateDict torch_packed(const StateDict& d2l);

/// nn.MultiheadAttention with kdim and vdim.
StateDict torch_separate(const StateDict& d2l);

/// BERT, with the norm that its module holds.
StateDict bert(const StateDict& d2l);

/// The older ViT of Transformers.
StateDict vit_old(const StateDict& d2l);

/// The newer models of Transformers; `output` is what they call W_o.
StateDict vit_new(const StateDict& d2l, const std::string& output = "o_proj");

/// timm's ViT.
StateDict timm(const StateDict& d2l);

/// GPT-2, with the buffers of its causal mask.
StateDict gpt2(const StateDict& d2l);

/// minGPT and nanoGPT: GPT-2's names, not transposed, with the causal mask.
StateDict min_gpt(const StateDict& d2l);

/// What modules keep beside their parameters.
StateDict buffers();

/// The dict with `prefix` before every name.
StateDict with_prefix(const StateDict& dict, const std::string& prefix);

}  // namespace headwise::test
