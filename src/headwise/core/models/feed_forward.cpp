#include <array>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/models/feed_forward.hpp>
#include <headwise/core/parallel/for_each.hpp>

namespace headwise {
namespace {

/// Calls `use(kernel, gradient)` with the kernels of an activation function.
template <typename Use>
void with_kernels(Activation activation, const Use& use) noexcept {
  switch (activation) {
    case Activation::relu:
      return use(kernels::relu, kernels::relu_gradient);
    case Activation::gelu:
      return use(kernels::gelu, kernels::gelu_gradient);
    case Activation::gelu_tanh:
      return use(kernels::gelu_tanh, kernels::gelu_tanh_gradient);
    case Activation::silu:
      return use(kernels::silu, kernels::silu_gradient);
  }
}

const float* offset(const float* numbers, std::size_t count) noexcept {
  return numbers != nullptr ? numbers + count : nullptr;
}

/// Threads that are worth using for so many activations.
std::size_t threads_for(const FeedForwardPass& pass, std::size_t count) noexcept {
  constexpr double operations_per_activation = 30;
  return parallel::threads_worth(operations_per_activation * static_cast<double>(count),
                                 pass.num_threads);
}

/// y = activation(x) · up, for `count` floats.
void activate(const FeedForwardPass& pass, const FeedForwardHiddens& hiddens, std::size_t count,
              float* y) noexcept {
  with_kernels(pass.parameters->settings().activation, [&](const auto& kernel, const auto&) {
    parallel::for_each_block(
        count, threads_for(pass, count), [&](std::size_t first, std::size_t end) {
          kernel(hiddens.x + first, offset(hiddens.up, first), end - first, y + first);
        });
  });
}

/// Turns the gradient of activation(x) · up into that of x, in place, and writes that of up.
void activate_backward(const FeedForwardPass& pass, const FeedForwardHiddens& hiddens,
                       std::size_t count, float* gradient, float* up_gradient) noexcept {
  with_kernels(pass.parameters->settings().activation, [&](const auto&, const auto& kernel) {
    parallel::for_each_block(
        count, threads_for(pass, count), [&](std::size_t first, std::size_t end) {
          kernel(hiddens.x + first, offset(hiddens.up, first), gradient + first, end - first,
                 gradient + first, up_gradient != nullptr ? up_gradient + first : nullptr);
        });
  });
}

}  // namespace

FeedForwardHiddens FeedForwardHiddens::lay_out(Arena& arena, const TransformerSettings& settings,
                                               std::size_t rows, std::size_t hiddens) noexcept {
  FeedForwardHiddens result;
  result.x = arena.take(rows, hiddens);
  result.up = settings.gated ? arena.take(rows, hiddens) : nullptr;
  return result;
}

void feed_forward(const FeedForwardPass& pass, const FeedForwardHiddens& hiddens, float* activated,
                  float* outputs) noexcept {
  const ModelParameters& parameters = *pass.parameters;
  const auto& [gate, dense1, dense2] = *pass.layer;
  const bool is_gated = gate != ModelParameters::none;
  const auto projection = [&](std::size_t number, float* to) {
    return RowProjection{.linear = parameters.linear(number),
                         .inputs = pass.inputs,
                         .outputs = to,
                         .rows = pass.rows};
  };
  const std::array<RowProjection, 2> first = {
      projection(is_gated ? gate : dense1, hiddens.x),
      projection(dense1, is_gated ? hiddens.up : hiddens.x)};
  project({first.data(), is_gated ? 2U : 1U}, pass.num_threads);
  activate(pass, hiddens, pass.rows * parameters.linear(dense1).sizes.out, activated);
  RowProjection last = projection(dense2, outputs);
  last.inputs = activated;
  project({&last, 1}, pass.num_threads);
}

FeedForwardBackwardBuffers FeedForwardBackwardBuffers::lay_out(Arena& arena,
                                                               const TransformerSettings& settings,
                                                               std::size_t rows,
                                                               std::size_t hiddens) noexcept {
  return {.activated = arena.take(rows, hiddens),
          .gradient = arena.take(rows, hiddens),
          .up_gradient = settings.gated ? arena.take(rows, hiddens) : nullptr,
          .inputs = settings.gated ? arena.take(rows, settings.num_hiddens) : nullptr};
}

void feed_forward_backward(const FeedForwardPass& pass, const FeedForwardHiddens& hiddens,
                           const float* gradient, const FeedForwardBackwardBuffers& buffers,
                           float* input_gradient, Arena& arena) noexcept {
  ModelParameters& parameters = *pass.parameters;
  const auto& [gate, dense1, dense2] = *pass.layer;
  const std::size_t count = pass.rows * parameters.linear(dense1).sizes.out;
  const auto backward = [&](std::size_t number, const float* inputs, const float* of, float* into) {
    linear_backward(
        parameters.linear(number),
        parameters.linear_backward(number, inputs, of, pass.rows, into, pass.num_threads), arena);
  };
  activate(pass, hiddens, count, buffers.activated);
  backward(dense2, buffers.activated, gradient, buffers.gradient);
  activate_backward(pass, hiddens, count, buffers.gradient, buffers.up_gradient);
  if (gate == ModelParameters::none) {
    backward(dense1, pass.inputs, buffers.gradient, input_gradient);
    return;
  }
  backward(gate, pass.inputs, buffers.gradient, input_gradient);
  backward(dense1, pass.inputs, buffers.up_gradient, buffers.inputs);
  kernels::add(input_gradient, buffers.inputs, pass.rows * parameters.settings().num_hiddens);
}

}  // namespace headwise
