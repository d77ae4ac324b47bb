#include <algorithm>
#include <headwise/core/analysis/weight_statistics.hpp>
#include <headwise/core/elementary_functions.hpp>

namespace headwise {
namespace {

/// Adds `number_of(row, sample)` to its head's sum for every row with a weight on a key of the
/// input.
template <typename Function>
void add_to_sums(const float* weights, const WeightsSizes& sizes, RowSum* sums,
                 Function number_of) noexcept {
  const std::size_t columns = sizes.num_keys + sizes.num_extra_slots;
  const float* row = weights;
  for (std::size_t sample = 0; sizes.num_queries > 0 && sample < sizes.batch; ++sample) {
    for (std::size_t head = 0; head < sizes.num_heads; ++head) {
      for (std::size_t query = 0; query < sizes.num_queries; ++query, row += columns) {
        if (std::any_of(row, row + sizes.num_keys, [](float weight) { return weight != 0.0F; })) {
          sums[head].sum += number_of(row, sample);
          sums[head].rows += 1;
        }
      }
    }
  }
}

}  // namespace

void add_confidence(const float* weights, const WeightsSizes& sizes,
                    const std::uint8_t* ignored_keys, RowSum* sums) noexcept {
  add_to_sums(weights, sizes, sums, [&](const float* row, std::size_t sample) {
    float max_weight = 0;
    for (std::size_t key = 0; key < sizes.num_keys; ++key) {
      const bool ignored =
          ignored_keys != nullptr && ignored_keys[sample * sizes.num_keys + key] != 0;
      // NaN propagates.
      max_weight = ignored || row[key] <= max_weight ? max_weight : row[key];
    }
    return static_cast<double>(max_weight);
  });
}

void add_entropy(const float* weights, const WeightsSizes& sizes, RowSum* sums) noexcept {
  const std::size_t columns = sizes.num_keys + sizes.num_extra_slots;
  add_to_sums(weights, sizes, sums, [&](const float* row, std::size_t /*sample*/) {
    double entropy = 0;
    for (std::size_t column = 0; column < columns; ++column) {
      const auto weight = static_cast<double>(row[column]);
      entropy -= weight == 0 ? 0 : weight * natural_logarithm(weight);
    }
    return entropy;
  });
}

}  // namespace headwise
