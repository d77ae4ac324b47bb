#include "attention_reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace headwise::test::reference {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// Where `mask` has the entry that broadcasting puts at `index`: axes align at the last one, those
/// of size 1 repeat, missing ones too.
std::size_t broadcast_at(const headwise::Mask& mask, const std::array<std::size_t, 4>& index) {
  const std::size_t missing = index.size() - mask.shape().size();
  std::size_t offset = 0;
  for (std::size_t axis = 0; axis < mask.shape().size(); ++axis) {
    const std::size_t size = mask.shape()[axis];
    offset = offset * size + (size == 1 ? 0 : index.at(missing + axis));
  }
  return offset;
}

/// What the float mask adds to a score; 0 without one.
double added(const headwise::Mask& mask, const std::array<std::size_t, 4>& index) {
  return mask.added() != nullptr ? static_cast<double>(mask.added()[broadcast_at(mask, index)]) : 0;
}

bool allowed(const headwise::Mask& mask, const std::array<std::size_t, 4>& index) {
  return mask.allowed() != nullptr ? mask.allowed()[broadcast_at(mask, index)] == 1
                                   : added(mask, index) != minus_infinity;
}

std::array<std::size_t, 4> mask_index(const Masks& masks, std::size_t sample, std::size_t head,
                                      std::size_t query, std::size_t key) {
  // Without heads, a mask's first axis is the samples', which then stands where heads stand.
  return masks.mask_has_no_heads ? std::array<std::size_t, 4>{0, sample, query, key}
                                 : std::array<std::size_t, 4>{sample, head, query, key};
}

std::int64_t valid_len(const ValidLens& valid_lens, std::size_t sample, std::size_t query,
                       std::size_t num_keys) {
  if (!valid_lens.has_value()) {
    return static_cast<std::int64_t>(num_keys);
  }
  return valid_lens.has_two_axes() ? (*valid_lens)(sample, query) : (*valid_lens)(sample);
}

/// softmax over the visible of `scores`; the others weigh 0.
std::vector<double> softmax_of_visible(const std::vector<double>& scores,
                                       const std::vector<bool>& visible) {
  double maximum = minus_infinity;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    maximum = visible[j] ? std::fmax(maximum, scores[j]) : maximum;
  }
  double sum = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    sum += visible[j] ? std::exp(scores[j] - maximum) : 0;
  }
  std::vector<double> weights(scores.size(), 0.0);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    weights[j] = visible[j] ? std::exp(scores[j] - maximum) / sum : 0;
  }
  return weights;
}

}  // namespace

bool has_key(const headwise::Mask& key_mask, std::size_t num_keys, std::size_t sample,
             std::size_t key) {
  const std::size_t i = sample * num_keys + key;
  return key_mask.allowed() != nullptr ? key_mask.allowed()[i] == 1
         : key_mask.added() != nullptr ? key_mask.added()[i] == 1
                                       : true;
}

bool is_visible(const Masks& masks, std::size_t num_queries, std::size_t num_keys,
                std::size_t sample, std::size_t head, std::size_t query, std::size_t key) {
  const auto i = static_cast<std::int64_t>(query);
  const auto j = static_cast<std::int64_t>(key);
  const std::int64_t position =
      masks.causal == Causal::bottom_right
          ? static_cast<std::int64_t>(num_keys) - static_cast<std::int64_t>(num_queries) + i
          : masks.query_offset + i;
  const Window window = masks.window.value_or(Window{});
  if (j >= valid_len(masks.valid_lens, sample, query, num_keys) ||
      !has_key(masks.key_mask, num_keys, sample, key)) {
    return false;
  }
  if (masks.causal != Causal::none && j > position) {
    return false;
  }
  if (window.left.has_value() && position - j > *window.left) {
    return false;
  }
  if (window.right.has_value() && j - position > *window.right) {
    return false;
  }
  return allowed(masks.mask, mask_index(masks, sample, head, query, key));
}

namespace {

/// score(q, k) for each query and key of each head; both have as many numbers.
Doubles<4> scores_of_pairs(const Doubles<4>& Q, const Doubles<4>& K, const auto& score) {
  const auto [batch, heads, queries, size] = Q.shape();
  const std::size_t keys = K.shape(2);
  Doubles<4> scores(std::array{batch, heads, queries, keys}, 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::size_t query = i / keys;
    const std::size_t kv_head = query / queries / (heads / K.shape(1));
    scores.data()[i] =
        score(Q.data() + query * size, K.data() + (kv_head * keys + i % keys) * size);
  }
  return scores;
}

}  // namespace

Doubles<4> dot_product_scores(const Doubles<4>& Q, const Doubles<4>& K, double scale) {
  return scores_of_pairs(Q, K, [&](const double* q, const double* k) {
    return scale * std::inner_product(q, q + Q.shape(3), k, 0.0);
  });
}

Doubles<4> features(const Doubles<2>& W, const Doubles<4>& X) {
  Doubles<4> result(std::array{X.shape(0), X.shape(1), X.shape(2), W.shape(0)}, 0.0);
  for (std::size_t b = 0; b < X.shape(0); ++b) {
    for (std::size_t h = 0; h < X.shape(1); ++h) {
      for (std::size_t i = 0; i < X.shape(2); ++i) {
        for (std::size_t u = 0; u < W.shape(0); ++u) {
          for (std::size_t e = 0; e < X.shape(3); ++e) {
            result(b, h, i, u) += W(u, e) * X(b, h, i, e);
          }
        }
      }
    }
  }
  return result;
}

Doubles<4> additive_scores(const Doubles<4>& Q, const Doubles<4>& K, const Doubles<2>& W_q,
                           const Doubles<2>& W_k, const Doubles<2>& w_v) {
  return scores_of_pairs(features(W_q, Q), features(W_k, K), [&](const double* q, const double* k) {
    double score = 0;
    for (std::size_t u = 0; u < w_v.size(); ++u) {
      score += w_v(0, u) * std::tanh(q[u] + k[u]);
    }
    return score;
  });
}

Pooled pool(const Doubles<4>& scores, const Doubles<4>& V, const Pooling& pooling) {
  const auto [batch, heads, queries, columns] = scores.shape();
  const std::size_t keys = columns - pooling.num_extra_slots;
  const std::size_t value_size = V.shape(3);
  const Masks& masks = pooling.masks;
  Pooled result{.output = Doubles<4>(std::array{batch, heads, queries, value_size}, 0.0),
                .weights = scores,
                .scores = scores};
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t kv_head = h / (heads / V.shape(1));
      for (std::size_t i = 0; i < queries; ++i) {
        std::vector<double> capped(columns);
        std::vector<double> masked(columns);
        std::vector<bool> visible(columns);
        for (std::size_t j = 0; j < columns; ++j) {
          const double s = scores(b, h, i, j);
          const double c = pooling.softcap;
          capped[j] = c > 0 ? c * std::tanh(s / c) : s;
          visible[j] = j >= keys || is_visible(masks, queries, keys, b, h, i, j);
          const double bias = j < keys ? added(masks.mask, mask_index(masks, b, h, i, j)) : 0;
          masked[j] = visible[j] ? capped[j] + bias : minus_infinity;
        }
        const bool empty = std::find(visible.begin(), visible.end(), true) == visible.end();
        std::vector<double> weights = softmax_of_visible(masked, visible);
        if (empty && masks.empty_rows == EmptyRows::uniform) {
          std::fill(weights.begin(), weights.end(), 1.0 / static_cast<double>(keys));
          std::fill(visible.begin(), visible.end(), true);
        }
        for (std::size_t j = 0; j < columns; ++j) {
          const double factor =
              pooling.dropout_factors.size() > 0 ? pooling.dropout_factors(b, h, i, j) : 1;
          // What is dropped is 0 whatever it was.
          const double weight = factor == 0 ? 0 : factor * weights[j];
          // What is masked is not read: even 0 times infinity would be NaN.
          for (std::size_t e = 0; visible[j] && e < value_size; ++e) {
            result.output(b, h, i, e) += weight * V(b, kv_head, j, e);
          }
          result.scores(b, h, i, j) = masked[j];
          const WeightsStage stage = pooling.weights_stage;
          result.weights(b, h, i, j) = stage == WeightsStage::raw       ? scores(b, h, i, j)
                                       : stage == WeightsStage::softcap ? capped[j]
                                       : stage == WeightsStage::masked  ? masked[j]
                                                                        : weights[j];
        }
      }
    }
  }
  return result;
}

Pooled scaled_dot_product_attention(const Doubles<4>& queries, const Doubles<4>& keys,
                                    const Doubles<4>& values,
                                    const DotProductAttentionOptions& options,
                                    bool mask_has_no_heads) {
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(queries.shape(3))));
  return pool(dot_product_scores(queries, keys, scale), values,
              {.masks = masks_of(options, options.query_offset, mask_has_no_heads),
               .softcap = options.softcap,
               .weights_stage = options.weights_stage});
}

Pooled additive_attention(const Doubles<4>& queries, const Doubles<4>& keys,
                          const Doubles<4>& values, const AdditiveAttentionParameters& parameters,
                          const AdditiveAttentionOptions& options) {
  return pool(additive_scores(queries, keys, parameters.W_q, parameters.W_k, parameters.w_v),
              values,
              {.masks = masks_of(options, options.query_offset, true),
               .weights_stage = options.weights_stage});
}

Doubles<3> masked_softmax(const Doubles<3>& scores, const ValidLens& valid_lens,
                          EmptyRows empty_rows) {
  const auto [batch, queries, keys] = scores.shape();
  const Doubles<4> no_values(std::array{batch, std::size_t{1}, keys, std::size_t{0}}, 0.0);
  const Pooled pooled = pool(xt::expand_dims(scores, 1), no_values,
                             {.masks = {.valid_lens = valid_lens, .empty_rows = empty_rows}});
  return xt::view(pooled.weights, xt::all(), 0);
}

}  // namespace headwise::test::reference
