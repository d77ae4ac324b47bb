#include <algorithm>
#include <cstring>
#include <headwise/core/models/repeated_pass.hpp>

namespace headwise {

void RepeatedPass::repeat_bytes(const void*& bytes, std::size_t size) {
  if (bytes == nullptr || size == 0) {
    return;
  }
  AlignedFloats& memory = memory_[num_arrays_++];
  memory = AlignedFloats((copies_ * size + sizeof(float) - 1) / sizeof(float));
  auto* const to = reinterpret_cast<std::byte*>(memory.data());
  for (std::size_t copy = 0; copy < copies_; ++copy) {
    std::memcpy(to + copy * size, bytes, size);
  }
  bytes = to;
}

RepeatedPass::RepeatedPass(const TransformerPass& given, std::size_t copies,
                           std::size_t num_hiddens)
    : pass_(given),
      copies_(copies),
      layers_(given.layers.size() + given.cross_layers.size() + given.encoder_layers.size()),
      memory_(9 + layers_.size()) {
  const std::size_t batch = given.batch;
  pass_.batch = batch * copies;
  pass_.probe = {};
  repeat(pass_.stream, batch * given.length * num_hiddens);
  repeat(pass_.tokens, batch * given.length);
  repeat(pass_.valid_lens, batch * given.valid_lens_sample_stride);
  repeat(pass_.source, batch * given.source_length);
  repeat(pass_.source_valid_lens, batch);
  repeat(pass_.key_mask.ranges, batch);
  repeat(pass_.key_mask.each, batch * given.length);
  repeat(pass_.source_key_mask.ranges, batch);
  repeat(pass_.source_key_mask.each, batch * given.source_length);
  AttentionPass* next = layers_.data();
  for (auto* layers : {&pass_.layers, &pass_.cross_layers, &pass_.encoder_layers}) {
    AttentionPass* const first = next;
    for (const AttentionPass& layer : *layers) {
      next->gate_stride = layer.gate_stride;
      next->head_gate = layer.head_gate;
      repeat(next->head_gate, batch * layer.gate_stride);
      ++next;
    }
    *layers = {first, layers->size()};
  }
}

}  // namespace headwise
