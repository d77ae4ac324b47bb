#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <map>
#include <optional>
#include <string>

#include "views.hpp"

/// Attention in float64, as the rules have it: one loop over samples, heads, queries and keys, with
/// no block, no vector and no shortcut. What the library's results are held against where there is
/// no oracle.
namespace headwise::test::reference {

template <std::size_t Rank>
using Doubles = xt::xtensor<double, Rank>;

/// What decides which of the given keys a query sees, and what it gets if that is none.
struct Masks {
  ValidLens valid_lens = {};
  headwise::Mask mask = {};
  headwise::Mask key_mask = {};
  /// Whether `mask` broadcasts to (batch, queries, keys), without heads.
  bool mask_has_no_heads = false;
  Causal causal = Causal::none;
  std::optional<Window> window = {};
  EmptyRows empty_rows = EmptyRows::zero;
  /// Keys before the first query's.
  std::int64_t query_offset = 0;
};

/// What the options of any call say about masks.
Masks masks_of(const auto& options, std::int64_t query_offset, bool mask_has_no_heads) {
  return {.valid_lens = options.valid_lens,
          .mask = options.mask,
          .key_mask = options.key_mask,
          .mask_has_no_heads = mask_has_no_heads,
          .causal = options.causal,
          .window = options.window,
          .empty_rows = options.empty_rows,
          .query_offset = query_offset};
}

/// What happens to scores that are there already.
struct Pooling {
  Masks masks = {};
  double softcap = 0;
  WeightsStage weights_stage = WeightsStage::softmax;
  /// Slots after the keys, which no mask touches.
  std::size_t num_extra_slots = 0;
  /// (batch, heads, queries, keys + slots) or nothing: what dropout multiplies weights by.
  Doubles<4> dropout_factors = {};
};

struct Pooled {
  Doubles<4> output;   ///< (batch, heads, queries, value size)
  Doubles<4> weights;  ///< (batch, heads, queries, keys + slots), of the stage asked for
  Doubles<4> scores;   ///< of the same shape, as the masks leave them
};

/// Whether a key mask has this key.
bool has_key(const headwise::Mask& key_mask, std::size_t num_keys, std::size_t sample,
             std::size_t key);

/// Whether lengths, key mask, causality, window and mask together leave the query this key.
bool is_visible(const Masks& masks, std::size_t num_queries, std::size_t num_keys,
                std::size_t sample, std::size_t head, std::size_t query, std::size_t key);

/// x Wᵀ + b with `name`.weight (out, in), or (out, in / groups, 1) of a convolution, and
/// `name`.bias if there is one; x itself where there is no such weight.
Doubles<3> project(const StateDict& parameters, const std::string& name, const Doubles<3>& x);

/// (batch, length, size) → (batch, 1, length, size); heads stay as they are.
Doubles<4> with_head_axis(const xt::xarray<float>& tensor);

/// (batch, length, heads · d) → (batch, heads, length, d)
Doubles<4> split(const Doubles<3>& x, std::size_t num_heads);

/// (batch, heads, length, d) of the first `length` rows → (batch, length, heads · d)
Doubles<3> join(const Doubles<4>& x, std::size_t length);

/// The first rows of each head.
inline auto without_slots(const Doubles<4>& x, std::size_t length) {
  return xt::view(x, xt::all(), xt::all(), xt::range(std::size_t{0}, length));
}

/// scale · q · k: Q (batch, heads, queries, d), K (batch, key-value heads, keys, d) → (batch,
/// heads, queries, keys)
Doubles<4> dot_product_scores(const Doubles<4>& Q, const Doubles<4>& K, double scale);

/// W x for every row x of every head: W (hiddens, size), X (batch, heads, length, size) → (batch,
/// heads, length, hiddens)
Doubles<4> features(const Doubles<2>& W, const Doubles<4>& X);

/// w_v · tanh(W_q q + W_k k)
Doubles<4> additive_scores(const Doubles<4>& Q, const Doubles<4>& K, const Doubles<2>& W_q,
                           const Doubles<2>& W_k, const Doubles<2>& w_v);

/// From scores (batch, heads, queries, keys + slots) and V (batch, key-value heads, keys + slots,
/// v) on: softcap, masks, softmax, dropout, weighted sum.
Pooled pool(const Doubles<4>& scores, const Doubles<4>& V, const Pooling& pooling);

/// Queries, keys with the extra slots and values with them, by head.
struct Heads {
  Doubles<4> Q, K, V;
};
/// Where queries and keys stand, (batch, length), for layers with rotary positions.
struct HeadPositions {
  Doubles<2> queries, keys;
};
/// With `magnitudes`, rotations add the magnitudes of their terms.
Heads project_heads(const MultiHeadAttentionOptions& layer, const StateDict& parameters,
                    const Doubles<3>& queries, const Doubles<3>& keys, const Doubles<3>& values,
                    const HeadPositions& positions, bool magnitudes = false);

/// Where queries and keys stand, of which a cache holds the first: what the options say of those
/// of the call, and otherwise as they follow each other.
HeadPositions positions_of(const ForwardOptions& options, std::size_t batch,
                           std::size_t num_queries, std::size_t num_keys, std::size_t num_cached);

/// The heads' first elements rotated by their positions, or back, if the layer has rotary
/// positions: X (batch, heads, length, d). With `magnitudes`, the sums of the terms' magnitudes.
Doubles<4> rotated(const Doubles<4>& X, const std::optional<RotaryOptions>& rotary,
                   const Doubles<2>& positions, bool inverse, bool magnitudes);

/// Scores of the layer's own pooling.
Doubles<4> scores_of(const MultiHeadAttentionOptions& layer, const StateDict& parameters,
                     const Heads& heads);

struct Attention {
  Doubles<3> output;  ///< (batch, queries, output size)
  Heads heads;
  Pooled pooled;
};
/// The whole layer. `keys` and `values` begin with the `num_cached` positions that a cache holds.
Attention multi_head_attention(const MultiHeadAttentionOptions& layer, const StateDict& parameters,
                               const Doubles<3>& queries, const Doubles<3>& keys,
                               const Doubles<3>& values, const ForwardOptions& options,
                               std::size_t num_cached = 0, const Doubles<4>& dropout_factors = {});

/// The layer's head_gate, (batch, heads, 1, 1).
Doubles<4> gate_factors(const HeadGate& head_gate, std::size_t batch, std::size_t heads);

/// The pooling function of the same name.
Pooled scaled_dot_product_attention(const Doubles<4>& queries, const Doubles<4>& keys,
                                    const Doubles<4>& values,
                                    const DotProductAttentionOptions& options,
                                    bool mask_has_no_heads = false);

/// The pooling function of the same name, with one head: (batch, 1, length, size).
Pooled additive_attention(const Doubles<4>& queries, const Doubles<4>& keys,
                          const Doubles<4>& values, const AdditiveAttentionParameters& parameters,
                          const AdditiveAttentionOptions& options);

/// The function of the same name.
Doubles<3> masked_softmax(const Doubles<3>& scores, const ValidLens& valid_lens,
                          EmptyRows empty_rows);

/// A layer's gradients, pair of query and key by pair.
struct Gradients {
  Doubles<3> queries, keys, values;
  Doubles<2> head_gate;  ///< (batch, heads)
  std::map<std::string, xt::xarray<double>> parameters;
};

/// What the layer was given, and the gradient of its output.
struct GradientProblem {
  MultiHeadAttentionOptions layer;
  StateDict parameters;
  Doubles<3> queries, keys, values;
  ForwardOptions options;
  Doubles<4> dropout_factors;  ///< as in `Pooling`
  Doubles<3> grad_output;
};

/// What has coefficient 0 adds nothing, whatever it holds: a masked key, or the input of a row
/// whose gradient is 0.
Gradients gradients(const GradientProblem& problem);

/// The same sums with every term replaced by its magnitude, which is what rounding errors are
/// relative to. `magnitude` holds the magnitudes of what `problem` holds.
Gradients gradient_magnitudes(const GradientProblem& problem, const GradientProblem& magnitude);

}  // namespace headwise::test::reference
