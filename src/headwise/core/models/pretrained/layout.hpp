#pragma once

#include <cstddef>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/models/pretrained/families.hpp>
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
  /// Axes of size 1 before those of the parameter.
  std::size_t leading_axes = 0;
  /// Whether it repeats the embedding, which another tensor holds.
  bool is_copy = false;
};

struct PretrainedLayout {
  std::vector<PretrainedTensor> tensors;
};

/// Finds each of the model's parameters, named and shaped as in `state_dict`, among the tensors of
/// a checkpoint. Returns every name that is missing, unexpected or of the wrong shape; empty if
/// there are none.
[[nodiscard]] std::string plan_pretrained(const PretrainedFamily& family,
                                          std::span<const io::NamedTensor> parameters,
                                          std::span<const io::NamedTensor> tensors,
                                          PretrainedLayout& layout);

/// The shape of a tensor of the layout, for parameters of these shapes.
[[nodiscard]] std::vector<std::size_t> shape_of(const PretrainedTensor& tensor,
                                                std::span<const io::NamedTensor> parameters);

/// Copies part `part` of a tensor into its parameter, or back.
struct PretrainedPart {
  const PretrainedTensor* tensor;
  std::size_t part;
  std::span<const io::NamedTensor> parameters;

  void read(const float* tensor_values, float* parameter) const noexcept;
  void write(const float* parameter, float* tensor_values) const noexcept;

 private:
  template <typename Copy>
  void for_each_number(const Copy& copy) const noexcept;
};

}  // namespace headwise
