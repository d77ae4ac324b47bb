#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/mask_options.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/core/attention/masked_softmax.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/masked_softmax.hpp>

namespace headwise {

Tensor<3> masked_softmax(const TensorView<3>& scores, const ValidLens& valid_lens,
                         const MaskedSoftmaxOptions& options) {
  const MaskSizes sizes{.batch = scores.shape(0),
                        .num_heads = 1,
                        .num_queries = scores.shape(1),
                        .num_keys = scores.shape(2)};
  return report_out_of_memory([&] {
    validation::check_valid_lens(valid_lens, sizes);
    const MaskStorage masks({.valid_lens = valid_lens,
                             .mask = {},
                             .key_mask = {},
                             .window = {},
                             .empty_rows = options.empty_rows},
                            sizes);
    auto weights = make_tensor<3>({scores.shape(0), scores.shape(1), scores.shape(2)});
    std::copy_n(scores.data(), scores.size(), weights.data());
    masked_softmax_into(masks.mask(), weights.data(), parallel::num_threads());
    return weights;
  });
}

}  // namespace headwise
