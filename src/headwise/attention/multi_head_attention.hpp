#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/attention/key_ranges.hpp>
#include <headwise/attention/linear.hpp>
#include <headwise/attention/state_dict.hpp>
#include <headwise/attention/valid_lens.hpp>
#include <headwise/tensor.hpp>
#include <optional>

namespace headwise {

struct MultiHeadAttentionOptions {
  /// Size of the layer's output and, divided by `num_heads`, of one head. At least 1.
  std::int64_t num_hiddens = 0;
  /// Number of heads; divides `num_hiddens`.
  std::int64_t num_heads = 0;
  /// Probability that an attention weight is dropped in training mode, from 0 to 1.
  double dropout = 0;
  /// Whether the four projections have a bias.
  bool bias = false;
  /// Sizes of the inputs' last axes; what is left out is inferred at the first forward or
  /// `load_state_dict`.
  std::optional<std::int64_t> query_size = {};
  std::optional<std::int64_t> key_size = {};
  std::optional<std::int64_t> value_size = {};
  /// Seed of the parameters and of dropout, below 2^53; drawn at random when left out.
  std::optional<std::uint64_t> seed = {};
};

struct ForwardOptions {
  /// Which keys each query may attend to: absent, (batch,) or (batch, queries).
  ValidLens valid_lens = {};
  /// What a query without a valid key gets. Default: zeros.
  EmptyRows empty_rows = EmptyRows::zero;
  /// Whether to return the attention weights. Default: no, and then they are never stored.
  bool return_weights = false;
};

struct AttentionResult {
  /// (batch, queries, num_hiddens)
  Tensor<3> output;
  /// (batch, heads, queries, keys), before dropout, if they were asked for.
  std::optional<Tensor<4>> attention_weights;
};

/// Sizes of the last axes of queries, keys and values.
struct InputSizes {
  std::size_t query_size;
  std::size_t key_size;
  std::size_t value_size;
};

/// One forward pass for callers who own all memory.
struct ForwardArguments {
  const float* queries;  ///< (batch, queries, query_size)
  const float* keys;     ///< (batch, keys, key_size)
  const float* values;   ///< (batch, keys, value_size)
  const KeyRanges* ranges;
  float* output;             ///< (batch, queries, num_hiddens)
  float* attention_weights;  ///< (batch, heads, queries, keys) or null
  float* workspace;          ///< as many floats as `workspace_size` says
};

/// Multi-head attention as in d2l's chapter: queries, keys and values are projected by W_q, W_k and
/// W_v, split into heads, pooled by scaled dot-product attention in each head, put side by side and
/// projected by W_o. Source: Vaswani et al. 2017; d2l, chapter Multi-Head Attention.
class MultiHeadAttention {
 public:
  /// Throws `Error` (invalid-option) for options outside their range.
  explicit MultiHeadAttention(const MultiHeadAttentionOptions& options);

  /// queries (batch, queries, query_size), keys (batch, keys, key_size), values (batch, keys,
  /// value_size). Throws `Error` (invalid-shape, invalid-value, out-of-memory); the layer is then
  /// as it was.
  AttentionResult forward(const Tensor<3>& queries, const Tensor<3>& keys, const Tensor<3>& values,
                          const ForwardOptions& options = {});

  /// Switches dropout on (training mode) or off (a new layer). Both return the layer.
  MultiHeadAttention& train() noexcept;
  MultiHeadAttention& eval() noexcept;
  [[nodiscard]] bool training() const noexcept { return training_; }

  /// The parameters by d2l's names: `W_q.weight` (num_hiddens, query_size), `W_k.weight`,
  /// `W_v.weight`, `W_o.weight` and, with bias, `W_q.bias` (num_hiddens,) and so on. Throws `Error`
  /// (sizes-unknown) while sizes are still to be inferred.
  [[nodiscard]] StateDict state_dict() const;

  /// Takes over the parameters in `state_dict`, all or none. Throws `Error` (invalid-state-dict)
  /// that lists every name that is missing, unexpected or of the wrong shape.
  void load_state_dict(const StateDict& state_dict);

  [[nodiscard]] std::size_t num_hiddens() const noexcept { return num_hiddens_; }
  [[nodiscard]] std::size_t num_heads() const noexcept { return num_heads_; }
  [[nodiscard]] double dropout() const noexcept { return dropout_; }
  [[nodiscard]] bool has_bias() const noexcept { return bias_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  /// Empty while the size is still to be inferred.
  [[nodiscard]] std::optional<std::size_t> query_size() const noexcept { return query_size_; }
  [[nodiscard]] std::optional<std::size_t> key_size() const noexcept { return key_size_; }
  [[nodiscard]] std::optional<std::size_t> value_size() const noexcept { return value_size_; }

  // What follows is for callers who check arguments and own memory themselves, as the bindings do.

  struct Projections {
    Linear W_q, W_k, W_v, W_o;
  };

  /// Fixes the input sizes and draws the parameters from the seed. Sizes fit those known already.
  void initialize(const InputSizes& sizes);
  /// Empty until all sizes are known.
  [[nodiscard]] std::optional<Projections>& projections() noexcept { return projections_; }
  /// Floats of workspace that one forward needs, at most; in double, see `pooling_workspace_size`.
  [[nodiscard]] double workspace_size(double batch, double num_queries,
                                      double num_keys) const noexcept;
  /// Initialized projections and valid arguments are the caller's business.
  void forward_into(const ForwardArguments& arguments);

 private:
  AttentionResult checked_forward(const Tensor<3>& queries, const Tensor<3>& keys,
                                  const Tensor<3>& values, const ForwardOptions& options);
  [[nodiscard]] Projections make_projections(const InputSizes& sizes) const;

  std::size_t num_hiddens_;
  std::size_t num_heads_;
  double dropout_;
  bool bias_;
  std::uint64_t seed_;
  std::optional<std::size_t> query_size_;
  std::optional<std::size_t> key_size_;
  std::optional<std::size_t> value_size_;
  std::optional<Projections> projections_;
  bool training_ = false;
  /// Forward passes with dropout so far: each draws its own mask.
  std::uint32_t dropout_calls_ = 0;
};

}  // namespace headwise
