#include <algorithm>
#include <array>
#include <headwise/api/native_model_inputs.hpp>
#include <headwise/api/pretrained.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation_model_options.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/random.hpp>
#include <headwise/error.hpp>
#include <headwise/transformer.hpp>
#include <optional>
#include <string>
#include <utility>

namespace headwise {
namespace {

std::unique_ptr<ModelParameters> make_parameters(const TransformerOptions& options,
                                                 std::uint64_t seed, InitialParameters initial) {
  return report_out_of_memory([&] {
    validation::check_transformer_options(options);
    validation::check_optimizer_options(options.optimizer);
    TransformerSettings settings = settings_of(options);
    settings.seed = seed;
    return std::make_unique<ModelParameters>(settings, initial);
  });
}

BySide<std::vector<MultiHeadAttention>> make_layers(const TransformerOptions& options,
                                                    std::uint64_t seed, InitialParameters initial) {
  return report_out_of_memory([&] {
    BySide<std::vector<MultiHeadAttention>> layers;
    for (const Side side : all_sides) {
      const std::vector<MultiHeadAttentionOptions> of_side = layer_options_of(options, side, seed);
      layers[side].reserve(of_side.size());
      for (const MultiHeadAttentionOptions& each : of_side) {
        layers[side].emplace_back(each, initial);
      }
    }
    return layers;
  });
}

UncheckedTransformer make_core(ModelParameters& parameters,
                               BySide<std::vector<MultiHeadAttention>>& layers) {
  return report_out_of_memory([&] {
    BySide<std::vector<AttentionLayer*>> pointers;
    for (const Side side : all_sides) {
      for (MultiHeadAttention& layer : layers[side]) {
        pointers[side].push_back(&layer);
      }
    }
    return UncheckedTransformer(parameters, std::move(pointers));
  });
}

/// The layer of this number; an error if there is none.
template <typename Layers>
auto& layer_at(Layers& layers, std::size_t number) {
  return report_out_of_memory([&]() -> auto& {
    if (number >= layers.size()) {
      if (layers.empty()) {
        validation::fail_option("number: expected no layer, got #", {number});
      }
      validation::fail_option("number: expected an integer from 0 to #, got #",
                              {layers.size() - 1, number});
    }
    return layers[number];
  });
}

void prepare_loss(const UncheckedTransformer& core, ModelPass& pass, bool gradients) {
  pass.prepare([&](Arena& arena, const ModelPassSizes& sizes) {
    return core.lay_out_loss(arena, sizes, gradients);
  });
}

}  // namespace

Transformer::Transformer(const TransformerOptions& options, InitialParameters initial)
    : seed_(options.seed.has_value() ? *options.seed : random_seed()),
      causal_(options.causal),
      parameters_(make_parameters(options, seed_, initial)),
      layers_(make_layers(options, seed_, initial)),
      core_(make_core(*parameters_, layers_)),
      optimizer_options_(options.optimizer) {}

Transformer::Transformer(const Transformer& other)
    : seed_(other.seed_),
      causal_(other.causal_),
      parameters_(std::make_unique<ModelParameters>(*other.parameters_)),
      layers_(other.layers_),
      core_(make_core(*parameters_, layers_)),
      optimizer_options_(other.optimizer_ ? other.optimizer_->options() : other.optimizer_options_),
      pretrained_(other.pretrained_) {}

Transformer Transformer::copy() const {
  return report_out_of_memory([&] {
    validation::check_model_in_use(*this);
    return Transformer(*this);
  });
}

const TransformerSettings& Transformer::settings() const {
  validation::check_model_in_use(*this);
  return parameters_->settings();
}

TransformerResult Transformer::forward_pass(const NativePass& given) {
  TransformerResult result;
  ResultsIn results([&](const ModelResult& place, std::span<const std::size_t> shape) {
    return place_in(result, place, shape);
  });
  forward(given.inputs(), results);
  return result;
}

TransformerResult Transformer::forward(const Tokens& tokens,
                                       const TransformerForwardOptions& options) {
  return report_out_of_memory([&] { return forward_pass(NativePass(tokens, options)); });
}

TransformerResult Transformer::forward_embeddings(const Embeddings& embeddings,
                                                  const TransformerForwardOptions& options) {
  return report_out_of_memory([&] { return forward_pass(NativePass(embeddings, options)); });
}

TransformerResult Transformer::forward_pixels(const TensorView<4>& pixels,
                                              const TransformerForwardOptions& options) {
  return report_out_of_memory(
      [&] { return forward_pass(NativePass(pixels, options, settings().max_length)); });
}

void Transformer::forward(const ModelInputs& inputs, ModelResults& results) {
  ModelPass given(*this, inputs);
  given.prepare([&](Arena& arena, const ModelPassSizes& sizes) {
    return core_.lay_out_forward(arena, sizes, inputs.requires_grad);
  });
  given.make_results(results);
  const TransformerPass& pass = given.pass();
  TransformerMemory kept = inputs.requires_grad ? core_.allocate(pass) : TransformerMemory{};
  if (inputs.cache != nullptr && pass.source != nullptr) {
    inputs.cache->memory().source_keys =
        KeptKeys(pass.source_key_mask, pass.batch, pass.source_length);
  }
  core_.forward_into(pass, std::move(kept));
}

TransformerGradients Transformer::backward(const TensorView<3>& grad_hidden) {
  return backward_pass(grad_hidden, {});
}

TransformerGradients Transformer::backward(const TransformerOutputGradients& gradients) {
  const auto input_of = [](const std::optional<Tensor<3>>& gradient) {
    return gradient ? InputTensor(gradient->data(), gradient->shape()) : InputTensor();
  };
  return backward_pass(input_of(gradients.hidden), input_of(gradients.logits));
}

TransformerGradients Transformer::backward_pass(const InputTensor& hidden,
                                                const InputTensor& logits) {
  return report_out_of_memory([&] {
    TransformerGradients result;
    ResultsIn results([&](const ModelResult& place, std::span<const std::size_t> shape) {
      switch (place.name) {
        case ModelResultName::pixels:
          return make_result(result.pixels.emplace(), shape);
        case ModelResultName::embeddings:
          return make_result(result.embeddings.emplace(), shape);
        default:
          return place_gates(result, place, shape);
      }
    });
    backward(hidden, logits, results);
    return result;
  });
}

void Transformer::backward(const InputTensor& hidden, const InputTensor& logits,
                           ModelResults& results) {
  ModelPassSizes sizes = validation::check_backward(*this, hidden, logits);
  sizes.num_threads = parallel::num_threads();
  const TransformerSettings& model = settings();
  WorkingMemory memory([&](Arena& arena) {
    static_cast<void>(lay_out_layers(*this, arena));
    static_cast<void>(core_.lay_out_backward(arena, sizes));
  });
  TransformerBackward pass{.hidden = hidden.data,
                           .logits = logits.data,
                           .layers = lay_out_layers(*this, memory.arena()),
                           .arena = &memory.arena(),
                           .num_threads = sizes.num_threads};
  make_gate_gradients(*this, sizes.batch, pass.layers, results);
  if (model.has_patches()) {
    pass.pixels =
        results.of({.name = ModelResultName::pixels},
                   std::array{sizes.batch, model.channels, model.image_size, model.image_size});
  }
  if (sizes.has_embeddings) {
    pass.embeddings = results.of({.name = ModelResultName::embeddings},
                                 std::array{sizes.batch, sizes.length, model.num_hiddens});
  }
  core_.backward_into(pass);
}

double Transformer::loss(const Tokens& tokens, const Tokens& targets,
                         const TransformerForwardOptions& options) {
  return report_out_of_memory([&] { return loss(NativePass(tokens, targets, options).inputs()); });
}

double Transformer::loss(const ModelInputs& inputs) {
  ModelPass given(*this, inputs);
  prepare_loss(core_, given, false);
  return core_.loss_into(given.pass());
}

TransformerLossAndGradients Transformer::loss_and_gradients(
    const Tokens& tokens, const Tokens& targets, const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    TransformerLossAndGradients result{};
    ResultsIn results([&](const ModelResult& place, std::span<const std::size_t> shape) {
      return place_gates(result, place, shape);
    });
    result.loss = loss_and_gradients(NativePass(tokens, targets, options).inputs(), results);
    return result;
  });
}

double Transformer::loss_and_gradients(const ModelInputs& inputs, ModelResults& results) {
  ModelPass given(*this, inputs);
  prepare_loss(core_, given, true);
  make_gate_gradients(*this, given.pass().batch, given.pass().layers, results);
  return core_.loss_and_gradients_into(given.pass(), core_.allocate(given.pass()));
}

double Transformer::train_step(const Tokens& tokens, const Tokens& targets, Optimizer& optimizer,
                               const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    const NativePass given(tokens, targets, options);
    static_cast<void>(validation::check_pass(*this, given.inputs()));
    return train_step(given.inputs(), optimizer.core());
  });
}

double Transformer::train_step(const Tokens& tokens, const Tokens& targets,
                               const TransformerForwardOptions& options) {
  return train_step(tokens, targets, optimizer(), options);
}

Adam& Transformer::optimizer() {
  return optimizer_ ? *optimizer_ : optimizer_.emplace(trainables(), optimizer_options_);
}

double Transformer::train_step(const ModelInputs& inputs, UncheckedOptimizer& optimizer) {
  ModelPass given(*this, inputs);
  validation::check_trains(optimizer, core_.trainables());
  validation::check_can_be_trained(optimizer);
  prepare_loss(core_, given, true);
  return core_.train_step_into(given.pass(), optimizer);
}

std::vector<Trainable*> Transformer::trainables() {
  validation::check_model_in_use(*this);
  return report_out_of_memory([&] { return core_.trainables(); });
}

void Transformer::zero_gradients() noexcept {
  if (in_use()) {
    core_.zero_gradients();
  }
}

Transformer& Transformer::train() noexcept {
  core_.set_training(true);
  return *this;
}

Transformer& Transformer::eval() noexcept {
  core_.set_training(false);
  return *this;
}

ModelCache Transformer::create_cache(const CacheOptions& options) const {
  return report_out_of_memory([&] {
    validation::check_model_cache_options(*this, options);
    return ModelCache(core_.make_cache(static_cast<std::size_t>(options.batch_size),
                                       static_cast<std::size_t>(options.max_length),
                                       options.precision));
  });
}

void Transformer::prune_heads(const std::map<std::int64_t, std::vector<std::int64_t>>& heads,
                              Side side) {
  report_out_of_memory(
      [&] { core_.remove_heads(side, validation::check_prune_heads(*this, heads, side)); });
}

MultiHeadAttention& Transformer::attention(std::size_t number) {
  return layer_at(layers_[Side::self], number);
}

const MultiHeadAttention& Transformer::attention(std::size_t number) const {
  return layer_at(layers_[Side::self], number);
}

MultiHeadAttention& Transformer::cross_attention(std::size_t number) {
  return layer_at(layers_[Side::cross], number);
}

MultiHeadAttention& Transformer::encoder_attention(std::size_t number) {
  return layer_at(layers_[Side::encoder], number);
}

}  // namespace headwise
