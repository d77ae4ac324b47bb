#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/working_memory.hpp>
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
    MaskInputs masks;
    const IntegerInput given(valid_lens);
    masks.valid_lens = given.input();
    masks.rules.empty_rows = options.empty_rows;
    validation::check_valid_lens(masks.valid_lens, sizes);
    WorkingMemory memory(
        [&](Arena& arena) { static_cast<void>(MaskMemory(arena, masks, sizes.batch)); });
    const AttentionMask mask = MaskMemory(memory.arena(), masks, sizes.batch).mask(masks, sizes);
    auto weights = make_tensor<3>({scores.shape(0), scores.shape(1), scores.shape(2)});
    std::copy_n(scores.data(), scores.size(), weights.data());
    masked_softmax_into(mask, weights.data(), parallel::num_threads());
    return weights;
  });
}

}  // namespace headwise
