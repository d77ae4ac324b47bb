#pragma once

#include <headwise/core/models/pretrained/layout.hpp>
#include <headwise/transformer.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record.hpp"

namespace headwise::bindings {

struct Model;

/// The parameters of a model and of its layers, in the order of `state_dict`. Valid until heads are
/// removed.
class ParameterList {
 public:
  /// `whole`: with the shapes that the parameters had before heads were removed.
  explicit ParameterList(Model& model, bool whole = false);

  struct Parameter {
    std::string name;
    std::vector<std::size_t> shape;
    StoredParameters* stored;
    std::size_t index;                      ///< in `stored`
    float* gradient;                        ///< null if there is none yet
    const AttentionLayer* layer = nullptr;  ///< null for the model's own
    const ParameterTable::Entry* entry = nullptr;
  };
  [[nodiscard]] const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::span<const io::NamedTensor> tensors() const noexcept { return tensors_; }

 private:
  std::vector<Parameter> parameters_;
  std::vector<io::NamedTensor> tensors_;  ///< of the same
};

/// A model, and its tie to a checkpoint, which copies do not have.
struct Model {
  Transformer transformer;
  /// Of the checkpoint that it was read from; without tensors for none.
  PretrainedLayout pretrained = {};
  /// While its tensors are loaded or saved, one call each.
  std::optional<ParameterList> pretrained_parameters = {};

  /// The options have a seed.
  explicit Model(const TransformerOptions& options,
                 InitialParameters initial = InitialParameters::random)
      : transformer(options, initial) {}
  Model(const Model& other) : transformer(other.transformer.copy()) {}
  Model(Model&&) = delete;
  Model& operator=(const Model&) = delete;
  Model& operator=(Model&&) = delete;
  ~Model() = default;
};

inline Model& model_at(Address model) noexcept { return *at<Model>(model); }
inline Transformer& transformer_at(Address model) noexcept { return model_at(model).transformer; }

}  // namespace headwise::bindings
