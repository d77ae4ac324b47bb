#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/pretrained.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation_model_options.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/core/random.hpp>
#include <headwise/error.hpp>
#include <headwise/transformer.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace headwise {
namespace {

std::unique_ptr<ModelParameters> make_parameters(const TransformerOptions& options,
                                                 std::uint64_t seed) {
  return report_out_of_memory([&] {
    validation::check_transformer_options(options);
    TransformerSettings settings = settings_of(options);
    settings.seed = seed;
    return std::make_unique<ModelParameters>(settings);
  });
}

template <typename Layers>
Layers make_layers(const TransformerOptions& options, std::uint64_t seed) {
  return report_out_of_memory([&] {
    const auto make = [&](Side side) {
      const std::vector<MultiHeadAttentionOptions> layers = layer_options_of(options, side, seed);
      return std::vector<MultiHeadAttention>(layers.begin(), layers.end());
    };
    return Layers{
        .self = make(Side::self), .cross = make(Side::cross), .encoder = make(Side::encoder)};
  });
}

std::vector<AttentionLayer*> pointers_to(std::vector<MultiHeadAttention>& layers) {
  std::vector<AttentionLayer*> pointers(layers.size());
  std::ranges::transform(layers, pointers.begin(),
                         [](MultiHeadAttention& layer) { return &layer; });
  return pointers;
}

template <typename Layers>
UncheckedTransformer make_core(ModelParameters& parameters, Layers& layers) {
  return report_out_of_memory([&] {
    return UncheckedTransformer(parameters, {.self = pointers_to(layers.self),
                                             .cross = pointers_to(layers.cross),
                                             .encoder = pointers_to(layers.encoder)});
  });
}

/// The layer of this number; an error if there is none.
template <typename Layers>
auto& layer_at(Layers& layers, std::size_t number) {
  return report_out_of_memory([&]() -> auto& {
    if (number >= layers.size()) {
      if (layers.empty()) {
        validation::fail(ErrorCode::invalid_option, "number", {"no layer"}, {number});
      }
      validation::fail(ErrorCode::invalid_option, "number",
                       {"an integer from 0 to ", layers.size() - 1}, {number});
    }
    return layers[number];
  });
}

std::vector<Trainable*> trainables_of(const UncheckedTransformer& core) {
  return report_out_of_memory([&] { return core.trainables(); });
}

}  // namespace

Transformer::Transformer(const TransformerOptions& options)
    : seed_(options.seed.has_value() ? *options.seed : random_seed()),
      causal_(options.causal),
      parameters_(make_parameters(options, seed_)),
      layers_(make_layers<Layers>(options, seed_)),
      core_(make_core(*parameters_, layers_)),
      optimizer_(trainables_of(core_), options.optimizer) {}

Transformer::Transformer(const Transformer& other)
    : seed_(other.seed_),
      causal_(other.causal_),
      parameters_(std::make_unique<ModelParameters>(*other.parameters_)),
      layers_(other.layers_),
      core_(make_core(*parameters_, layers_)),
      optimizer_(trainables_of(core_), other.optimizer_.options()),
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

template <typename Input>
TransformerResult Transformer::checked_forward(const Input& input,
                                               const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, input, nullptr, options);
    PassMemory memory(input, options, *this);
    TransformerResult result = memory.make_results(*this, options);
    memory.lay_out_forward(core_);
    const TransformerPass& pass = memory.pass;
    TransformerMemory kept = options.requires_grad ? core_.allocate(pass) : TransformerMemory{};
    if (options.cache != nullptr && pass.source != nullptr) {
      KeptKeys source_keys = memory.source_key_mask;
      options.cache->memory().source_keys = std::move(source_keys);
    }
    core_.forward_into(pass, std::move(kept));
    return result;
  });
}

TransformerResult Transformer::forward(const Tokens& tokens,
                                       const TransformerForwardOptions& options) {
  return checked_forward(tokens, options);
}

TransformerResult Transformer::forward_embeddings(const Embeddings& embeddings,
                                                  const TransformerForwardOptions& options) {
  return checked_forward(embeddings, options);
}

TransformerResult Transformer::forward_pixels(const TensorView<4>& pixels,
                                              const TransformerForwardOptions& options) {
  return checked_forward(pixels, options);
}

TransformerGradients Transformer::backward(const TensorView<3>& grad_hidden) {
  return report_out_of_memory([&] {
    auto hidden = make_tensor<3>(grad_hidden.shape());
    std::ranges::copy(grad_hidden, hidden.data());
    return backward(TransformerOutputGradients{.hidden = std::move(hidden), .logits = {}});
  });
}

TransformerGradients Transformer::backward(const TransformerOutputGradients& gradients) {
  return report_out_of_memory([&] {
    const SavedPass::Sizes sizes = validation::check_transformer_backward(*this, gradients);
    BackwardMemory memory(sizes, *this);
    TransformerGradients result = memory.make_results(*this);
    memory.pass.hidden = gradients.hidden ? gradients.hidden->data() : nullptr;
    memory.pass.logits = gradients.logits ? gradients.logits->data() : nullptr;
    core_.backward_into(memory.pass);
    return result;
  });
}

double Transformer::loss(const Tokens& tokens, const Tokens& targets,
                         const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, &targets, options);
    PassMemory memory(tokens, options, *this);
    memory.lay_out_loss(targets, core_, false);
    return core_.loss_into(memory.pass);
  });
}

TransformerLossAndGradients Transformer::loss_and_gradients(
    const Tokens& tokens, const Tokens& targets, const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, &targets, options);
    PassMemory memory(tokens, options, *this);
    memory.lay_out_loss(targets, core_, true);
    TransformerGradients gates = memory.make_gate_gradients(*this);
    TransformerLossAndGradients result{.loss = 0,
                                       .head_gates = std::move(gates.head_gates),
                                       .cross_head_gates = std::move(gates.cross_head_gates),
                                       .encoder_head_gates = std::move(gates.encoder_head_gates)};
    result.loss = core_.loss_and_gradients_into(memory.pass, core_.allocate(memory.pass));
    return result;
  });
}

double Transformer::train_step(const Tokens& tokens, const Tokens& targets, Optimizer& optimizer,
                               const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, &targets, options);
    validation::check_trains(optimizer, core_.trainables());
    UncheckedOptimizer& steps = optimizer.core();
    PassMemory memory(tokens, options, *this);
    memory.lay_out_loss(targets, core_, true);
    return core_.train_step_into(memory.pass, steps);
  });
}

double Transformer::train_step(const Tokens& tokens, const Tokens& targets,
                               const TransformerForwardOptions& options) {
  return train_step(tokens, targets, optimizer_, options);
}

std::vector<Trainable*> Transformer::trainables() {
  validation::check_model_in_use(*this);
  return trainables_of(core_);
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
  report_out_of_memory([&] {
    validation::check_prune_heads(*this, heads, side);
    std::vector<std::vector<std::size_t>> of_layers(layers_.of(side).size());
    for (const auto& [layer, given] : heads) {
      const std::set<std::size_t> each_once(given.begin(), given.end());
      of_layers[static_cast<std::size_t>(layer)].assign(each_once.begin(), each_once.end());
    }
    core_.remove_heads(side, of_layers);
  });
}

MultiHeadAttention& Transformer::attention(std::size_t number) {
  return layer_at(layers_.self, number);
}

const MultiHeadAttention& Transformer::attention(std::size_t number) const {
  return layer_at(layers_.self, number);
}

MultiHeadAttention& Transformer::cross_attention(std::size_t number) {
  return layer_at(layers_.cross, number);
}

MultiHeadAttention& Transformer::encoder_attention(std::size_t number) {
  return layer_at(layers_.encoder, number);
}

}  // namespace headwise
