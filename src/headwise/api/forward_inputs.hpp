#pragma once

#include <headwise/api/mask_inputs.hpp>
#include <headwise/caller_memory.hpp>
#include <headwise/multi_head_attention.hpp>

namespace headwise {

/// The arguments of `MultiHeadAttention::forward` as both languages give them. Integers are
/// doubles, as in JavaScript, which writes the members as words: see bindings/records/table.mjs.
struct ForwardInputs {
  InputTensor queries;
  /// Both or none.
  InputTensor keys;
  InputTensor values;
  MaskInputs masks;
  Input<float> head_gate;
  Input<double> positions;
  bool requires_grad = false;
  KeyValueCache* cache = nullptr;
  bool return_weights = false;
  /// The heads and queries whose weights are returned. Default: all.
  Input<double> weight_heads;
  Input<double> weight_queries;
  bool key_mass = false;
  WeightsStage weights_stage = WeightsStage::softmax;
  Capture capture;
};

}  // namespace headwise
