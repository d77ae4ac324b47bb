#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <limits>
#include <span>
#include <vector>

/// Activations of a model, which a pass may copy out (captures) or replace (patches).
namespace headwise {

/// Names of TransformerLens and of the layer's captures. Shapes: (batch, heads, queries, head size)
/// of `queries`, `z`; (batch, key-value heads, keys, head size) of `keys`, `values`; (batch, heads,
/// queries, keys) of `scores`, `pattern`, `dropped_weights`; (batch, heads, queries, num_hiddens)
/// of `head_out`; (batch, heads, keys) of `key_mass`; (batch, heads, queries) of `row_entropy`;
/// (batch, length, num_hiddens) of the others, but (batch, length) of `final_norm_scale`.
enum class ActivationName : std::uint8_t {
  queries,           ///< projected, and rotated in rotary layers
  keys,              ///< likewise, cached ones included
  values,            ///< cached ones included
  scores,            ///< scaled, capped and masked: −∞ where masked
  pattern,           ///< the attention weights
  dropped_weights,   ///< the weights after dropout
  z,                 ///< each head's pooled values, before its gate
  head_out,          ///< what each head adds to the layer's output
  key_mass,          ///< each head's weight on each key, summed over the queries
  row_entropy,       ///< entropy of each row of the weights, in nats
  resid_pre,         ///< the residual stream before a layer's attention
  attn_out,          ///< what attention adds to it
  resid_mid,         ///< the stream before the feed-forward layer
  mlp_out,           ///< what the feed-forward layer adds to it
  resid_post,        ///< the stream after the layer
  embeddings,        ///< of tokens or patches, scaled, before positions and segments are added
  final_norm_scale,  ///< standard deviation, or root mean square, by which the final norm divides
  pooled = z,        ///< the layer's name
};

/// A name as one bit of a set.
[[nodiscard]] constexpr std::uint32_t bit_of(ActivationName name) noexcept {
  return std::uint32_t{1} << static_cast<unsigned>(name);
}

/// Captures that a pass computes in working memory before it copies them out.
inline constexpr std::uint32_t buffered_captures = bit_of(ActivationName::key_mass) |
                                                   bit_of(ActivationName::row_entropy) |
                                                   bit_of(ActivationName::final_norm_scale);

/// The sizes that determine the shapes of a layer's activations.
struct ActivationSizes {
  std::size_t num_heads = 0;
  std::size_t num_kv_heads = 0;
  std::size_t rows = 0;      ///< queries
  std::size_t new_keys = 0;  ///< those of the pass
  std::size_t keys = 0;      ///< cached and new ones
  std::size_t head_size = 0;
  std::size_t num_hiddens = 0;
};

/// The axes of an activation after the batch; missing axes have size 1.
struct ActivationAxes {
  std::size_t heads = 1;
  std::size_t rows = 1;
  std::size_t size = 1;
  bool has_heads = false;
  bool has_size = true;
};

[[nodiscard]] ActivationAxes axes_of(ActivationName name, const ActivationSizes& sizes) noexcept;

/// Whether an activation is captured whole, whatever positions are chosen: its rows are not those
/// of the decoder's tokens in the pass.
[[nodiscard]] constexpr bool is_captured_whole(ActivationName at, Side side,
                                               bool has_cache) noexcept {
  const bool has_key_rows = at == ActivationName::keys || at == ActivationName::values;
  return side == Side::encoder || at == ActivationName::key_mass ||
         (has_key_rows && (side == Side::cross || has_cache));
}

/// Which activation of a model it is.
struct ActivationPlace {
  ActivationName at{};
  Side side{};
  std::size_t layer = 0;  ///< 0 for those of the whole model

  friend bool operator==(const ActivationPlace&, const ActivationPlace&) = default;
};

/// An activation that a pass copies out.
struct ActivationCapture {
  ActivationPlace place = {};
  float* to = nullptr;  ///< (batch, heads, captured positions, size)
};

/// What takes an activation's place.
enum class PatchKind : std::uint8_t {
  value,
  zero,
  mean,  ///< of the activation itself, over batch and positions
};

/// An activation that a pass replaces.
struct ActivationPatch {
  ActivationPlace place = {};
  PatchKind kind{};
  const float* value = nullptr;         ///< (batch, chosen heads, chosen positions, size)
  const std::int32_t* heads = nullptr;  ///< null is all of them, in order
  std::size_t num_heads = 0;            ///< chosen, unless `heads` is null
  const std::int32_t* positions = nullptr;
  std::size_t num_positions = 0;
  std::size_t first_sample = 0;
  std::size_t end_sample = std::numeric_limits<std::size_t>::max();
  /// Of a pass that requires gradients, `kept_floats` for each chosen row.
  float* kept = nullptr;
};

/// Floats that the backward pass keeps of each patched row: what took the place of weights, and the
/// gradient of pooled heads that are constants.
[[nodiscard]] constexpr std::size_t kept_floats(ActivationName at, std::size_t keys,
                                                std::size_t head_size) noexcept {
  return at == ActivationName::pattern ? keys + head_size : at == ActivationName::z ? head_size : 0;
}

/// An activation in memory: (batch, heads, rows, size).
struct ActivationView {
  HeadsView<float> data;
  std::size_t batch = 0;
  std::size_t heads = 1;
  std::size_t rows = 0;
  std::size_t size = 0;
};

/// The residual stream, or what is added to it: (batch, rows, size).
[[nodiscard]] inline ActivationView stream_view(float* data, std::size_t batch, std::size_t rows,
                                                std::size_t size) noexcept {
  return {
      .data = split_heads_view(data, rows, 1, size), .batch = batch, .rows = rows, .size = size};
}

/// Captures and patches of a pass. It owns nothing.
struct PassProbe {
  std::span<const ActivationCapture> captures;
  std::span<const ActivationPatch> patches;
  /// Which rows are captured, unless `is_captured_whole`; null is all.
  const std::int32_t* positions = nullptr;
  std::size_t num_positions = 0;

  [[nodiscard]] bool any() const noexcept { return !captures.empty() || !patches.empty(); }
  [[nodiscard]] const ActivationCapture* capture(ActivationPlace place) const noexcept;
  [[nodiscard]] bool patches_any(ActivationPlace place) const noexcept;
  [[nodiscard]] bool touches(ActivationPlace place) const noexcept {
    return capture(place) != nullptr || patches_any(place);
  }

  /// function(patch) for each patch of an activation, in order.
  template <typename Function>
  void for_each_patch(ActivationPlace place, const Function& function) const noexcept {
    for (const ActivationPatch& patch : patches) {
      if (patch.place == place) {
        function(patch);
      }
    }
  }

  /// Whether a patch replaces this row of an activation; `head` is 0 where it has no heads.
  [[nodiscard]] bool replaces(ActivationPlace place, std::size_t sample, std::size_t head,
                              std::size_t row) const noexcept;
  /// Applies the patches of an activation.
  void patch(ActivationPlace place, const ActivationView& view) const noexcept;
  /// Applies its patches, and then captures it.
  void visit(ActivationPlace place, const ActivationView& view) const noexcept;
  /// Sets to 0 what was patched, or its gradient.
  void clear_patched(ActivationPlace place, const ActivationView& view) const noexcept;
};

/// Copies the captured positions of a view, which are `positions` or all.
void copy_positions(const ActivationView& view, const std::int32_t* positions,
                    std::size_t num_positions, float* to) noexcept;

/// function(row of a view, its number among the chosen rows, counted through batch and heads) for
/// the samples, heads and positions that a patch chose.
template <typename Function>
void for_each_chosen_row(const ActivationPatch& patch, std::size_t batch, std::size_t num_heads,
                         std::size_t num_rows, const Function& function) noexcept {
  const std::size_t heads = patch.heads != nullptr ? patch.num_heads : num_heads;
  const std::size_t rows = patch.positions != nullptr ? patch.num_positions : num_rows;
  std::size_t number = 0;
  const std::size_t end = std::min(batch, patch.end_sample);
  for (std::size_t sample = patch.first_sample; sample < end; ++sample) {
    for (std::size_t i = 0; i < heads; ++i) {
      const std::size_t head =
          patch.heads != nullptr ? static_cast<std::size_t>(patch.heads[i]) : i;
      for (std::size_t j = 0; j < rows; ++j) {
        const std::size_t row =
            patch.positions != nullptr ? static_cast<std::size_t>(patch.positions[j]) : j;
        function(sample, head, row, number++);
      }
    }
  }
}

/// The patches of a pass that requires gradients, kept for its backward pass.
class KeptPatches {
 public:
  KeptPatches() = default;
  /// `floats_of(patch)` is the number of floats to keep of a patch. Their values are not copied.
  KeptPatches(std::span<const ActivationPatch> patches,
              const std::function<std::size_t(const ActivationPatch&)>& floats_of);

  [[nodiscard]] std::span<const ActivationPatch> patches() const noexcept { return patches_; }

 private:
  std::vector<std::vector<std::int32_t>> lists_;
  std::vector<ActivationPatch> patches_;
  AlignedFloats floats_;
};

}  // namespace headwise
