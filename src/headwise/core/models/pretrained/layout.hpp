#pragma once

#include <array>
#include <cstddef>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/models/pretrained/config.hpp>
#include <headwise/core/models/pretrained/pruned_heads.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <span>
#include <string>
#include <vector>

/// Where a checkpoint's tensors hold a model's parameters, in both directions.
namespace headwise {

/// A tensor of a checkpoint.
struct PretrainedTensor {
  std::string name;  ///< as the checkpoint has it
  /// The parameters that it holds, stacked along the rows, by their number.
  std::vector<std::size_t> parameters;
  bool transposed = false;
  /// Rows of each part that stand side by side, or all of them: 0. Source: GPT-NeoX, of each head.
  std::size_t block_rows = 0;
  /// What the parameter has in addition.
  float offset = 0;
  /// Axes of size 1 before those of the parameter.
  std::size_t leading_axes = 0;
  /// Whether it repeats the token embedding, which another tensor holds.
  bool is_copy = false;

  /// A number of the file as the parameter has it. Without an offset, -0 stays -0.
  [[nodiscard]] float with_offset(float number) const noexcept {
    return offset == 0 ? number : number + offset;
  }
};

struct PretrainedLayout {
  std::vector<PretrainedTensor> tensors;
};

/// How a checkpoint becomes a model.
struct PretrainedPlan {
  TransformerOptions options;
  /// Heads to be removed from a model of these options before it has the tensors' shapes, by side.
  BySide<HeadsByLayer> removed_heads;
  /// Names the parameters, by their order in a model of these options, pruned.
  PretrainedLayout layout;
  /// What is wrong with the tensors; empty if nothing is.
  std::string problems;
  /// Tensors, by their number, that may hold the same token embedding.
  std::vector<std::size_t> tied;
  /// Whether the config asks for a tied unembedding, and the tensors have another.
  bool is_untied = false;
};

/// Plans the model of a checkpoint; nothing of the model's size is allocated. If the config has
/// problems, the plan is empty. `same_as` has for each of the plan's `tied` tensors the place of
/// the first of them with the same numbers; if it is empty, they all have: plan once more if there
/// are two or more of them.
[[nodiscard]] PretrainedPlan plan_pretrained(PretrainedConfig& config,
                                             std::span<const io::NamedTensor> tensors,
                                             std::span<const std::size_t> same_as = {});

/// The shape of a tensor of the layout, for parameters of these shapes.
[[nodiscard]] std::vector<std::size_t> shape_of(const PretrainedTensor& tensor,
                                                std::span<const io::NamedTensor> parameters);

/// Copies part `part` of a tensor into its parameter, or back.
struct PretrainedPart {
  const PretrainedTensor* tensor;
  std::size_t part;
  std::span<const io::NamedTensor> parameters;

  void read(const float* tensor_values, float* parameter) const noexcept;
  /// The parameter is one of gradients if `is_gradient`.
  void write(const float* parameter, bool is_gradient, float* tensor_values) const noexcept;

 private:
  template <typename Copy>
  void for_each_number(const Copy& copy) const noexcept;
};

}  // namespace headwise
