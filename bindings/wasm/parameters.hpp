#pragma once

#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/io/name_index.hpp>
#include <span>
#include <string>
#include <vector>

namespace headwise::bindings {

struct Model;

/// The parameters of a layer, or of a model and its layers, in the order of `state_dict`. Valid
/// until heads are removed.
class ParameterList {
 public:
  /// Axes whose sizes are still to be inferred are 0.
  explicit ParameterList(AttentionLayer& layer);
  /// `whole`: with the shapes that the parameters had before heads were removed.
  explicit ParameterList(Model& model, bool whole = false);

  struct Parameter {
    std::string name;
    std::vector<std::size_t> shape;
    StoredParameters* stored;
    std::size_t index;                             ///< in `stored`
    float* gradient;                               ///< null if there is none yet
    const AttentionLayer* layer = nullptr;         ///< null for the model's own
    const ParameterTable::Entry* entry = nullptr;  ///< null in the list of a layer
  };
  [[nodiscard]] const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::span<const io::NamedTensor> tensors() const noexcept { return tensors_; }

 private:
  void add(const std::string& prefix, const ParameterTable& table, StoredParameters* stored,
           float* gradients);

  std::vector<Parameter> parameters_;
  std::vector<io::NamedTensor> tensors_;  ///< those of a model
};

}  // namespace headwise::bindings
