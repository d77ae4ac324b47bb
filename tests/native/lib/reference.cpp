#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headwise::test {
namespace {

/// (batch, length, heads · size) → (batch, heads, length, size), or back.
Doubles swap_heads_and_length(const Doubles& x, std::size_t batch, std::size_t outer,
                              std::size_t inner, std::size_t size) {
  Doubles result(x.size());
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < outer; ++i) {
      for (std::size_t j = 0; j < inner; ++j) {
        for (std::size_t e = 0; e < size; ++e) {
          result[((b * inner + j) * outer + i) * size + e] =
              x[((b * outer + i) * inner + j) * size + e];
        }
      }
    }
  }
  return result;
}

}  // namespace

std::size_t valid_len(const ValidLens& valid_lens, std::size_t sample, std::size_t query,
                      std::size_t num_keys) {
  if (const auto* by_sample = std::get_if<1>(&valid_lens)) {
    return static_cast<std::size_t>((*by_sample)(sample));
  }
  if (const auto* by_query = std::get_if<2>(&valid_lens)) {
    return static_cast<std::size_t>((*by_query)(sample, query));
  }
  return num_keys;
}

Doubles masked_softmax_row(const Doubles& scores, std::size_t count, EmptyRows empty_rows) {
  Doubles weights(scores.size(), 0.0);
  if (count == 0) {
    if (empty_rows == EmptyRows::uniform) {
      std::fill(weights.begin(), weights.end(), 1.0 / static_cast<double>(weights.size()));
    }
    return weights;
  }
  const auto end = scores.begin() + static_cast<std::ptrdiff_t>(count);
  const double maximum = *std::max_element(scores.begin(), end);
  for (std::size_t k = 0; k < count; ++k) {
    weights[k] = std::exp(scores[k] - maximum);
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) {
    weight /= sum;
  }
  return weights;
}

Pooled pool(const PoolingSizes& sizes, const Doubles& q, const Doubles& k, const Doubles& v,
            const Mask& mask, const Doubles& factors) {
  Pooled result;
  for (std::size_t head = 0; head < sizes.batch * sizes.heads; ++head) {
    for (std::size_t query = 0; query < sizes.queries; ++query) {
      const std::size_t row = head * sizes.queries + query;
      Doubles scores(sizes.keys, 0.0);
      for (std::size_t key = 0; key < sizes.keys; ++key) {
        for (std::size_t e = 0; e < sizes.head_size; ++e) {
          scores[key] +=
              q[row * sizes.head_size + e] * k[(head * sizes.keys + key) * sizes.head_size + e];
        }
        scores[key] /= std::sqrt(static_cast<double>(sizes.head_size));
      }
      const std::size_t count = valid_len(mask.valid_lens, head / sizes.heads, query, sizes.keys);
      const Doubles weights = masked_softmax_row(scores, count, mask.empty_rows);
      result.weights.insert(result.weights.end(), weights.begin(), weights.end());
      for (std::size_t e = 0; e < sizes.value_size; ++e) {
        double sum = 0;
        for (std::size_t key = 0; key < sizes.keys; ++key) {
          const double factor = factors.empty() ? 1 : factors[row * sizes.keys + key];
          sum += factor * weights[key] * v[(head * sizes.keys + key) * sizes.value_size + e];
        }
        result.output.push_back(sum);
      }
    }
  }
  return result;
}

Doubles project(const StateDict& parameters, const std::string& name, const Doubles& x) {
  const auto& weight = parameters.at(name + ".weight");
  const auto bias = parameters.find(name + ".bias");
  const std::size_t out = weight.shape(0);
  const std::size_t in = weight.shape(1);
  Doubles y;
  for (std::size_t row = 0; row < x.size() / in; ++row) {
    for (std::size_t i = 0; i < out; ++i) {
      double sum = bias != parameters.end() ? static_cast<double>(bias->second(i)) : 0;
      for (std::size_t e = 0; e < in; ++e) {
        sum += static_cast<double>(weight(i, e)) * x[row * in + e];
      }
      y.push_back(sum);
    }
  }
  return y;
}

Pooled multi_head_attention(const StateDict& parameters, std::size_t num_heads,
                            const Tensor<3>& queries, const Tensor<3>& keys,
                            const Tensor<3>& values, const Mask& mask, const Doubles& factors) {
  const std::size_t batch = queries.shape(0);
  const std::size_t num_queries = queries.shape(1);
  const std::size_t num_keys = keys.shape(1);
  const std::size_t head_size = parameters.at("W_o.weight").shape(0) / num_heads;
  const auto heads_of = [&](const std::string& name, const Tensor<3>& inputs) {
    const Doubles projected = project(parameters, name, Doubles(inputs.begin(), inputs.end()));
    return swap_heads_and_length(projected, batch, inputs.shape(1), num_heads, head_size);
  };
  Pooled result =
      pool({.batch = batch,
            .heads = num_heads,
            .queries = num_queries,
            .keys = num_keys,
            .head_size = head_size,
            .value_size = head_size},
           heads_of("W_q", queries), heads_of("W_k", keys), heads_of("W_v", values), mask, factors);
  const Doubles concat =
      swap_heads_and_length(result.output, batch, num_heads, num_queries, head_size);
  result.output = project(parameters, "W_o", concat);
  return result;
}

}  // namespace headwise::test
