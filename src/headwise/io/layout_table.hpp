#pragma once

#include <array>
#include <string_view>

namespace headwise::io {

/// Names of the four projections, in the order W_q, W_k, W_v, W_o. Where the first three have one
/// name, that tensor holds them one under the other.
using ProjectionNames = std::array<std::string_view, 4>;

/// How a system names and lays out a layer's parameters.
struct Layout {
  ProjectionNames weights;
  ProjectionNames biases;
  /// Whether weights are (in, out).
  bool transposed = false;
  /// Whether `bias_k` and `bias_v` may be there.
  bool has_bias_kv = false;
  /// Whether the first three or the last may lack a bias that the others have.
  bool bias_varies = false;
};

/// The layer's own layout is the first, d2l's: it alone says all that a layer can be. Sources: d2l,
/// chapter Multi-Head Attention; PyTorch, torch/nn/modules/activation.py; Hugging Face
/// transformers, modeling_bert.py, modeling_vit.py (before and since version 5) and
/// modeling_gpt2.py, whose Conv1D holds (in, out); timm, vision_transformer.py.
inline constexpr std::array<Layout, 8> layouts = {{
    {.weights = {"W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight"},
     .biases = {"W_q.bias", "W_k.bias", "W_v.bias", "W_o.bias"},
     .has_bias_kv = true},
    {.weights = {"in_proj_weight", "in_proj_weight", "in_proj_weight", "out_proj.weight"},
     .biases = {"in_proj_bias", "in_proj_bias", "in_proj_bias", "out_proj.bias"},
     .has_bias_kv = true},
    {.weights = {"q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"},
     .biases = {"in_proj_bias", "in_proj_bias", "in_proj_bias", "out_proj.bias"},
     .has_bias_kv = true},
    {.weights = {"self.query.weight", "self.key.weight", "self.value.weight",
                 "output.dense.weight"},
     .biases = {"self.query.bias", "self.key.bias", "self.value.bias", "output.dense.bias"}},
    {.weights = {"attention.query.weight", "attention.key.weight", "attention.value.weight",
                 "output.dense.weight"},
     .biases = {"attention.query.bias", "attention.key.bias", "attention.value.bias",
                "output.dense.bias"},
     .bias_varies = true},
    {.weights = {"q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight"},
     .biases = {"q_proj.bias", "k_proj.bias", "v_proj.bias", "o_proj.bias"},
     .bias_varies = true},
    {.weights = {"qkv.weight", "qkv.weight", "qkv.weight", "proj.weight"},
     .biases = {"qkv.bias", "qkv.bias", "qkv.bias", "proj.bias"},
     .bias_varies = true},
    {.weights = {"c_attn.weight", "c_attn.weight", "c_attn.weight", "c_proj.weight"},
     .biases = {"c_attn.bias", "c_attn.bias", "c_attn.bias", "c_proj.bias"},
     .transposed = true},
}};

/// What may stand before the names of all layouts but d2l's, where `attention.` is what additive
/// pooling holds.
inline constexpr std::array<std::string_view, 4> layer_names = {"", "attention.", "attn.",
                                                                "self_attn."};

/// For the error of a dict that has none of them.
inline constexpr const char* known_layouts =
    "names of d2l (W_q.weight), nn.MultiheadAttention (in_proj_weight or q_proj_weight), BERT "
    "(self.query.weight), ViT (attention.query.weight, q_proj.weight or qkv.weight) or GPT-2 "
    "(c_attn.weight) behind the prefix";

}  // namespace headwise::io
