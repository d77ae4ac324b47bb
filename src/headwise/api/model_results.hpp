#pragma once

#include <cstddef>
#include <headwise/core/models/activations.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <span>
#include <utility>

namespace headwise {

/// The tensors that a model's calls return: members of `TransformerResult`, `TransformerGradients`
/// and `LogitAttributions`.
enum class ModelResultName : unsigned char {
  hidden,
  logits,
  encoder_hidden,
  attention_weights,
  head_gates,
  pixels,
  embeddings,
  heads,
  cross_heads,
  mlps,
  biases,
  total,
  captured,
};

struct ModelResult {
  ModelResultName name;
  Side side = Side::self;
  std::size_t layer = 0;
  /// What is captured.
  ActivationName activation{};
};

/// Gives the memory that a model's calls write their results to.
class ModelResults {
 public:
  /// Memory for a result of this shape, which has a batch axis. Called once shapes and values are
  /// checked and before anything is changed, so it may throw.
  virtual float* of(const ModelResult& result, std::span<const std::size_t> shape) = 0;
  /// Called before the captured tensors of an activation, one for each layer, or none.
  virtual void begin_list(const ModelResult& /*captured*/) {}

 protected:
  ModelResults() = default;
  ModelResults(const ModelResults&) = default;
  ModelResults(ModelResults&&) = default;
  ModelResults& operator=(const ModelResults&) = default;
  ModelResults& operator=(ModelResults&&) = default;
  ~ModelResults() = default;
};

/// Results in the memory that `place(result, shape)` returns.
template <typename Place>
class ResultsIn final : public ModelResults {
 public:
  explicit ResultsIn(Place place) : place_(std::move(place)) {}
  float* of(const ModelResult& result, std::span<const std::size_t> shape) override {
    return place_(result, shape);
  }

 private:
  Place place_;
};

}  // namespace headwise
