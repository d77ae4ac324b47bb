#include <headwise/core/models/repeated_pass.hpp>

namespace headwise {

template <typename Number>
void RepeatedPass::repeat(const Number*& array, std::size_t size, std::size_t copies,
                          std::vector<Number>& into) {
  if (array == nullptr) {
    return;
  }
  // One more, because the address of an empty array may be null, which means none.
  into.reserve(size * copies + 1);
  for (std::size_t copy = 0; copy < copies; ++copy) {
    into.insert(into.end(), array, array + size);
  }
  array = into.data();
}

RepeatedPass::RepeatedPass(const TransformerPass& given, std::size_t copies,
                           std::size_t num_hiddens)
    : pass_(given) {
  const std::size_t batch = given.batch;
  pass_.batch = batch * copies;
  pass_.probe = {};
  repeat(pass_.stream, batch * given.length * num_hiddens, copies, stream_);
  repeat(pass_.tokens, batch * given.length, copies, integers_[0]);
  if (given.valid_lens_sample_stride > 0) {
    repeat(pass_.valid_lens, batch * given.valid_lens_sample_stride, copies, integers_[1]);
  }
  repeat(pass_.source, batch * given.source_length, copies, integers_[2]);
  repeat(pass_.source_valid_lens, batch, copies, integers_[3]);
  repeat(pass_.key_mask.ranges, batch, copies, ranges_[0]);
  repeat(pass_.key_mask.each, batch * given.length, copies, masks_[0]);
  repeat(pass_.source_key_mask.ranges, batch, copies, ranges_[1]);
  repeat(pass_.source_key_mask.each, batch * given.source_length, copies, masks_[1]);
  gates_.reserve(given.layers.size() + given.cross_layers.size() + given.encoder_layers.size());
  repeat_gates(pass_.layers, batch, copies, layers_[0]);
  repeat_gates(pass_.cross_layers, batch, copies, layers_[1]);
  repeat_gates(pass_.encoder_layers, batch, copies, layers_[2]);
}

void RepeatedPass::repeat_gates(std::span<const AttentionPass>& layers, std::size_t batch,
                                std::size_t copies, std::vector<AttentionPass>& into) {
  into.assign(layers.begin(), layers.end());
  for (AttentionPass& layer : into) {
    layer.attention_weights = nullptr;
    if (layer.gate_stride > 0) {
      repeat(layer.head_gate, batch * layer.gate_stride, copies, gates_.emplace_back());
    }
  }
  layers = into;
}

}  // namespace headwise
