#include <algorithm>
#include <headwise/core/kernels/dispatch.hpp>
#include <headwise/core/memory/zeros.hpp>
#include <headwise/core/models/embedding.hpp>
#include <headwise/core/models/row_norms.hpp>
#include <headwise/core/models/unchecked_transformer.hpp>
#include <headwise/core/training/cross_entropy.hpp>
#include <utility>
#include <vector>

namespace headwise {
namespace {

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

/// Training mode of all layers until the end of the scope.
class TrainingMode {
 public:
  explicit TrainingMode(UncheckedTransformer& model) {
    model.for_each_layer([&](auto, auto, AttentionLayer& layer) {
      if (!layer.training()) {
        switched_.push_back(&layer);
      }
    });
    model.set_training(true);
  }
  TrainingMode(const TrainingMode&) = delete;
  TrainingMode(TrainingMode&&) = delete;
  TrainingMode& operator=(const TrainingMode&) = delete;
  TrainingMode& operator=(TrainingMode&&) = delete;
  ~TrainingMode() {
    for (AttentionLayer* layer : switched_) {
      layer->set_training(false);
    }
  }

 private:
  std::vector<AttentionLayer*> switched_;
};

EmbeddedTokens tokens_of(const StackPass& pass, const StackTensors& saved) noexcept {
  return {.tokens = saved.tokens,
          .segments = saved.segments,
          .batch = pass.batch,
          .length = pass.length,
          .positions = saved.positions};
}

/// Takes the gradient of a stack's output, in place, back to the embeddings. `buffer` is as large.
void stack_backward(ModelParameters& parameters, TransformerStack& stack, const StackPass& pass,
                    const StackTensors& saved, float* gradient, float* source_gradient,
                    float* buffer) noexcept {
  const std::size_t size = parameters.settings().num_hiddens;
  const ModelParameters::Stack& indices = stack.indices();
  stack.backward(pass, saved.layers, gradient, source_gradient);
  if (indices.embedding_norm.exists()) {
    std::copy_n(gradient, pass.rows() * size, buffer);
    write_zeros(gradient, pass.rows() * size);
    normalize_rows_backward(parameters, indices.embedding_norm, saved.embedded, buffer, pass.rows(),
                            gradient);
  }
  add_positions_backward(parameters, indices, tokens_of(pass, saved), gradient);
  pass.probe.clear_patched({ActivationName::embeddings, pass.self.side, 0},
                           stream_view(gradient, pass.batch, pass.length, size));
}

}  // namespace

UncheckedTransformer::BackwardBuffers UncheckedTransformer::lay_out_backward(
    Arena& arena, const ModelPassSizes& sizes) const noexcept {
  const TransformerSettings& model = settings();
  const std::size_t size = model.num_hiddens;
  const BackwardBuffers buffers{
      .features = arena.take(sizes.batch, sizes.length, size),
      .feature_gradient =
          arena.take(sizes.batch, std::max(sizes.length, sizes.source_length), size),
      .gradient = arena.take(sizes.batch, sizes.length, size),
      .source_gradient = arena.take(sizes.batch, sizes.source_length, size),
      .encoder_gradient = arena.take(sizes.batch, sizes.source_length, size),
      .patch_gradient = arena.take(sizes.batch, model.num_patches(), model.patch_width()),
      .logits = arena.take(model.logits_softcap > 0 ? sizes.batch : 0, sizes.length, std::size_t{2},
                           model.vocabulary_size)};
  const auto lay_out = [&](const TransformerStack& stack, const ModelPassSizes& of_stack) {
    const Arena::Scope scope(arena);
    stack.lay_out_backward(arena, of_stack);
  };
  lay_out(decoder_, sizes);
  lay_out(encoder_, sizes.of_encoder());
  const Arena::Scope scope(arena);
  static_cast<void>(LinearBackwardMemory::lay_out(arena, std::max(model.vocabulary_size, size),
                                                  sizes.num_threads));
  return buffers;
}

void UncheckedTransformer::final_norm_backward(const TransformerStack& stack, Side side,
                                               const float* x, const float* scales,
                                               const float* of_output, std::size_t rows,
                                               float* gradient) noexcept {
  const ModelParameters::NormIndices& norm = stack.indices().final_norm;
  const std::size_t size = settings().num_hiddens;
  if (!norm.exists()) {
    std::copy_n(of_output, rows * size, gradient);
    return;
  }
  const PassProbe probe = saved_probe();
  const ActivationPlace place{ActivationName::final_norm_scale, side, 0};
  if (scales == nullptr || !probe.patches_any(place)) {
    normalize_rows_backward(*parameters_, norm, x, of_output, rows, gradient);
    return;
  }
  const std::size_t length = rows / saved_->sizes.batch;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row * size;
    if (probe.replaces(place, row / length, 0, row % length)) {
      normalize_row_by_backward(*parameters_, norm, x + first, scales[row], of_output + first,
                                gradient + first);
    } else {
      normalize_rows_backward(*parameters_, norm, x + first, of_output + first, 1,
                              gradient + first);
    }
  }
}

void UncheckedTransformer::backward_into(const TransformerBackward& backward) noexcept {
  ModelPassSizes sizes = saved_->sizes;
  sizes.num_threads = backward.num_threads;
  const Arena::Scope scope(*backward.arena);
  const BackwardBuffers buffers = lay_out_backward(*backward.arena, sizes);
  const std::size_t rows = sizes.rows();
  const StackTensors saved = saved_tensors().decoder;
  const float* const x = decoder_.output_of(saved.layers, rows);
  const bool is_patched =
      saved_probe().patches_any({ActivationName::final_norm_scale, Side::self, 0});
  const float* const scales = is_patched ? saved.norm_scales : nullptr;
  const float* of_features = backward.hidden;
  if (backward.logits != nullptr) {
    if (scales != nullptr) {
      normalize_rows_by(*parameters_, decoder_.indices().final_norm, x, scales, rows,
                        buffers.features);
    } else {
      final_norm(decoder_, x, rows, buffers.features, backward.num_threads);
    }
    const std::size_t unembedding = parameters_->unembedding();
    const float* of_logits = backward.logits;
    if (settings().logits_softcap > 0) {
      const std::size_t count = rows * settings().vocabulary_size;
      float* const capped = buffers.logits + count;
      unembed(buffers.features, rows, capped, backward.num_threads);
      std::copy_n(backward.logits, count, buffers.logits);
      kernels::softcap_gradient(buffers.logits, capped, count, settings().logits_softcap);
      of_logits = buffers.logits;
    }
    linear_backward(parameters_->linear(unembedding),
                    parameters_->linear_backward(unembedding, buffers.features, of_logits, rows,
                                                 buffers.feature_gradient, backward.num_threads),
                    *backward.arena);
    if (backward.hidden != nullptr) {
      kernels::add(buffers.feature_gradient, backward.hidden, rows * settings().num_hiddens);
    }
    of_features = buffers.feature_gradient;
  }
  write_zeros(buffers.gradient, rows * settings().num_hiddens);
  final_norm_backward(decoder_, Side::self, x, scales, of_features, rows, buffers.gradient);
  layers_backward(backward, buffers);
}

void UncheckedTransformer::layers_backward(const TransformerBackward& backward,
                                           const BackwardBuffers& buffers) noexcept {
  is_pending_ = false;
  const PassTensors saved = saved_tensors();
  const std::size_t size = settings().num_hiddens;
  TransformerPass pass{saved_->sizes};
  pass.layers = backward.layers;
  pass.probe = saved_probe();
  pass.arena = backward.arena;
  pass.num_threads = backward.num_threads;

  // Embeddings are as large as the features, whose gradients are no longer needed.
  float* const buffer = buffers.feature_gradient;
  const StackPass decoder = decoder_pass(pass);
  write_zeros(buffers.source_gradient, pass.batch * pass.source_length * size);
  stack_backward(*parameters_, decoder_, decoder, saved.decoder, buffers.gradient,
                 buffers.source_gradient, buffer);
  if (settings().has_patches()) {
    embed_patches_backward(*parameters_, saved.decoder.patches, pass.batch, pass.num_threads,
                           buffers.gradient, buffers.patch_gradient, *pass.arena);
    if (backward.pixels != nullptr) {
      join_patches(settings(), buffers.patch_gradient, pass.batch, backward.pixels);
    }
    return;
  }
  if (!pass.has_embeddings) {
    embed_backward(*parameters_, tokens_of(decoder, saved.decoder), buffers.gradient);
  } else if (backward.embeddings != nullptr) {
    std::copy_n(buffers.gradient, pass.rows() * size, backward.embeddings);
  }
  if (!settings().has_encoder()) {
    return;
  }
  const StackPass encoder = encoder_pass(pass);
  float* gradient = buffers.encoder_gradient;
  write_zeros(gradient, encoder.rows() * size);
  final_norm_backward(encoder_, Side::encoder,
                      encoder_.output_of(saved.encoder.layers, encoder.rows()),
                      saved.encoder.norm_scales, buffers.source_gradient, encoder.rows(), gradient);
  stack_backward(*parameters_, encoder_, encoder, saved.encoder, gradient, nullptr, buffer);
  embed_backward(*parameters_, tokens_of(encoder, saved.encoder), gradient);
}

UncheckedTransformer::LossBuffers UncheckedTransformer::lay_out_loss(
    Arena& arena, const ModelPassSizes& sizes, bool gradients) const noexcept {
  const TransformerSettings& model = settings();
  const std::size_t size = model.num_hiddens;
  const std::size_t trained = gradients ? sizes.batch : 0;
  const LossBuffers buffers{
      .gathered = arena.take(sizes.batch, sizes.length, size),
      .features = arena.take(sizes.batch, sizes.length, size),
      .logits = arena.take(sizes.batch, sizes.length, model.vocabulary_size),
      .capped = gradients && model.logits_softcap > 0
                    ? arena.take(sizes.batch, sizes.length, model.vocabulary_size)
                    : nullptr,
      .losses = arena.take(sizes.batch, sizes.length),
      .target_rows = arena.take<std::int32_t>(sizes.batch, sizes.length),
      .targets = arena.take<std::int32_t>(sizes.batch, sizes.length),
      .feature_gradient = arena.take(trained, sizes.length, size),
      .row_gradient = arena.take(trained, sizes.length, size)};
  {
    const Arena::Scope scope(arena);
    lay_out_forward(arena, sizes, gradients);
  }
  if (gradients) {
    const Arena::Scope scope(arena);
    lay_out_backward(arena, sizes);
  }
  return buffers;
}

/// The loss of the rows that have a target: the others are not unembedded.
double UncheckedTransformer::forward_loss(const TransformerPass& pass, const LossBuffers& buffers,
                                          TransformerMemory& memory,
                                          std::size_t& target_rows) noexcept {
  const Arena::Scope scope(*pass.arena);
  ForwardBuffers forward = lay_out_forward(*pass.arena, pass, memory.saved.has_value());
  const float* outputs = run_layers(pass, forward, memory);
  const std::size_t size = settings().num_hiddens;
  target_rows = list_target_rows(pass, buffers.target_rows, buffers.targets);
  for (std::size_t i = 0; i < target_rows; ++i) {
    const auto row = static_cast<std::size_t>(buffers.target_rows[i]);
    std::copy_n(outputs + row * size, size, buffers.gathered + i * size);
  }
  final_norm(decoder_, buffers.gathered, target_rows, buffers.features, pass.num_threads);
  unembed(buffers.features, target_rows, buffers.logits, pass.num_threads);
  if (buffers.capped != nullptr) {
    std::copy_n(buffers.logits, target_rows * settings().vocabulary_size, buffers.capped);
  }
  return cross_entropy_into({.logits = buffers.logits,
                             .targets = buffers.targets,
                             .losses = buffers.losses,
                             .rows = target_rows,
                             .vocabulary_size = settings().vocabulary_size,
                             .num_threads = pass.num_threads});
}

double UncheckedTransformer::loss_into(const TransformerPass& pass) noexcept {
  const Arena::Scope scope(*pass.arena);
  TransformerMemory none;
  std::size_t target_rows = 0;
  return forward_loss(pass, lay_out_loss(*pass.arena, pass, false), none, target_rows);
}

double UncheckedTransformer::loss_and_gradients_into(const TransformerPass& pass,
                                                     TransformerMemory&& memory) noexcept {
  TransformerMemory kept = std::move(memory);
  const Arena::Scope scope(*pass.arena);
  const LossBuffers buffers = lay_out_loss(*pass.arena, pass, true);
  const std::size_t size = settings().num_hiddens;
  std::size_t target_rows = 0;
  const double loss = forward_loss(pass, buffers, kept, target_rows);
  if (settings().logits_softcap > 0) {
    kernels::softcap_gradient(buffers.logits, buffers.capped,
                              target_rows * settings().vocabulary_size, settings().logits_softcap);
  }
  const BackwardBuffers backward = lay_out_backward(*pass.arena, pass);
  const std::size_t unembedding = parameters_->unembedding();
  linear_backward(
      parameters_->linear(unembedding),
      parameters_->linear_backward(unembedding, buffers.features, buffers.logits, target_rows,
                                   buffers.feature_gradient, pass.num_threads),
      *pass.arena);
  write_zeros(buffers.row_gradient, target_rows * size);
  final_norm_backward(decoder_, Side::self, buffers.gathered, nullptr, buffers.feature_gradient,
                      target_rows, buffers.row_gradient);
  write_zeros(backward.gradient, pass.rows() * size);
  for (std::size_t i = 0; i < target_rows; ++i) {
    const auto row = static_cast<std::size_t>(buffers.target_rows[i]);
    std::copy_n(buffers.row_gradient + i * size, size, backward.gradient + row * size);
  }
  layers_backward({.layers = pass.layers, .arena = pass.arena, .num_threads = pass.num_threads},
                  backward);
  return loss;
}

double UncheckedTransformer::train_step_into(const TransformerPass& pass,
                                             UncheckedOptimizer& optimizer) {
  TransformerMemory memory = allocate(pass);
  UncheckedOptimizer::Step step = optimizer.allocate_step(true);
  const TrainingMode training(*this);
  zero_gradients();
  const double loss = loss_and_gradients_into(pass, std::move(memory));
  optimizer.step(std::move(step));
  return loss;
}

}  // namespace headwise
