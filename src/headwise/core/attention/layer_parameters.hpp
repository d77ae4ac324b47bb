#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/linear.hpp>
#include <headwise/tensor.hpp>
#include <optional>
#include <vector>

namespace headwise {

/// How each head weighs its keys.
enum class Pooling {
  dot_product,  ///< softmax(Q Kᵀ / √d) V
  additive,  ///< d2l's AdditiveAttention (Bahdanau et al. 2014), its parameters shared by the heads
};

/// How heads are formed from the inputs.
enum class Projection {
  linear,       ///< W_q, W_k, W_v as in the chapter
  convolution,  ///< 1×1 convolutions with a group a head: each head projects its own slice of the
                ///< input
  none,         ///< the input is split as it is: no parameters and no output projection
};

/// A layer's options, settled.
struct LayerSettings {
  std::size_t num_hiddens;
  std::size_t num_heads;
  std::size_t num_kv_heads;
  std::size_t head_size;
  std::size_t output_size;
  bool output_projection;
  bool bias;
  Projection projection;
  Pooling pooling;
  std::size_t attention_hiddens;
  float scale;
  float softcap;
  bool bias_kv;
  bool zero_attention;
  double dropout;
  std::uint64_t seed;

  /// Floats of the queries of one position in all heads, and of its keys or values.
  [[nodiscard]] std::size_t query_width() const noexcept { return num_heads * head_size; }
  [[nodiscard]] std::size_t key_value_width() const noexcept { return num_kv_heads * head_size; }
  [[nodiscard]] std::size_t num_extra_slots() const noexcept {
    return (bias_kv ? 1U : 0U) + (zero_attention ? 1U : 0U);
  }
};

/// Sizes of the last axes of queries, keys and values.
struct InputSizes {
  std::size_t query_size;
  std::size_t key_size;
  std::size_t value_size;
};

/// A layer's parameters. Which exist follows from its settings. Their numbers are those of
/// `parameter_names`; each is drawn at random from the stream of its number.
struct LayerParameters {
  std::optional<Linear> W_q, W_k, W_v, W_o;
  std::optional<Tensor<1>> bias_k, bias_v;                ///< (key-value width,)
  std::optional<Tensor<2>> attention_W_q, attention_W_k;  ///< (attention hiddens, head size)
  std::optional<Tensor<1>> attention_w_v;                 ///< (attention hiddens,)

  LayerParameters(const LayerSettings& settings, const InputSizes& sizes);

  /// Draws every parameter: PyTorch's defaults.
  void initialize(std::uint64_t seed) noexcept;

  /// A parameter by its number; null if the layer has none of that name. Whoever writes calls
  /// `invalidate` afterwards.
  [[nodiscard]] float* data(std::size_t number) noexcept;
  [[nodiscard]] const float* data(std::size_t number) const noexcept;
  /// Parameters were written: what was computed from the old ones is invalid.
  void invalidate() noexcept;
};

/// A layer's parameter as its state dict has it. Unknown input sizes stand as 0.
struct ParameterShape {
  std::size_t number;
  std::vector<std::size_t> shape;

  /// The parameter as a matrix: its first axis, and the others together.
  [[nodiscard]] std::size_t rows() const noexcept { return shape.front(); }
  [[nodiscard]] std::size_t columns() const noexcept;
};

/// Names and shapes of all parameters that a layer of these settings has, in the order of their
/// numbers.
[[nodiscard]] std::vector<ParameterShape> parameter_shapes(const LayerSettings& settings,
                                                           const InputSizes& sizes);

}  // namespace headwise
