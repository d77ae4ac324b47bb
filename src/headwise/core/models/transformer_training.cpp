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
    for (const Side side : all_sides) {
      for (AttentionLayer* layer : model.layers(side)) {
        if (!layer->training()) {
          switched_.push_back(layer);
        }
      }
    }
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

}  // namespace

UncheckedTransformer::BackwardBuffers UncheckedTransformer::lay_out_backward(
    Arena& arena, const Sizes& sizes) const noexcept {
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
  const auto lay_out = [&](const TransformerStack& stack, std::size_t length) {
    const Arena::Scope scope(arena);
    stack.lay_out_backward(arena, {.batch = sizes.batch,
                                   .length = length,
                                   .num_keys = length,
                                   .source_length = sizes.source_length,
                                   .num_threads = sizes.num_threads});
  };
  lay_out(decoder_, sizes.length);
  lay_out(encoder_, sizes.source_length);
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
  const PassProbe probe{.captures = {}, .patches = saved_->patches.patches()};
  if (scales == nullptr || !probe.patches_any(ActivationName::final_norm_scale, side, 0)) {
    normalize_rows_backward(*parameters_, norm, x, of_output, rows, gradient);
    return;
  }
  const std::size_t length = rows / saved_->sizes.batch;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row * size;
    if (probe.replaces(ActivationName::final_norm_scale, side, 0, row / length, 0, row % length)) {
      normalize_row_by_backward(*parameters_, norm, x + first, scales[row], of_output + first,
                                gradient + first);
    } else {
      normalize_rows_backward(*parameters_, norm, x + first, of_output + first, 1,
                              gradient + first);
    }
  }
}

void UncheckedTransformer::backward_into(const TransformerBackward& backward) noexcept {
  const SavedPass::Sizes sizes = saved_->sizes;
  const Arena::Scope scope(*backward.arena);
  const BackwardBuffers buffers =
      lay_out_backward(*backward.arena, {.batch = sizes.batch,
                                         .length = sizes.length,
                                         .num_keys = sizes.length,
                                         .source_length = sizes.source_length,
                                         .num_source_keys = sizes.source_length,
                                         .num_threads = backward.num_threads});
  const std::size_t rows = sizes.batch * sizes.length;
  const std::size_t floats = rows * settings().num_hiddens;
  const float* const x = decoder_.output_of(saved_tensors().decoder, rows);
  const bool is_patched =
      PassProbe{.captures = {}, .patches = saved_->patches.patches()}.patches_any(
          ActivationName::final_norm_scale, Side::self, 0);
  const float* const scales = is_patched ? saved_tensors().norm_scales : nullptr;
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
      kernels::add(buffers.feature_gradient, backward.hidden, floats);
    }
    of_features = buffers.feature_gradient;
  }
  write_zeros(buffers.gradient, floats);
  final_norm_backward(decoder_, Side::self, x, scales, of_features, rows, buffers.gradient);
  layers_backward(backward, buffers);
}

void UncheckedTransformer::layers_backward(const TransformerBackward& backward,
                                           const BackwardBuffers& buffers) noexcept {
  is_pending_ = false;
  const SavedPass::Tensors saved = saved_tensors();
  const auto [batch, length, source_length, has_norm_scales, has_embeddings, has_batch_axis] =
      saved_->sizes;
  const PassProbe probe{.captures = {}, .patches = saved_->patches.patches()};
  const std::size_t size = settings().num_hiddens;
  const auto backward_embedding_norm = [&](const TransformerStack& stack, const float* embedded,
                                           std::size_t rows, float* gradient) {
    if (stack.indices().embedding_norm.exists()) {
      // The features are no longer needed.
      float* of_output = buffers.feature_gradient;
      std::copy_n(gradient, rows * size, of_output);
      write_zeros(gradient, rows * size);
      normalize_rows_backward(*parameters_, stack.indices().embedding_norm, embedded, of_output,
                              rows, gradient);
    }
  };
  TransformerPass pass;
  pass.batch = batch;
  pass.length = length;
  pass.source_length = source_length;
  pass.layers = backward.layers;
  pass.cross_layers = backward.cross_layers;
  pass.encoder_layers = backward.encoder_layers;
  pass.probe = probe;
  pass.arena = backward.arena;
  pass.num_threads = backward.num_threads;

  write_zeros(buffers.source_gradient, batch * source_length * size);
  decoder_.backward(decoder_pass(pass), saved.decoder, buffers.gradient, buffers.source_gradient);
  backward_embedding_norm(decoder_, saved.embedded, batch * length, buffers.gradient);
  const EmbeddedTokens tokens{
      .tokens = saved_->tokens.data(),
      .segments = saved_->segments.empty() ? nullptr : saved_->segments.data(),
      .batch = batch,
      .length = length,
      .positions = saved_->positions.data()};
  add_positions_backward(*parameters_, decoder_.indices(), tokens, buffers.gradient);
  probe.clear_patched(ActivationName::embeddings, Side::self, 0,
                      stream_view(buffers.gradient, batch, length, size));
  if (settings().has_patches()) {
    embed_patches_backward(*parameters_, saved.patches, batch, backward.num_threads,
                           buffers.gradient, buffers.patch_gradient, *backward.arena);
    if (backward.pixels != nullptr) {
      join_patches(settings(), buffers.patch_gradient, batch, backward.pixels);
    }
    return;
  }
  if (!has_embeddings) {
    embed_backward(*parameters_, tokens, buffers.gradient);
  } else if (backward.embeddings != nullptr) {
    std::copy_n(buffers.gradient, batch * length * size, backward.embeddings);
  }
  if (!settings().has_encoder()) {
    return;
  }
  const std::size_t rows = batch * source_length;
  float* gradient = buffers.encoder_gradient;
  write_zeros(gradient, rows * size);
  final_norm_backward(encoder_, Side::encoder, encoder_.output_of(saved.encoder, rows),
                      has_norm_scales ? saved.source_norm_scales : nullptr, buffers.source_gradient,
                      rows, gradient);
  encoder_.backward(encoder_pass(pass), saved.encoder, gradient, nullptr);
  backward_embedding_norm(encoder_, saved.source_embedded, rows, gradient);
  const EmbeddedTokens source{.tokens = saved_->source.data(),
                              .batch = batch,
                              .length = source_length,
                              .positions = saved_->source_positions.data()};
  add_positions_backward(*parameters_, encoder_.indices(), source, gradient);
  probe.clear_patched(ActivationName::embeddings, Side::encoder, 0,
                      stream_view(gradient, batch, source_length, size));
  embed_backward(*parameters_, source, gradient);
}

UncheckedTransformer::LossBuffers UncheckedTransformer::lay_out_loss(
    Arena& arena, const Sizes& sizes, bool gradients) const noexcept {
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
      .keeps_capped = gradients && model.logits_softcap > 0,
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

const float* UncheckedTransformer::features_of(const LossBuffers& buffers) const noexcept {
  return settings().final_norm ? buffers.features : buffers.gathered;
}

/// The loss of the rows that have a target: the others are not unembedded. Leaves the gradient of
/// the logits in their place.
double UncheckedTransformer::head_loss(const TransformerPass& pass, const LossBuffers& buffers,
                                       const float* outputs,
                                       std::size_t& target_rows) const noexcept {
  const std::size_t size = settings().num_hiddens;
  target_rows = list_target_rows(pass, buffers.target_rows, buffers.targets);
  for (std::size_t i = 0; i < target_rows; ++i) {
    const auto row = static_cast<std::size_t>(buffers.target_rows[i]);
    std::copy_n(outputs + row * size, size, buffers.gathered + i * size);
  }
  if (settings().final_norm) {
    final_norm(decoder_, buffers.gathered, target_rows, buffers.features, pass.num_threads);
  }
  unembed(features_of(buffers), target_rows, buffers.logits, pass.num_threads);
  if (buffers.keeps_capped) {
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
  const LossBuffers buffers = lay_out_loss(*pass.arena, sizes_of(pass), false);
  TransformerMemory memory;
  std::size_t target_rows = 0;
  const Arena::Scope of_forward(*pass.arena);
  const float* outputs =
      run_layers(pass, lay_out_forward(*pass.arena, sizes_of(pass), false), memory);
  return head_loss(pass, buffers, outputs, target_rows);
}

double UncheckedTransformer::loss_and_gradients_into(const TransformerPass& pass,
                                                     TransformerMemory&& memory) noexcept {
  TransformerMemory kept = std::move(memory);
  const Arena::Scope scope(*pass.arena);
  const LossBuffers buffers = lay_out_loss(*pass.arena, sizes_of(pass), true);
  const std::size_t size = settings().num_hiddens;
  std::size_t target_rows = 0;
  double loss = 0;
  {
    const Arena::Scope of_forward(*pass.arena);
    const float* outputs =
        run_layers(pass, lay_out_forward(*pass.arena, sizes_of(pass), true), kept);
    loss = head_loss(pass, buffers, outputs, target_rows);
  }
  if (settings().logits_softcap > 0) {
    kernels::softcap_gradient(buffers.logits, buffers.capped,
                              target_rows * settings().vocabulary_size, settings().logits_softcap);
  }
  const BackwardBuffers backward = lay_out_backward(*pass.arena, sizes_of(pass));
  const std::size_t unembedding = parameters_->unembedding();
  linear_backward(
      parameters_->linear(unembedding),
      parameters_->linear_backward(unembedding, features_of(buffers), buffers.logits, target_rows,
                                   buffers.feature_gradient, pass.num_threads),
      *pass.arena);
  write_zeros(buffers.row_gradient, target_rows * size);
  final_norm_backward(decoder_, Side::self, buffers.gathered, nullptr, buffers.feature_gradient,
                      target_rows, buffers.row_gradient);
  write_zeros(backward.gradient, pass.batch * pass.length * size);
  for (std::size_t i = 0; i < target_rows; ++i) {
    const auto row = static_cast<std::size_t>(buffers.target_rows[i]);
    std::copy_n(buffers.row_gradient + i * size, size, backward.gradient + row * size);
  }
  layers_backward({.layers = pass.layers,
                   .cross_layers = pass.cross_layers,
                   .encoder_layers = pass.encoder_layers,
                   .arena = pass.arena,
                   .num_threads = pass.num_threads},
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
