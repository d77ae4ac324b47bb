#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/parameter_list.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/models/pretrained/layout.hpp>
#include <headwise/core/models/unchecked_transformer.hpp>
#include <vector>

namespace headwise {

/// A model's parameters as the tensors of a checkpoint, which are copied one at a time. Valid while
/// the model is not changed other than by it.
class PretrainedParameters {
 public:
  /// What is written: values, gradients, or values of full size with zeros for removed heads.
  enum class Kind : std::uint8_t { values, gradients, whole };

  /// The layout is one of the model's parameters, and outlives this object.
  PretrainedParameters(const PretrainedLayout& layout, const UncheckedTransformer& model,
                       Kind kind = Kind::values);
  // The tensors are views of the list.
  PretrainedParameters(const PretrainedParameters&) = delete;
  PretrainedParameters(PretrainedParameters&&) = delete;
  PretrainedParameters& operator=(const PretrainedParameters&) = delete;
  PretrainedParameters& operator=(PretrainedParameters&&) = delete;
  ~PretrainedParameters() = default;

  [[nodiscard]] const std::vector<PretrainedTensor>& tensors() const noexcept {
    return layout_->tensors;
  }
  [[nodiscard]] std::vector<std::size_t> shape_of(const PretrainedTensor& tensor) const {
    return headwise::shape_of(tensor, parameters_);
  }
  /// Whether the tensor's rows are those of one parameter, so that it may be read in parts.
  [[nodiscard]] static bool is_by_rows(const PretrainedTensor& tensor) noexcept;

  /// Copies a tensor's numbers to the model. Call the model's `parameters_changed` afterwards.
  void read(const PretrainedTensor& tensor, const float* numbers) const;
  /// The same of some rows, where `is_by_rows`.
  void read_rows(const PretrainedTensor& tensor, std::size_t first_row, std::size_t rows,
                 const float* numbers) const;
  /// Writes the tensor's numbers.
  void write(const PretrainedTensor& tensor, float* numbers) const;

 private:
  /// The numbers of a parameter: where they are, or copied to `memory`.
  const float* numbers_of(std::size_t parameter, AlignedFloats& memory) const;

  const PretrainedLayout* layout_;
  Kind kind_;
  ParameterList list_;
  std::vector<std::vector<std::size_t>> shapes_;  ///< of the parameters as they are written
  std::vector<io::NamedTensor> parameters_;       ///< by these shapes
};

}  // namespace headwise
