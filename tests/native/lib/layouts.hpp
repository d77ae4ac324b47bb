#pragma once

#include <array>
#include <headwise/headwise.hpp>
#include <string>

/// State dicts as other systems name and lay them out, made from d2l's: each function takes what
/// `MultiHeadAttention::state_dict` gives.
namespace headwise::test {

/// Random numbers in every parameter of a layer with these options.
StateDict random_parameters(const MultiHeadAttentionOptions& options);

/// Weights and biases of W_q, W_k, W_v and W_o under these names; those of one name are one tensor.
StateDict named(const StateDict& d2l, const std::array<std::string, 4>& names);

/// nn.MultiheadAttention, with one weight for queries, keys and values.
StateDict torch_packed(const StateDict& d2l);

/// nn.MultiheadAttention with kdim and vdim.
StateDict torch_separate(const StateDict& d2l);

/// BERT, with the norm that its module holds.
StateDict bert(const StateDict& d2l);

/// GPT-2, with the buffers of its causal mask.
StateDict gpt2(const StateDict& d2l);

/// minGPT and nanoGPT: GPT-2's names, not transposed, with the causal mask.
StateDict min_gpt(const StateDict& d2l);

/// The dict with `prefix` before every name.
StateDict with_prefix(const StateDict& dict, const std::string& prefix);

}  // namespace headwise::test
