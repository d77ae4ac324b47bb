#include <algorithm>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/models/transformer_core.hpp>
#include <headwise/core/training/cross_entropy.hpp>
#include <optional>
#include <utility>

namespace headwise {
namespace {

/// PyTorch's default of `nn.LayerNorm`.
constexpr float norm_epsilon = 1e-5F;

/// outputs (rows, size) = the layer norm of each row of inputs.
void normalize_rows(const ModelParameters& parameters, std::size_t norm, const float* inputs,
                    std::size_t rows, float* outputs) noexcept {
  const std::size_t size = parameters.sizes().num_hiddens;
  for (std::size_t row = 0; row < rows; ++row) {
    kernels::layer_norm(inputs + row * size, parameters.values(norm), parameters.values(norm + 1),
                        size, norm_epsilon, outputs + row * size);
  }
}

/// The backward pass of `normalize_rows`: adds to input_gradient and to the gradients of weight and
/// bias, in the order of the rows.
void normalize_rows_backward(ModelParameters& parameters, std::size_t norm, const float* inputs,
                             const float* gradient, std::size_t rows,
                             float* input_gradient) noexcept {
  const std::size_t size = parameters.sizes().num_hiddens;
  for (std::size_t row = 0; row < rows; ++row) {
    kernels::layer_norm_gradient(
        inputs + row * size, parameters.values(norm), gradient + row * size, size, norm_epsilon,
        input_gradient + row * size, parameters.gradient(norm), parameters.gradient(norm + 1));
  }
}

/// Lists the rows that have a target, and the targets; returns their number.
std::size_t list_target_rows(const TransformerPass& pass, std::int32_t* rows,
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

/// The input of the unembedding, (target rows, num_hiddens).
const float* features_of(const ModelParameters& parameters,
                         const TransformerCore::LossBuffers& buffers) noexcept {
  return parameters.sizes().layer_norm ? buffers.features : buffers.gathered;
}

/// Training mode until the end of the scope.
class TrainingMode {
 public:
  explicit TrainingMode(TransformerCore& model) noexcept
      : model_(model), was_training_(model.training()) {
    model.set_training(true);
  }
  TrainingMode(const TrainingMode&) = delete;
  TrainingMode(TrainingMode&&) = delete;
  TrainingMode& operator=(const TrainingMode&) = delete;
  TrainingMode& operator=(TrainingMode&&) = delete;
  ~TrainingMode() {
    if (!was_training_) {
      model_.set_training(false);
    }
  }

 private:
  TransformerCore& model_;
  bool was_training_;
};

}  // namespace

void TransformerCore::embed(const TransformerPass& pass, float* x) const noexcept {
  const std::size_t size = parameters_->sizes().num_hiddens;
  for (std::size_t row = 0; row < pass.batch * pass.length; ++row) {
    const auto token = static_cast<std::size_t>(pass.tokens[row]);
    std::copy_n(parameters_->values(ModelParameters::embedding) + token * size, size,
                x + row * size);
    kernels::add(x + row * size, parameters_->positions() + row % pass.length * size, size);
  }
}

void TransformerCore::add_embedding_gradients(const TransformerPass& pass,
                                              const float* gradient) noexcept {
  const std::size_t size = parameters_->sizes().num_hiddens;
  for (std::size_t row = 0; row < pass.batch * pass.length; ++row) {
    const auto token = static_cast<std::size_t>(pass.tokens[row]);
    kernels::add(parameters_->gradient(ModelParameters::embedding) + token * size,
                 gradient + row * size, size);
    if (parameters_->sizes().learned_positions) {
      kernels::add(parameters_->gradient(ModelParameters::position) + row % pass.length * size,
                   gradient + row * size, size);
    }
  }
}

AttentionMask TransformerCore::mask_of(const TransformerPass& pass) const noexcept {
  return {
      .batch = pass.batch, .num_queries = pass.length, .num_keys = pass.length, .causal = causal_};
}

ForwardArguments TransformerCore::layer_arguments(const TransformerPass& pass, std::size_t layer,
                                                  const AttentionMask& mask) const noexcept {
  const TransformerLayerPass layer_pass =
      pass.layers.empty() ? TransformerLayerPass{} : pass.layers[layer];
  return {.num_new_keys = pass.length,
          .mask = &mask,
          .head_gate = layer_pass.head_gate,
          .gate_stride = layer_pass.gate_stride,
          .attention_weights = layer_pass.attention_weights,
          .num_threads = pass.num_threads};
}

/// y = x + attention(norm(x)); y may be x. The layer saves activations in `memory`, unless that is
/// null.
void TransformerCore::apply_layer(const TransformerPass& pass, std::size_t layer, const float* x,
                                  float* y, ForwardMemory* memory,
                                  const LayerBuffers& buffers) noexcept {
  const std::size_t rows = pass.batch * pass.length;
  const std::size_t floats = rows * parameters_->sizes().num_hiddens;
  const AttentionMask mask = mask_of(pass);
  ForwardArguments arguments = layer_arguments(pass, layer, mask);
  const float* inputs = x;
  if (parameters_->sizes().layer_norm) {
    normalize_rows(*parameters_, parameters_->norm(layer), x, rows, buffers.normalized);
    inputs = buffers.normalized;
  }
  arguments.queries = arguments.keys = arguments.values = inputs;
  arguments.output = buffers.attention_output;
  arguments.arena = pass.arena;
  arguments.requires_grad = memory != nullptr;
  layers_[layer]->forward_into(arguments, memory != nullptr ? std::move(*memory) : ForwardMemory{});
  if (y != x) {
    std::copy_n(x, floats, y);
  }
  kernels::add(y, buffers.attention_output, floats);
}

/// Turns `buffers.gradient` from that of the layer's output into that of its input x.
void TransformerCore::layer_backward(const TransformerPass& pass, std::size_t layer, const float* x,
                                     const LossBuffers& buffers) noexcept {
  const std::size_t rows = pass.batch * pass.length;
  const std::size_t floats = rows * parameters_->sizes().num_hiddens;
  float* gate_gradient = pass.layers.empty() ? nullptr : pass.layers[layer].head_gate_gradient;
  layers_[layer]->backward_into(
      {.grad_output = buffers.gradient,
       .queries = buffers.queries,
       .keys = buffers.keys,
       .values = buffers.values,
       .head_gate = gate_gradient != nullptr ? gate_gradient : buffers.gate_gradient,
       .arena = pass.arena,
       .num_threads = pass.num_threads});
  kernels::add(buffers.queries, buffers.keys, floats);
  kernels::add(buffers.queries, buffers.values, floats);
  if (parameters_->sizes().layer_norm) {
    normalize_rows_backward(*parameters_, parameters_->norm(layer), x, buffers.queries, rows,
                            buffers.gradient);
  } else {
    kernels::add(buffers.gradient, buffers.queries, floats);
  }
}

TransformerCore::ForwardBuffers TransformerCore::lay_out_forward(
    Arena& arena, std::size_t batch, std::size_t length, std::size_t num_threads) const noexcept {
  const std::size_t size = parameters_->sizes().num_hiddens;
  const ForwardBuffers buffers{.residual = arena.take(batch, length, size),
                               .normalized = arena.take(batch, length, size),
                               .attention_output = arena.take(batch, length, size)};
  for (const AttentionLayer* layer : layers_) {
    const Arena::Scope scope(arena);
    layer->lay_out_forward(
        arena,
        {.batch = batch, .num_queries = length, .num_keys = length, .num_threads = num_threads});
  }
  return buffers;
}

void TransformerCore::forward_into(const TransformerPass& pass) noexcept {
  const std::size_t rows = pass.batch * pass.length;
  const Arena::Scope scope(*pass.arena);
  const ForwardBuffers buffers =
      lay_out_forward(*pass.arena, pass.batch, pass.length, pass.num_threads);
  float* const x = buffers.residual;
  parameters_->pack();
  embed(pass, x);
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    apply_layer(pass, layer, x, x, nullptr,
                {.normalized = buffers.normalized, .attention_output = buffers.attention_output});
  }
  const float* features = x;
  if (parameters_->sizes().layer_norm) {
    normalize_rows(*parameters_, parameters_->norm(num_layers()), x, rows, buffers.normalized);
    features = buffers.normalized;
  }
  const RowProjection last{.linear = parameters_->unembedding(),
                           .inputs = features,
                           .outputs = pass.logits,
                           .rows = rows};
  project({&last, 1}, pass.num_threads);
}

TransformerCore::LossBuffers TransformerCore::lay_out_loss(Arena& arena, std::size_t batch,
                                                           std::size_t length,
                                                           std::size_t num_threads) const noexcept {
  const std::size_t size = parameters_->sizes().num_hiddens;
  const std::size_t vocabulary_size = parameters_->sizes().vocabulary_size;
  std::size_t max_heads = 0;
  for (const AttentionLayer* layer : layers_) {
    max_heads = std::max(max_heads, layer->num_heads());
  }
  const LossBuffers buffers{.normalized = arena.take(batch, length, size),
                            .attention_output = arena.take(batch, length, size),
                            .residuals = arena.take(num_layers() + 1, batch, length, size),
                            .gathered = arena.take(batch, length, size),
                            .features = arena.take(batch, length, size),
                            .gradient = arena.take(batch, length, size),
                            .queries = arena.take(batch, length, size),
                            .keys = arena.take(batch, length, size),
                            .values = arena.take(batch, length, size),
                            .logits = arena.take(batch, length, vocabulary_size),
                            .losses = arena.take(batch, length),
                            .gate_gradient = arena.take(batch, max_heads),
                            .target_rows = arena.take<std::int32_t>(batch, length),
                            .targets = arena.take<std::int32_t>(batch, length)};
  const PassSizes of_layers{
      .batch = batch, .num_queries = length, .num_keys = length, .num_threads = num_threads};
  for (const AttentionLayer* layer : layers_) {
    {
      const Arena::Scope scope(arena);
      layer->lay_out_forward(arena, of_layers);
    }
    const Arena::Scope scope(arena);
    layer->lay_out_backward(arena, of_layers);
  }
  const Arena::Scope scope(arena);
  static_cast<void>(lay_out_linear_backward(arena, vocabulary_size, num_threads));
  return buffers;
}

double TransformerCore::loss_into(const TransformerPass& pass) noexcept {
  const Arena::Scope scope(*pass.arena);
  const LossBuffers buffers = lay_out_loss(*pass.arena, pass.batch, pass.length, pass.num_threads);
  std::size_t target_rows = 0;
  return forward_loss(pass, buffers, nullptr, target_rows);
}

TransformerMemory TransformerCore::allocate(const TransformerPass& pass) const {
  TransformerMemory memory{.parameter_gradients = parameters_->allocate_gradients(), .layers = {}};
  memory.layers.reserve(num_layers());
  const AttentionMask mask = mask_of(pass);
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    ForwardArguments arguments = layer_arguments(pass, layer, mask);
    arguments.requires_grad = true;
    memory.layers.push_back(layers_[layer]->allocate(arguments));
  }
  return memory;
}

double TransformerCore::forward_loss(const TransformerPass& pass, const LossBuffers& buffers,
                                     TransformerMemory* memory, std::size_t& target_rows) noexcept {
  const std::size_t size = parameters_->sizes().num_hiddens;
  const std::size_t floats = pass.batch * pass.length * size;
  parameters_->pack();
  float* x = buffers.residuals;
  embed(pass, x);
  for (std::size_t layer = 0; layer < num_layers(); ++layer, x += floats) {
    apply_layer(pass, layer, x, x + floats, memory != nullptr ? &memory->layers[layer] : nullptr,
                {.normalized = buffers.normalized, .attention_output = buffers.attention_output});
  }
  // Only rows with a target: the others have no loss.
  target_rows = list_target_rows(pass, buffers.target_rows, buffers.targets);
  for (std::size_t i = 0; i < target_rows; ++i) {
    const auto row = static_cast<std::size_t>(buffers.target_rows[i]);
    std::copy_n(x + row * size, size, buffers.gathered + i * size);
  }
  if (parameters_->sizes().layer_norm) {
    normalize_rows(*parameters_, parameters_->norm(num_layers()), buffers.gathered, target_rows,
                   buffers.features);
  }
  const RowProjection last{.linear = parameters_->unembedding(),
                           .inputs = features_of(*parameters_, buffers),
                           .outputs = buffers.logits,
                           .rows = target_rows};
  project({&last, 1}, pass.num_threads);
  return cross_entropy_into({.logits = buffers.logits,
                             .targets = buffers.targets,
                             .losses = buffers.losses,
                             .rows = target_rows,
                             .vocabulary_size = parameters_->sizes().vocabulary_size,
                             .num_threads = pass.num_threads});
}

void TransformerCore::backward(const TransformerPass& pass, const LossBuffers& buffers,
                               std::size_t target_rows) noexcept {
  const std::size_t size = parameters_->sizes().num_hiddens;
  const std::size_t floats = pass.batch * pass.length * size;
  // Gradients of the target rows, in a buffer that the layers' gradients reuse.
  float* feature_gradient = buffers.queries;
  linear_backward(parameters_->unembedding(),
                  {.inputs = features_of(*parameters_, buffers),
                   .gradient = buffers.logits,
                   .rows = target_rows,
                   .input_gradient = feature_gradient,
                   .weight_gradient = parameters_->gradient(parameters_->unembedding_index()),
                   .num_threads = pass.num_threads},
                  *pass.arena);
  if (parameters_->sizes().layer_norm) {
    std::fill_n(buffers.keys, target_rows * size, 0.0F);
    normalize_rows_backward(*parameters_, parameters_->norm(num_layers()), buffers.gathered,
                            feature_gradient, target_rows, buffers.keys);
    feature_gradient = buffers.keys;
  }
  std::fill_n(buffers.gradient, floats, 0.0F);
  for (std::size_t i = 0; i < target_rows; ++i) {
    const auto row = static_cast<std::size_t>(buffers.target_rows[i]);
    std::copy_n(feature_gradient + i * size, size, buffers.gradient + row * size);
  }
  for (std::size_t layer = num_layers(); layer-- > 0;) {
    layer_backward(pass, layer, buffers.residuals + layer * floats, buffers);
  }
  add_embedding_gradients(pass, buffers.gradient);
}

double TransformerCore::loss_and_gradients_into(const TransformerPass& pass,
                                                TransformerMemory&& memory) noexcept {
  parameters_->keep_gradients(std::move(memory.parameter_gradients));
  const Arena::Scope scope(*pass.arena);
  const LossBuffers buffers = lay_out_loss(*pass.arena, pass.batch, pass.length, pass.num_threads);
  std::size_t target_rows = 0;
  const double loss = forward_loss(pass, buffers, &memory, target_rows);
  backward(pass, buffers, target_rows);
  return loss;
}

double TransformerCore::train_step_into(const TransformerPass& pass, OptimizerCore& optimizer) {
  TransformerMemory memory = allocate(pass);
  OptimizerCore::Step step = optimizer.allocate_step(true);
  const TrainingMode training(*this);
  zero_gradients();
  const double loss = loss_and_gradients_into(pass, std::move(memory));
  optimizer.step(std::move(step));
  return loss;
}

void TransformerCore::set_training(bool training) noexcept {
  for (AttentionLayer* layer : layers_) {
    layer->set_training(training);
  }
}

void TransformerCore::zero_gradients() noexcept {
  parameters_->zero_gradients();
  for (AttentionLayer* layer : layers_) {
    layer->zero_gradients();
  }
}

void TransformerCore::parameters_changed() noexcept {
  parameters_->parameters_changed();
  for (AttentionLayer* layer : layers_) {
    layer->parameters_changed();
  }
}

std::vector<Trainable*> TransformerCore::trainables() const {
  std::vector<Trainable*> result = {parameters_};
  result.insert(result.end(), layers_.begin(), layers_.end());
  return result;
}

void TransformerCore::remove_heads(std::span<const std::vector<std::size_t>> heads) {
  std::vector<std::optional<PrunedLayer>> pruned(num_layers());
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    if (!heads[layer].empty()) {
      pruned[layer] = layers_[layer]->allocate_without(heads[layer]);
    }
  }
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    if (pruned[layer]) {
      layers_[layer]->remove_heads(std::move(*pruned[layer]));
    }
  }
}

}  // namespace headwise
