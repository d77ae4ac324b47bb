#pragma once

#include <cstddef>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/models/model_parameters.hpp>

/// Position-wise feed-forward layers: dense2(activation(dense1(x))), or dense2(activation(gate(x))
/// · dense1(x)). Sources: Vaswani et al. 2017, d2l's `PositionWiseFFN`; Shazeer 2020.
namespace headwise {

/// Intermediate results of a feed-forward layer.
struct FeedForwardHiddens {
  float* x = nullptr;   ///< (rows, hiddens), what is activated
  float* up = nullptr;  ///< (rows, hiddens), its factor; null if the layer is not gated

  [[nodiscard]] static FeedForwardHiddens lay_out(Arena& arena, const TransformerSettings& settings,
                                                  std::size_t rows, std::size_t hiddens) noexcept;
};

/// Arguments of a pass through one feed-forward layer.
struct FeedForwardPass {
  ModelParameters* parameters = nullptr;
  const ModelParameters::FeedForward* layer = nullptr;
  const float* inputs = nullptr;  ///< (rows, num_hiddens)
  std::size_t rows = 0;
  std::size_t num_threads = 1;
};

/// outputs (rows, num_hiddens). Writes `hiddens`, of which `x` may be `activated`, (rows, hiddens).
void feed_forward(const FeedForwardPass& pass, const FeedForwardHiddens& hiddens, float* activated,
                  float* outputs) noexcept;

/// Working memory of `feed_forward_backward`.
struct FeedForwardBackwardBuffers {
  float* activated;    ///< (rows, hiddens)
  float* gradient;     ///< (rows, hiddens), of what is activated
  float* up_gradient;  ///< (rows, hiddens), null if the layer is not gated
  float* inputs;       ///< (rows, num_hiddens), likewise

  [[nodiscard]] static FeedForwardBackwardBuffers lay_out(Arena& arena,
                                                          const TransformerSettings& settings,
                                                          std::size_t rows,
                                                          std::size_t hiddens) noexcept;
};

/// Adds to the gradients of the layer's parameters and writes that of its inputs. `hiddens` are
/// those of the forward pass.
void feed_forward_backward(const FeedForwardPass& pass, const FeedForwardHiddens& hiddens,
                           const float* gradient, const FeedForwardBackwardBuffers& buffers,
                           float* input_gradient, Arena& arena) noexcept;

}  // namespace headwise
