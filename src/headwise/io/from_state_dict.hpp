#pragma once

#include <cstdint>
#include <headwise/attention/multi_head_attention.hpp>
#include <headwise/attention/state_dict.hpp>
#include <optional>
#include <string>

namespace headwise {

/// The options of a layer that is made from a state dict. Those that the dict settles may be left
/// out; given, they must agree with it.
struct FromStateDictOptions {
  /// Number of heads, which no dict tells; divides `num_hiddens`.
  std::int64_t num_heads = 0;
  /// What stands before the layer's names in the dict, for example `encoder.layer.0.attention.`.
  std::string prefix = {};

  // Settled by the dict; see `MultiHeadAttentionOptions`.
  std::optional<std::int64_t> num_hiddens = {};
  std::optional<std::int64_t> query_size = {};
  std::optional<std::int64_t> key_size = {};
  std::optional<std::int64_t> value_size = {};
  std::optional<std::int64_t> output_size = {};
  std::optional<std::int64_t> num_kv_heads = {};
  std::optional<std::int64_t> attention_hiddens = {};
  std::optional<bool> bias = {};
  std::optional<bool> output_projection = {};
  std::optional<bool> bias_kv = {};
  std::optional<Pooling> pooling = {};
  std::optional<Projection> projection = {};

  // Not in any dict; see `MultiHeadAttentionOptions`.
  double dropout = 0;
  std::optional<double> scale = {};
  double softcap = 0;
  bool zero_attention = false;
  std::optional<std::uint64_t> seed = {};
};

/// A layer with the parameters of a state dict, whatever layout they have: that of
/// `MultiHeadAttention::state_dict`, which is d2l's; PyTorch's `nn.MultiheadAttention`
/// (`in_proj_weight`, or `q_proj_weight` and so on); BERT (`self.query`, `output.dense`); ViT
/// (`attention.query`, `output.dense`; since transformers 5 `q_proj`, `o_proj`; in timm `qkv`,
/// `proj`); GPT-2 (`c_attn`, `c_proj`, transposed). Sizes, bias, `num_kv_heads`, pooling and
/// projection are read from the dict. `attention.`, `attn.` or `self_attn.` may stand between
/// `prefix` and the names of all layouts but d2l's. Other names are not looked at.
///
/// Where only some projections have a bias, as in ViT without `qkv_bias`, the others get zeros.
///
/// Throws `Error`: invalid-state-dict that names the layouts known, or lists what is missing or of
/// the wrong shape; invalid-option for options outside their range or against the dict;
/// out-of-memory.
[[nodiscard]] MultiHeadAttention from_state_dict(const StateDict& state_dict,
                                                 const FromStateDictOptions& options);

}  // namespace headwise
