#include <algorithm>
#include <headwise/attention_only_transformer.hpp>
#include <headwise/core/attention/linear_backward.hpp>
#include <headwise/core/attention/row_projection.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/cross_entropy.hpp>
#include <utility>

namespace headwise {
namespace {

/// outputs (rows, size) = the rows of inputs normalized.
void normalize_rows(const ModelParameters& parameters, std::size_t norm, const float* inputs,
                    std::size_t rows, float* outputs) noexcept {
  const std::size_t size = parameters.sizes().num_hiddens;
  for (std::size_t row = 0; row < rows; ++row) {
    kernels::layer_norm(inputs + row * size, parameters.values(norm), parameters.values(norm + 1),
                        size, outputs + row * size);
  }
}

/// Adds to input_gradient and to the gradients of weight and bias, in the order of the rows.
void undo_normalization(ModelParameters& parameters, std::size_t norm, const float* inputs,
                        const float* gradient, std::size_t rows, float* input_gradient) noexcept {
  const std::size_t size = parameters.sizes().num_hiddens;
  for (std::size_t row = 0; row < rows; ++row) {
    kernels::layer_norm_gradient(inputs + row * size, parameters.values(norm),
                                 gradient + row * size, size, input_gradient + row * size,
                                 parameters.gradient(norm), parameters.gradient(norm + 1));
  }
}

/// The rows whose target is asked for, and the targets; returns how many there are.
std::size_t list_asked(const TransformerPass& pass, std::int32_t* rows,
                       std::int32_t* targets) noexcept {
  std::size_t count = 0;
  for (std::size_t row = 0; row < pass.batch * pass.length; ++row) {
    if (pass.targets[row] != ignored_target) {
      rows[count] = static_cast<std::int32_t>(row);
      targets[count++] = pass.targets[row];
    }
  }
  return count;
}

/// Training mode until the end of the scope.
class TrainingMode {
 public:
  explicit TrainingMode(AttentionOnlyTransformer& model) noexcept
      : model_(model), was_training_(model.training()) {
    model.train();
  }
  TrainingMode(const TrainingMode&) = delete;
  TrainingMode(TrainingMode&&) = delete;
  TrainingMode& operator=(const TrainingMode&) = delete;
  TrainingMode& operator=(TrainingMode&&) = delete;
  ~TrainingMode() {
    if (!was_training_) {
      model_.eval();
    }
  }

 private:
  AttentionOnlyTransformer& model_;
  bool was_training_;
};

constexpr double buffers_of_forward = 3;
/// Beside the residual stream, before each layer and at the end.
constexpr double buffers_of_loss = 8;

}  // namespace

/// The workspace of a pass, part by part. Where no size is told, a part is (rows, num_hiddens),
/// with batch · length rows.
struct AttentionOnlyTransformer::Buffers {
  float* free;
  std::size_t rows_size;

  float* normalized = take(rows_size);
  float* attended = take(rows_size);
  float* gathered = nullptr;  ///< (asked rows, num_hiddens), the end of the residual stream
  float* features = nullptr;  ///< the same normalized, if the model does that
  float* gradient = nullptr;  ///< of the residual stream, from its end to its beginning
  float* queries = nullptr;   ///< gradients of a layer's inputs
  float* keys = nullptr;
  float* values = nullptr;
  float* logits = nullptr;         ///< (asked rows, vocabulary)
  float* losses = nullptr;         ///< (asked rows,)
  float* gate_gradient = nullptr;  ///< (batch, heads), where nobody asks for it

  float* take(std::size_t floats) noexcept { return std::exchange(free, free + floats); }

  /// What a pass with a loss needs beside the rest.
  void take_loss(std::size_t rows, std::size_t vocabulary_size, std::size_t gates) noexcept {
    for (float** part : {&gathered, &features, &gradient, &queries, &keys, &values}) {
      *part = take(rows_size);
    }
    logits = take(rows * vocabulary_size);
    losses = take(rows);
    gate_gradient = take(gates);
  }
};

void AttentionOnlyTransformer::embed(const TransformerPass& pass, float* x) const noexcept {
  const std::size_t size = sizes().num_hiddens;
  for (std::size_t row = 0; row < pass.batch * pass.length; ++row) {
    const auto token = static_cast<std::size_t>(pass.tokens[row]);
    std::copy_n(own_->values(ModelParameters::embedding) + token * size, size, x + row * size);
    kernels::add(x + row * size, own_->positions() + row % pass.length * size, size);
  }
}

void AttentionOnlyTransformer::add_embedding_gradients(const TransformerPass& pass,
                                                       const float* gradient) noexcept {
  const std::size_t size = sizes().num_hiddens;
  for (std::size_t row = 0; row < pass.batch * pass.length; ++row) {
    const auto token = static_cast<std::size_t>(pass.tokens[row]);
    kernels::add(own_->gradient(ModelParameters::embedding) + token * size, gradient + row * size,
                 size);
    if (sizes().learned_positions) {
      kernels::add(own_->gradient(ModelParameters::position) + row % pass.length * size,
                   gradient + row * size, size);
    }
  }
}

AttentionMask AttentionOnlyTransformer::mask_of(const TransformerPass& pass) const noexcept {
  return {
      .batch = pass.batch, .num_queries = pass.length, .num_keys = pass.length, .causal = causal_};
}

ForwardArguments AttentionOnlyTransformer::layer_arguments(
    const TransformerPass& pass, std::size_t layer, const AttentionMask& mask) const noexcept {
  const TransformerLayerPass own =
      pass.layers.empty() ? TransformerLayerPass{} : pass.layers[layer];
  return {.num_new_keys = pass.length,
          .mask = &mask,
          .head_gate = own.head_gate,
          .gate_stride = own.gate_stride,
          .attention_weights = own.attention_weights,
          .num_threads = pass.num_threads};
}

/// y = x + attention(norm(x)); y may be x. The layer keeps what its backward needs in `memory`,
/// unless that is null.
void AttentionOnlyTransformer::apply_layer(const TransformerPass& pass, std::size_t layer,
                                           const float* x, float* y, ForwardMemory* memory,
                                           const Buffers& buffers) noexcept {
  const std::size_t rows = pass.batch * pass.length;
  const std::size_t floats = rows * sizes().num_hiddens;
  const AttentionMask mask = mask_of(pass);
  ForwardArguments arguments = layer_arguments(pass, layer, mask);
  const float* inputs = x;
  if (sizes().layer_norm) {
    normalize_rows(*own_, own_->norm(layer), x, rows, buffers.normalized);
    inputs = buffers.normalized;
  }
  arguments.queries = arguments.keys = arguments.values = inputs;
  arguments.output = buffers.attended;
  arguments.workspace = buffers.free;
  arguments.requires_grad = memory != nullptr;
  layers_[layer].forward_into(arguments, memory != nullptr ? std::move(*memory) : ForwardMemory{});
  if (y != x) {
    std::copy_n(x, floats, y);
  }
  kernels::add(y, buffers.attended, floats);
}

/// `buffers.gradient`, of the layer's output, becomes that of its input x.
void AttentionOnlyTransformer::undo_layer(const TransformerPass& pass, std::size_t layer,
                                          const float* x, const Buffers& buffers) noexcept {
  const std::size_t rows = pass.batch * pass.length;
  const std::size_t floats = rows * sizes().num_hiddens;
  float* gate_gradient = pass.layers.empty() ? nullptr : pass.layers[layer].head_gate_gradient;
  layers_[layer].backward_into(
      {.grad_output = buffers.gradient,
       .queries = buffers.queries,
       .keys = buffers.keys,
       .values = buffers.values,
       .head_gate = gate_gradient != nullptr ? gate_gradient : buffers.gate_gradient,
       .workspace = buffers.free,
       .num_threads = pass.num_threads});
  kernels::add(buffers.queries, buffers.keys, floats);
  kernels::add(buffers.queries, buffers.values, floats);
  if (sizes().layer_norm) {
    undo_normalization(*own_, own_->norm(layer), x, buffers.queries, rows, buffers.gradient);
  } else {
    kernels::add(buffers.gradient, buffers.queries, floats);
  }
}

void AttentionOnlyTransformer::forward_into(const TransformerPass& pass) noexcept {
  const std::size_t rows = pass.batch * pass.length;
  Buffers buffers{.free = pass.workspace, .rows_size = rows * sizes().num_hiddens};
  float* x = buffers.take(buffers.rows_size);
  embed(pass, x);
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    apply_layer(pass, layer, x, x, nullptr, buffers);
  }
  const float* features = x;
  if (sizes().layer_norm) {
    normalize_rows(*own_, own_->norm(num_layers()), x, rows, buffers.normalized);
    features = buffers.normalized;
  }
  const RowProjection last{
      .linear = &own_->unembedding(), .inputs = features, .outputs = pass.logits, .rows = rows};
  project({&last, 1}, pass.num_threads);
}

double AttentionOnlyTransformer::loss_into(const TransformerPass& pass) noexcept {
  return loss_with(pass, nullptr);
}

TransformerMemory AttentionOnlyTransformer::allocate(const TransformerPass& pass) const {
  TransformerMemory memory{.own_gradients = own_->allocate_gradients(), .layers = {}};
  memory.layers.reserve(num_layers());
  const AttentionMask mask = mask_of(pass);
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    ForwardArguments arguments = layer_arguments(pass, layer, mask);
    arguments.requires_grad = true;
    memory.layers.push_back(layers_[layer].allocate(arguments));
  }
  return memory;
}

double AttentionOnlyTransformer::loss_and_gradients_into(const TransformerPass& pass,
                                                         TransformerMemory&& memory) noexcept {
  own_->keep_gradients(std::move(memory.own_gradients));
  return loss_with(pass, &memory);
}

double AttentionOnlyTransformer::train_step_into(const TransformerPass& pass,
                                                 Optimizer& optimizer) {
  TransformerMemory memory = allocate(pass);
  Optimizer::Step step = optimizer.allocate_step(true);
  const TrainingMode training(*this);
  zero_gradients();
  const double loss = loss_and_gradients_into(pass, std::move(memory));
  optimizer.step(std::move(step));
  return loss;
}

double AttentionOnlyTransformer::loss_with(const TransformerPass& pass,
                                           TransformerMemory* memory) noexcept {
  const std::size_t rows = pass.batch * pass.length;
  const auto [vocabulary_size, max_length, size, layer_count, learned_positions, layer_norm] =
      sizes();
  const std::size_t last_norm = own_->norm(num_layers());
  std::size_t most_heads = 0;
  for (const MultiHeadAttention& layer : layers_) {
    most_heads = std::max(most_heads, layer.num_heads());
  }
  Buffers buffers{.free = pass.workspace, .rows_size = rows * size};
  buffers.take_loss(rows, vocabulary_size, pass.batch * most_heads);
  float* residual = buffers.take((num_layers() + 1) * rows * size);
  const auto x = [&, row_floats = rows * size](std::size_t layer) {
    return residual + layer * row_floats;
  };

  embed(pass, x(0));
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    apply_layer(pass, layer, x(layer), x(layer + 1),
                memory != nullptr ? &memory->layers[layer] : nullptr, buffers);
  }
  // Only where something is asked: the other rows have no loss.
  std::int32_t* asked_targets = pass.places + rows;
  const std::size_t asked = list_asked(pass, pass.places, asked_targets);
  const auto each_asked = [&, row_size = size](const auto& work) {
    for (std::size_t i = 0; i < asked; ++i) {
      work(i * row_size, static_cast<std::size_t>(pass.places[i]) * row_size);
    }
  };
  each_asked([&, row_size = size](std::size_t here, std::size_t there) {
    std::copy_n(x(num_layers()) + there, row_size, buffers.gathered + here);
  });
  const float* features = buffers.gathered;
  if (layer_norm) {
    normalize_rows(*own_, last_norm, buffers.gathered, asked, buffers.features);
    features = buffers.features;
  }
  const RowProjection last{
      .linear = &own_->unembedding(), .inputs = features, .outputs = buffers.logits, .rows = asked};
  project({&last, 1}, pass.num_threads);
  const double loss = cross_entropy_into({.logits = buffers.logits,
                                          .targets = asked_targets,
                                          .losses = buffers.losses,
                                          .rows = asked,
                                          .vocabulary_size = vocabulary_size,
                                          .num_threads = pass.num_threads});
  if (memory == nullptr) {
    return loss;
  }

  // Gradients of the asked rows, where the layers' gradients come later.
  float* feature_gradient = buffers.queries;
  linear_backward(own_->unembedding(),
                  {.inputs = features,
                   .gradient = buffers.logits,
                   .rows = asked,
                   .input_gradient = feature_gradient,
                   .weight_gradient = own_->gradient(own_->unembedding_place()),
                   .workspace = buffers.free,
                   .num_threads = pass.num_threads});
  if (layer_norm) {
    std::fill_n(buffers.keys, asked * size, 0.0F);
    undo_normalization(*own_, last_norm, buffers.gathered, feature_gradient, asked, buffers.keys);
    feature_gradient = buffers.keys;
  }
  std::fill_n(buffers.gradient, rows * size, 0.0F);
  each_asked([&, row_size = size](std::size_t here, std::size_t there) {
    std::copy_n(feature_gradient + here, row_size, buffers.gradient + there);
  });
  for (std::size_t layer = num_layers(); layer-- > 0;) {
    undo_layer(pass, layer, x(layer), buffers);
  }
  add_embedding_gradients(pass, buffers.gradient);
  return loss;
}

double AttentionOnlyTransformer::forward_workspace_size(double batch, double length,
                                                        double num_threads) const noexcept {
  double most = 0;
  for (const MultiHeadAttention& layer : layers_) {
    most = std::max(most, layer.workspace_size(batch, length, length, num_threads));
  }
  return buffers_of_forward * batch * length * static_cast<double>(sizes().num_hiddens) + most;
}

double AttentionOnlyTransformer::loss_workspace_size(double batch, double length,
                                                     double num_threads) const noexcept {
  const auto vocabulary_size = static_cast<double>(sizes().vocabulary_size);
  const auto num_hiddens = static_cast<double>(sizes().num_hiddens);
  double most = num_threads * linear_backward_workspace_size(vocabulary_size);
  double most_heads = 0;
  for (const MultiHeadAttention& layer : layers_) {
    most = std::max({most, layer.workspace_size(batch, length, length, num_threads),
                     layer.backward_workspace_size(batch, length, length, num_threads)});
    most_heads = std::max(most_heads, static_cast<double>(layer.num_heads()));
  }
  const double buffers = buffers_of_loss + static_cast<double>(num_layers()) + 1;
  return batch * (length * (buffers * num_hiddens + vocabulary_size + 1) + most_heads) + most;
}

}  // namespace headwise
