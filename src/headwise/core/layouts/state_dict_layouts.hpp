#pragma once

#include <array>
#include <cstddef>
#include <headwise/core/io/safetensors_header.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// How other systems name and lay out the parameters of multi-head attention. Sources: d2l's
/// MultiHeadAttention; PyTorch, torch.nn.MultiheadAttention; Hugging Face Transformers, the BERT,
/// ViT, CLIP and GPT-2 models; timm, VisionTransformer; minGPT and nanoGPT, CausalSelfAttention.
namespace headwise::io {

/// The shape of a parameter, which has three axes at most.
struct ParameterAxes {
  std::array<std::size_t, 3> sizes = {};
  std::size_t count = 0;

  [[nodiscard]] std::span<const std::size_t> shape() const noexcept {
    return {sizes.data(), count};
  }
};

/// The source of one of the layer's parameters.
struct PlannedParameter {
  std::size_t parameter;  ///< its number in `parameter_names`
  std::size_t source;     ///< index of the tensor that holds it, or `no_source`: zeros
  std::size_t first_row;  ///< in a tensor of several parameters, stacked along the rows
  bool transposed;        ///< whether the tensor is (in, out)
  ParameterAxes axes;
};

inline constexpr std::size_t no_source = static_cast<std::size_t>(-1);

/// The layer that a state dict describes.
struct LayerPlan {
  std::size_t num_hiddens = 0;
  std::size_t num_kv_heads = 0;
  std::size_t query_size = 0;
  std::size_t key_size = 0;
  std::size_t value_size = 0;
  std::size_t output_size = 0;
  std::size_t attention_hiddens = 0;  ///< 0 without additive pooling
  bool output_projection = false;
  bool bias = false;
  bool output_bias = false;
  bool convolution = false;
  bool bias_kv = false;
  std::vector<PlannedParameter> parameters;
};

/// The prefix with a trailing dot, unless it is empty.
[[nodiscard]] std::string with_dot(std::string_view prefix);

/// Recognizes the layout of the tensors whose names begin with `prefix`, and reads the layer from
/// it, ignoring buffers. Returns the problems found; empty if there are none. `num_heads` is at
/// least 1.
[[nodiscard]] std::string plan_layer(std::span<const NamedTensor> tensors, std::string_view prefix,
                                     std::size_t num_heads, LayerPlan& plan);

/// Number of elements of a tensor.
[[nodiscard]] std::size_t count_of(std::span<const std::size_t> shape) noexcept;

/// Copies a planned parameter out of its source, which has the given shape.
void copy_planned(const PlannedParameter& planned, const float* source,
                  std::span<const std::size_t> source_shape, float* to) noexcept;

}  // namespace headwise::io
