#include <algorithm>
#include <headwise/attention/mask_options.hpp>
#include <headwise/attention/masked_softmax.hpp>
#include <headwise/attention/validation.hpp>
#include <headwise/kernels/dispatch.hpp>

namespace headwise {

void masked_softmax_into(const AttentionMask& mask, float* weights) noexcept {
  for (std::size_t sample = 0; sample < mask.batch; ++sample) {
    for (std::size_t query = 0; query < mask.num_queries; ++query, weights += mask.num_keys) {
      const KeyRange keys = mask.range(sample, query);
      if (keys.size() == 0) {
        const bool uniform = mask.empty_rows == EmptyRows::uniform;
        std::fill_n(weights, mask.num_keys,
                    uniform ? 1.0F / static_cast<float>(mask.num_keys) : 0.0F);
        continue;
      }
      // Lengths alone leave keys from the first one on.
      kernels::softmax(weights, keys.end);
      std::fill(weights + keys.end, weights + mask.num_keys, 0.0F);
    }
  }
}

Tensor<3> masked_softmax(const Tensor<3>& scores, const ValidLens& valid_lens,
                         const MaskedSoftmaxOptions& options) {
  const MaskSizes sizes{.batch = scores.shape(0),
                        .num_heads = 1,
                        .num_queries = scores.shape(1),
                        .num_keys = scores.shape(2)};
  validation::check_valid_lens(valid_lens, sizes);
  return report_out_of_memory([&] {
    const MaskStorage masks(
        {.valid_lens = valid_lens, .mask = {}, .window = {}, .empty_rows = options.empty_rows},
        sizes);
    Tensor<3> weights = scores;
    masked_softmax_into(masks.mask(), weights.data());
    return weights;
  });
}

}  // namespace headwise
