#pragma once

#include <headwise/api/mask_inputs.hpp>
#include <headwise/caller_memory.hpp>
#include <headwise/core/attention/attention_types.hpp>
#include <optional>

namespace headwise {

/// The arguments of pooling functions as both languages give them.
struct PoolingInputs {
  InputTensor queries;
  InputTensor keys;
  InputTensor values;
  MaskInputs masks = {};
  double query_offset = 0;
  bool return_weights = false;
  WeightsStage weights_stage = WeightsStage::softmax;
  /// Of dot products. Default: 1/√d.
  std::optional<double> scale = {};
  double softcap = 0;
  /// Whether scores are additive, with the parameters W_q (hiddens, query size), W_k (hiddens, key
  /// size), w_v (1, hiddens).
  bool is_additive = false;
  InputTensor W_q = {};
  InputTensor W_k = {};
  InputTensor w_v = {};
};

/// `has_head_axis`: (batch, heads, length, size), rather than (batch, length, size) of one head.
void pool_inputs(const PoolingInputs& inputs, bool has_head_axis, ResultMemory& results);

}  // namespace headwise
