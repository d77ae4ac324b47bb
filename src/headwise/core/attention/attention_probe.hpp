#pragma once

#include <cstddef>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/attention/pooling_arguments.hpp>

namespace headwise {

/// Projections of a layer before pooling. `queries` has the rows of the queries, the others those
/// of the new keys.
struct HeadsOfPass {
  HeadsView<float> queries;
  HeadsView<float> keys;
  HeadsView<float> values;
};

/// Reads and replaces activations inside a layer during a pass. Models capture and patch with it.
class AttentionProbe {
 public:
  AttentionProbe() = default;
  AttentionProbe(const AttentionProbe&) = delete;
  AttentionProbe(AttentionProbe&&) = delete;
  AttentionProbe& operator=(const AttentionProbe&) = delete;
  AttentionProbe& operator=(AttentionProbe&&) = delete;
  virtual ~AttentionProbe() = default;

  /// Whether keys and values are wanted that no query reads.
  [[nodiscard]] virtual bool reads_all_keys() const noexcept = 0;
  /// Queries, keys and values, projected and rotated.
  virtual void projected(const HeadsOfPass& heads) noexcept = 0;
  /// May ask for further results of the pooling.
  virtual void before_pooling(PoolingArguments& pooling) noexcept = 0;
  /// The pooled heads, before the gates.
  virtual void after_pooling(const PoolingArguments& pooling) noexcept = 0;
  /// The layer's output.
  virtual void after_output(float* output) noexcept = 0;
};

struct PoolingGradients;

/// The backward pass through what an `AttentionProbe` replaced: constants, which have no gradient.
class AttentionGradientProbe {
 public:
  AttentionGradientProbe() = default;
  AttentionGradientProbe(const AttentionGradientProbe&) = delete;
  AttentionGradientProbe(AttentionGradientProbe&&) = delete;
  AttentionGradientProbe& operator=(const AttentionGradientProbe&) = delete;
  AttentionGradientProbe& operator=(AttentionGradientProbe&&) = delete;
  virtual ~AttentionGradientProbe() = default;

  /// Before the backward pass of the pooling, whose arguments are those of the forward pass.
  /// `pooled` are gradients behind the gates.
  virtual void before_pooling(const PoolingArguments& pooling,
                              const HeadsView<float>& pooled) noexcept = 0;
  /// Behind it, before queries and keys are rotated back.
  virtual void after_pooling(const PoolingArguments& pooling,
                             const PoolingGradients& gradients) noexcept = 0;
};

}  // namespace headwise
