#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <headwise/tensor.hpp>
#include <headwise/transformer.hpp>
#include <optional>
#include <vector>

/// What looks inside a model: the logit lens, direct logit attribution, patching of heads. Models
/// must have logits. Source: TransformerLens; the papers named at each function.
namespace headwise {

struct LogitLensOptions {
  /// Numbers of layers, whose stream before them is read; the number of layers stands for the
  /// stream after the last one. Default: all, in order.
  std::optional<std::vector<std::int64_t>> layers = {};
  /// Default: the last position.
  std::optional<std::vector<std::int64_t>> positions = {};
  /// Lengths, masks, gates, segments and source of the pass. Its outputs are ignored.
  TransformerForwardOptions pass = {};
};

/// The logits that the stream before each layer, and after the last one, would give: final norm and
/// unembedding. Returns (layers, batch, positions, vocabulary). Throws what `forward` throws, and
/// `Error` (invalid-option). Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
[[nodiscard]] Tensor<4> logit_lens(Transformer& model, const Tokens& tokens,
                                   const LogitLensOptions& options = {});

struct AttributionOptions {
  std::vector<std::int64_t> target;           ///< one token, or one for each sample
  std::vector<std::int64_t> against = {};     ///< likewise; empty for none
  std::optional<std::int64_t> position = {};  ///< default: the last one
  /// As in `LogitLensOptions`.
  TransformerForwardOptions pass = {};
};

/// What each part adds to logit(target) − logit(against), or to logit(target) alone. Except for
/// rounding errors, all parts sum to `total`.
struct LogitAttributions {
  Tensor<3> heads;       ///< (batch, layers, heads); 0 for heads that a pruned layer lacks
  Tensor<2> mlps;        ///< (batch, layers), of the feed-forward layers
  Tensor<1> embeddings;  ///< (batch,): tokens, positions and segments
  Tensor<1> biases;      ///< (batch,): those of output projections, norms and unembedding
  Tensor<1> total;       ///< (batch,)
  std::optional<Tensor<3>> cross_heads = {};  ///< as `heads`, of models with an encoder
};

/// Direct logit attribution, of logits before they are capped. The divisors of the final norm and
/// of the norms of `post_norms` are held fixed. Not for models with norms after the residual sum
/// (`norm_first = false`), where each norm rescales what all earlier parts have added. Throws as
/// `logit_lens`. Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
[[nodiscard]] LogitAttributions attribute_logits(Transformer& model, const Tokens& tokens,
                                                 const AttributionOptions& options);

struct PatchHeadsOptions {
  /// A number from the logits, (batch, positions, vocabulary), of a patched run.
  std::function<double(const Tensor<3>& logits)> metric;
  /// What is replaced: `z`, `queries`, `keys`, `values`, `pattern` or `head_out`.
  ActivationName at = ActivationName::z;
  /// Whose logits `metric` reads; the fewer, the faster. Default: all.
  std::optional<std::vector<std::int64_t>> positions = {};
  /// As in `LogitLensOptions`, of all runs.
  TransformerForwardOptions pass = {};
  /// Called after each head. Return false to stop: the heads that are left are NaN.
  std::function<bool(std::size_t done, std::size_t total)> on_progress = {};
};

/// The metric when one head at a time is replaced, in the run on `corrupted`, by that of the run on
/// `clean`, which has the same shape. Only the layers from the head's on run again, for several
/// heads at once: as many as make 256 rows and 16 million logits. Returns (layers, heads), by
/// key-value head for `keys` and `values`; NaN for heads that a pruned layer lacks. Throws as
/// `logit_lens`, and `Error` (invalid-option) for dropout in training mode, or if `metric` prunes
/// heads. Source: Wang et al. 2022; Meng et al. 2022, causal tracing.
[[nodiscard]] Tensor<2> patch_heads(Transformer& model, const Tokens& clean,
                                    const Tokens& corrupted, const PatchHeadsOptions& options);

}  // namespace headwise
