#pragma once

#include <cstddef>
#include <headwise/headwise.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "configuration.hpp"

namespace headwise::test {

/// The arguments of a configuration's call, its numbers drawn.
struct Problem {
  Configuration configuration;
  MultiHeadAttentionOptions layer = {};
  StateDict parameters = {};
  /// (batch, length, size), or (batch, heads, length, size) for scaled_dot_product_attention. Keys
  /// and values begin with what the cache holds. Scores of masked_softmax are the queries.
  xt::xarray<float> queries = {};
  xt::xarray<float> keys = {};
  xt::xarray<float> values = {};
  ForwardOptions options = {};

  template <typename Options>
  [[nodiscard]] Options pooling_options() const {
    return {.valid_lens = options.valid_lens,
            .mask = options.mask,
            .key_mask = options.key_mask,
            .causal = options.causal,
            .window = options.window,
            .query_offset = configuration.query_offset,
            .empty_rows = options.empty_rows,
            .weights_stage = options.weights_stage};
  }
  [[nodiscard]] DotProductAttentionOptions dot_product_options() const;
  [[nodiscard]] AdditiveAttentionParameters additive_parameters() const;
  /// The inputs and masks, to measure the importance of heads by.
  [[nodiscard]] HeadMeasureBatch measured_batch() const;
};

Problem make_problem(const Configuration& configuration);

/// Padding as `kind` says, at random lengths.
xt::xtensor<bool, 2> draw_key_mask(KeyMaskKind kind, std::size_t batch, std::size_t num_keys,
                                   Random& random);

/// Puts NaN and infinities into some queries, keys and values.
void poison(Problem& problem);

/// A layer with the problem's parameters and history.
MultiHeadAttention make_layer(const Problem& problem);

/// Copies or moves the layer, as the history says.
MultiHeadAttention with_history(MultiHeadAttention layer, History history);

/// The indices of the heads that are pruned, in ascending order.
std::vector<std::int64_t> pruned_heads(const Configuration& configuration);

/// The layer of the problem before any head is pruned.
MultiHeadAttention make_whole_layer(const Problem& problem);

/// What any of the calls gives.
struct Result {
  xt::xarray<double> output = {};
  std::optional<xt::xarray<double>> weights = {};
};

using NamedTensors = std::map<std::string, xt::xarray<double>>;

/// use(name, member) for each member of a `Capture`, or of what it asked for, by the package's
/// name.
template <typename Captures, typename Use>
void for_each_capture(Captures& captures, const Use& use) {
  use("queries", captures.queries);
  use("keys", captures.keys);
  use("values", captures.values);
  use("scores", captures.scores);
  use("pooled", captures.pooled);
  use("droppedWeights", captures.dropped_weights);
}

/// What a layer's pass gave beside its output, by the package's names.
struct Inside {
  std::vector<std::int64_t> chosen_heads;
  std::vector<std::int64_t> chosen_queries;
  /// (batch, chosen heads, chosen queries, keys + slots)
  xt::xarray<double> chosen_weights = {};
  NamedTensors tensors = {};
};

/// Of a call of the layer, with everything captured; heads and queries are chosen at random.
Inside library_inside(const Problem& problem);
/// What it should hold, in float64, without `chosen_weights`.
NamedTensors reference_inside(const Problem& problem);

/// Makes the call. Throws a std::runtime_error if a cache comes out with another length than it
/// should.
Result library_result(const Problem& problem, bool return_weights);

/// What it should give, in float64.
Result reference_result(const Problem& problem);

/// The tensor of a reference, without the axis of samples where the call has none.
xt::xarray<double> with_own_rank(const xt::xarray<double>& tensor,
                                 const Configuration& configuration);

/// The only sample.
Tensor<2> without_batch(const Tensor<3>& tensor);

/// Positions [begin, end) of (batch, length, size).
Tensor<3> positions(const xt::xarray<float>& tensor, std::size_t begin, std::size_t end);

}  // namespace headwise::test
