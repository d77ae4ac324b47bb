#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <headwise/tensor.hpp>
#include <headwise/transformer.hpp>
#include <optional>
#include <vector>

/// Functions that look inside a model: the logit lens, direct logit attribution, patching of heads.
/// Models must have logits. Source: TransformerLens; the papers named at each function.
namespace headwise {

struct LogitLensOptions {
  /// The layers before which the residual stream is read. The number of layers means the stream
  /// after the last one. Default: all, in order.
  std::optional<std::vector<std::int64_t>> layers = {};
  /// Default: the last position.
  std::optional<std::vector<std::int64_t>> positions = {};
  /// Lengths, masks, gates, segments and source of the pass. Options that request outputs are
  /// ignored.
  TransformerForwardOptions pass = {};
};

/// Applies the final norm and the unembedding to the residual stream before each layer and after
/// the last one. Returns (layers, batch, positions, vocabulary). Throws what `forward` throws, and
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
  /// Computes a number from the logits of a patched run, (batch, positions, vocabulary).
  std::function<double(const Tensor<3>& logits)> metric;
  /// What is replaced: `z`, `queries`, `keys`, `values`, `pattern` or `head_out`.
  ActivationName at = ActivationName::z;
  /// The positions whose logits `metric` reads. Fewer positions are faster. Default: all.
  std::optional<std::vector<std::int64_t>> positions = {};
  /// As in `LogitLensOptions`, of all runs.
  TransformerForwardOptions pass = {};
  /// Called after each head. Return false to stop; the remaining heads are then NaN.
  std::function<bool(std::size_t done, std::size_t total)> on_progress = {};
};

/// Takes one head at a time from the run on `clean`, puts it into the run on `corrupted`, and
/// returns the metric for each: (layers, heads), by key-value head for `keys` and `values`; NaN
/// for heads that a pruned layer lacks. Both inputs have the same shape. Only the head's layer and
/// those after it run again. One pass runs several heads, up to 256 rows and 16 million logits.
/// Throws as `logit_lens`, and `Error` (invalid-option) for dropout in training mode, or if
/// `metric` changes the model. Source: Wang et al. 2022; Meng et al. 2022, causal tracing.
[[nodiscard]] Tensor<2> patch_heads(Transformer& model, const Tokens& clean,
                                    const Tokens& corrupted, const PatchHeadsOptions& options);

}  // namespace headwise
