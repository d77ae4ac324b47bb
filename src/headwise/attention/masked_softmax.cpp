#include <algorithm>
#include <headwise/attention/masked_softmax.hpp>
#include <headwise/attention/validation.hpp>
#include <headwise/kernels/softmax.hpp>

namespace headwise {

void softmax_over_row(float* scores, KeyRange covered, const QueryRow& row, float scale) noexcept {
  const std::size_t first = row.keys.size() > 0 ? row.keys.begin - covered.begin : 0;
  const std::size_t last = first + row.keys.size();
  if (row.uniform) {
    std::fill(scores + first, scores + last, 1.0F / static_cast<float>(row.keys.size()));
  } else if (first < last) {
    kernels::softmax(scores + first, last - first, scale);
  }
  std::fill(scores, scores + first, 0.0F);
  std::fill(scores + last, scores + covered.size(), 0.0F);
}

void masked_softmax_into(const KeyRanges& ranges, float* weights) noexcept {
  const KeyRange all{.begin = 0, .end = ranges.num_keys()};
  for (std::size_t sample = 0; sample < ranges.batch(); ++sample) {
    for (std::size_t query = 0; query < ranges.num_queries(); ++query) {
      softmax_over_row(weights, all, ranges.row(sample, query), 1.0F);
      weights += all.size();
    }
  }
}

Tensor<3> masked_softmax(const Tensor<3>& scores, const ValidLens& valid_lens,
                         const MaskedSoftmaxOptions& options) {
  validation::check_valid_lens(valid_lens, scores.shape(0), scores.shape(1), scores.shape(2));
  return validation::report_out_of_memory([&] {
    const ValidLensStorage lens(valid_lens);
    KeyRanges ranges(scores.shape(0), scores.shape(1), scores.shape(2), options.empty_rows);
    lens.limit(ranges);
    Tensor<3> weights = scores;
    masked_softmax_into(ranges, weights.data());
    return weights;
  });
}

}  // namespace headwise
