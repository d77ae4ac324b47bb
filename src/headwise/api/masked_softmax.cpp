#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/pooling_inputs.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/core/attention/masked_softmax.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/masked_softmax.hpp>

namespace headwise {

void softmax_samples(const MaskInputs& masks, const MaskSizes& sizes, std::size_t first,
                     std::size_t samples, float* scores) {
  validation::check_valid_lens(masks.valid_lens, sizes);
  const auto lay_out = [&](Arena& arena) { return MaskMemory(arena, masks, sizes.batch); };
  WorkingMemory memory([&](Arena& arena) { static_cast<void>(lay_out(arena)); });
  AttentionMask mask = lay_out(memory.arena()).mask(masks, sizes);
  mask.batch = samples;
  if (mask.valid_lens != nullptr) {
    mask.valid_lens += first * mask.valid_lens_sample_stride;
  }
  masked_softmax_into(mask, scores, parallel::num_threads());
}

Tensor<3> masked_softmax(const TensorView<3>& scores, const ValidLens& valid_lens,
                         const MaskedSoftmaxOptions& options) {
  const auto& [batch, num_queries, num_keys] = scores.shape();
  const MaskSizes sizes{
      .batch = batch, .num_heads = 1, .num_queries = num_queries, .num_keys = num_keys};
  return report_out_of_memory([&] {
    const IntegerInput given(valid_lens);
    MaskInputs masks;
    masks.valid_lens = given.input();
    masks.rules.empty_rows = options.empty_rows;
    auto weights = make_tensor<3>(scores.shape());
    std::ranges::copy(scores, weights.data());
    softmax_samples(masks, sizes, 0, sizes.batch, weights.data());
    return weights;
  });
}

}  // namespace headwise
