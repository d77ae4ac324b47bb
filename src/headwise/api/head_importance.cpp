#include <algorithm>
#include <cmath>
#include <headwise/api/least_important_heads.hpp>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/head_importance.hpp>
#include <numeric>
#include <utility>

namespace headwise {
namespace {

/// A number for every head of every layer.
using HeadNumbers = std::vector<std::vector<double>>;

HeadNumbers zeros(const std::vector<std::size_t>& num_heads) {
  HeadNumbers result;
  for (const std::size_t heads : num_heads) {
    result.emplace_back(heads, 0.0);
  }
  return result;
}

/// Counts passes, and checks before each whether to stop.
class Passes {
 public:
  Passes(const HeadImportanceOptions& options, std::size_t total)
      : options_(options), total_(total) {}

  /// Returns false if it is to stop, without the pass.
  template <typename Function>
  bool run(const Function& pass) {
    if (options_.stop && options_.stop()) {
      return false;
    }
    pass();
    ++done_;
    if (options_.progress) {
      options_.progress(done_, total_);
    }
    return true;
  }

 private:
  const HeadImportanceOptions& options_;
  std::size_t total_;
  std::size_t done_ = 0;
};

/// Sums over samples of |∂loss/∂gate|. Returns false if it was stopped, as do the others.
bool sum_gradients(const MeasuredHeads& heads, const HeadImportanceOptions& options,
                   HeadNumbers& sums) {
  Passes passes(options, heads.batch_sizes.size());
  for (std::size_t batch = 0; batch < heads.batch_sizes.size(); ++batch) {
    const bool done = passes.run([&] {
      const std::vector<Tensor<2>> gradients = heads.gate_gradients(batch);
      for (std::size_t layer = 0; layer < sums.size(); ++layer) {
        for (std::size_t i = 0; i < gradients[layer].size(); ++i) {
          // The absolute value of each sample: opposite signs must not cancel.
          sums[layer][i % sums[layer].size()] += std::abs(gradients[layer].data()[i]);
        }
      }
    });
    if (!done) {
      return false;
    }
  }
  return true;
}

/// Sums over samples of the loss without a head minus the loss with all.
bool sum_ablations(const MeasuredHeads& heads, const HeadImportanceOptions& options,
                   HeadNumbers& sums) {
  std::vector<Tensor<1>> gates;
  for (const std::size_t count : heads.num_heads) {
    gates.push_back(make_tensor<1>({count}));
    gates.back().fill(1.0F);
  }
  const std::size_t all_heads =
      std::accumulate(heads.num_heads.begin(), heads.num_heads.end(), std::size_t{0});
  Passes passes(options, heads.batch_sizes.size() * (1 + all_heads));
  for (std::size_t batch = 0; batch < heads.batch_sizes.size(); ++batch) {
    double with_all = 0;
    if (!passes.run([&] { with_all = heads.loss(batch, gates); })) {
      return false;
    }
    for (std::size_t layer = 0; layer < gates.size(); ++layer) {
      for (std::size_t head = 0; head < gates[layer].size(); ++head) {
        gates[layer](head) = 0.0F;
        if (!passes.run([&] { sums[layer][head] += heads.loss(batch, gates) - with_all; })) {
          return false;
        }
        gates[layer](head) = 1.0F;
      }
    }
  }
  return true;
}

/// Means over the rows of each head's weights.
bool mean_over_rows(const MeasuredHeads& heads, const HeadImportanceOptions& options,
                    HeadNumbers& means) {
  std::vector<std::vector<RowSum>> sums;
  sums.reserve(heads.num_heads.size());
  for (const std::size_t count : heads.num_heads) {
    sums.emplace_back(count);
  }
  Passes passes(options, heads.batch_sizes.size());
  for (std::size_t batch = 0; batch < heads.batch_sizes.size(); ++batch) {
    const bool done = passes.run([&] {
      heads.attention_weights(
          batch, [&](std::size_t layer, const float* weights, const WeightsSizes& sizes,
                     const std::uint8_t* ignored_keys) {
            if (options.measure == HeadMeasure::confidence) {
              add_confidence(weights, sizes, ignored_keys, sums[layer].data());
            } else {
              add_entropy(weights, sizes, sums[layer].data());
            }
          });
    });
    if (!done) {
      return false;
    }
  }
  for (std::size_t layer = 0; layer < sums.size(); ++layer) {
    std::ranges::transform(sums[layer], means[layer].begin(), &RowSum::mean);
  }
  return true;
}

void divide(std::vector<double>& numbers, double divisor) {
  for (double& number : numbers) {
    number = divisor == 0 ? 0 : number / divisor;
  }
}

double norm_of(const std::vector<double>& numbers) {
  return std::sqrt(std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0));
}

std::vector<Tensor<1>> to_tensors(const HeadNumbers& numbers) {
  std::vector<Tensor<1>> result;
  for (const std::vector<double>& layer : numbers) {
    result.push_back(make_tensor<1>({layer.size()}));
    std::ranges::transform(layer, result.back().begin(),
                           [](double number) { return static_cast<float>(number); });
  }
  return result;
}

ForwardOptions masks_of(const HeadMeasureBatch& batch) {
  return {.valid_lens = batch.valid_lens,
          .mask = batch.mask,
          .key_mask = batch.key_mask,
          .causal = batch.causal,
          .window = batch.window};
}

}  // namespace

std::optional<std::vector<Tensor<1>>> measure_head_importance(
    const MeasuredHeads& heads, const HeadImportanceOptions& options) {
  return report_out_of_memory([&]() -> std::optional<std::vector<Tensor<1>>> {
    validation::check_measured_heads(heads, options);
    HeadNumbers numbers = zeros(heads.num_heads);
    const bool of_gradients = options.measure == HeadMeasure::gradient;
    const bool of_weights = !of_gradients && options.measure != HeadMeasure::ablation;
    const auto measure = of_gradients ? sum_gradients : of_weights ? mean_over_rows : sum_ablations;
    if (!measure(heads, options, numbers)) {
      return std::nullopt;
    }
    const auto samples = static_cast<double>(
        std::accumulate(heads.batch_sizes.begin(), heads.batch_sizes.end(), std::size_t{0}));
    for (std::vector<double>& layer : numbers) {
      if (!of_weights) {
        divide(layer, samples);
      }
      if (options.normalize) {
        divide(layer, norm_of(layer));
      }
    }
    return to_tensors(numbers);
  });
}

std::optional<Tensor<1>> measure_head_importance(const MultiHeadAttention& layer,
                                                 const std::vector<HeadMeasureBatch>& batches,
                                                 const HeadImportanceOptions& options,
                                                 const OutputLoss& loss) {
  return report_out_of_memory([&] {
    validation::check_in_use(layer.in_use(), "layer");
    validation::check_importance({.measure = options.measure,
                                  .normalize = options.normalize,
                                  .num_batches = batches.size(),
                                  .needs_loss = true,
                                  .has_value = static_cast<bool>(loss.value),
                                  .has_gradient = static_cast<bool>(loss.gradient)});
    // Passes change a layer's gradients and saved activations, so they run on a copy.
    MultiHeadAttention copy = layer;
    copy.eval();
    const auto forward = [&](std::size_t number, const ForwardOptions& forward_options) {
      const HeadMeasureBatch& batch = batches[number];
      return copy.forward(batch.queries, batch.keys, batch.values, forward_options);
    };
    MeasuredHeads heads{.num_heads = {layer.num_heads()}, .batch_sizes = {}};
    for (const HeadMeasureBatch& batch : batches) {
      if (batch.ignored_keys) {
        validation::check_ignored_keys(batch.keys.shape(), batch.ignored_keys->shape());
      }
      heads.batch_sizes.push_back(batch.queries.shape(0));
    }
    heads.loss = [&](std::size_t batch, const std::vector<Tensor<1>>& gates) {
      ForwardOptions gated = masks_of(batches[batch]);
      gated.head_gate = gates.front();
      return loss.value(batch, forward(batch, gated).output);
    };
    heads.gate_gradients = [&](std::size_t batch) {
      ForwardOptions with_gradients = masks_of(batches[batch]);
      with_gradients.requires_grad = true;
      const Tensor<3> output = forward(batch, with_gradients).output;
      return std::vector<Tensor<2>>{copy.backward(loss.gradient(batch, output)).head_gate};
    };
    heads.attention_weights = [&](std::size_t batch, const MeasuredHeads::TakeWeights& take) {
      ForwardOptions with_weights = masks_of(batches[batch]);
      with_weights.return_weights = true;
      const Tensor<4> weights = *forward(batch, with_weights).attention_weights;
      const std::size_t slots = layer.settings().num_extra_slots();
      const auto& ignored_keys = batches[batch].ignored_keys;
      take(0, weights.data(),
           {.batch = weights.shape(0),
            .num_heads = weights.shape(1),
            .num_queries = weights.shape(2),
            .num_keys = weights.shape(3) - slots,
            .num_extra_slots = slots},
           ignored_keys ? ignored_keys->data() : nullptr);
    };
    const auto importance = measure_head_importance(heads, options);
    return importance ? std::optional(importance->front()) : std::nullopt;
  });
}

std::map<std::int64_t, std::vector<std::int64_t>> least_important_heads(
    const std::vector<Tensor<1>>& importance, const LeastImportantOptions& options) {
  return report_out_of_memory([&] {
    std::vector<double> numbers;
    std::vector<std::size_t> num_heads;
    for (const Tensor<1>& layer : importance) {
      numbers.insert(numbers.end(), layer.begin(), layer.end());
      num_heads.push_back(layer.size());
    }
    const HeadsByLayer heads =
        select_least_important(numbers.data(), num_heads, options.fraction, options.measure,
                               static_cast<std::int64_t>(options.group_size));
    std::map<std::int64_t, std::vector<std::int64_t>> result;
    for (std::size_t layer = 0; layer < heads.size(); ++layer) {
      if (!heads[layer].empty()) {
        result[static_cast<std::int64_t>(layer)].assign(heads[layer].begin(), heads[layer].end());
      }
    }
    return result;
  });
}

std::vector<std::int64_t> least_important_heads(const Tensor<1>& importance,
                                                const LeastImportantOptions& options) {
  return report_out_of_memory(
      [&] { return least_important_heads(std::vector{importance}, options)[0]; });
}

}  // namespace headwise
