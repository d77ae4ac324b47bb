#pragma once

#include <headwise/api/mask_inputs.hpp>
#include <headwise/caller_memory.hpp>
#include <headwise/core/attention/attention_types.hpp>

namespace headwise {

/// The arguments of pooling functions as both languages give them. JavaScript writes the members as
/// words: see bindings/records/table.mjs.
struct PoolingInputs {
  double query_offset = 0;
  /// Of dot products. Default: 1/√d.
  double scale = 0;
  double softcap = 0;
  bool has_scale = false;
  InputTensor queries = {};
  InputTensor keys = {};
  InputTensor values = {};
  MaskInputs masks = {};
  bool return_weights = false;
  WeightsStage weights_stage = WeightsStage::softmax;
  /// Whether scores are additive, with the parameters W_q (hiddens, query size), W_k (hiddens, key
  /// size), w_v (1, hiddens).
  bool is_additive = false;
  InputTensor W_q = {};
  InputTensor W_k = {};
  InputTensor w_v = {};
};

/// `has_head_axis`: (batch, heads, length, size), rather than (batch, length, size) of one head.
void pool_inputs(const PoolingInputs& inputs, bool has_head_axis, ResultMemory& results);

/// `masked_softmax` of both languages, in place. `scores` (samples, queries, keys) holds the scores
/// of `samples` samples of the batch, from sample `first` on. Uses only the valid lengths and the
/// rules of `masks`, and checks the lengths.
void softmax_samples(const MaskInputs& masks, const MaskSizes& sizes, std::size_t first,
                     std::size_t samples, float* scores);

}  // namespace headwise
