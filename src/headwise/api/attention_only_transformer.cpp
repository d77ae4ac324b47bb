#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/attention_only_transformer.hpp>
#include <headwise/core/kernels/philox.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/error.hpp>
#include <headwise/random.hpp>
#include <set>
#include <utility>

namespace headwise {
namespace {

/// Layers that shared a seed would begin with the same parameters.
std::uint64_t seed_of_layer(std::uint64_t seed, std::size_t layer) noexcept {
  const kernels::PhiloxCounter random =
      kernels::philox({static_cast<std::uint32_t>(layer), 0, random_stream::layer_seeds, 0},
                      kernels::philox_key(seed));
  constexpr unsigned bits_above_53 = 11;
  return (std::uint64_t{random[0]} << 32U | random[1]) >> bits_above_53;
}

std::vector<MultiHeadAttention> make_layers(const AttentionOnlyTransformerOptions& options,
                                            std::uint64_t seed) {
  std::vector<MultiHeadAttention> layers;
  const auto num_layers = static_cast<std::size_t>(options.num_layers);
  layers.reserve(num_layers);
  for (std::size_t layer = 0; layer < num_layers; ++layer) {
    layers.emplace_back(MultiHeadAttentionOptions{.num_hiddens = options.num_hiddens,
                                                  .num_heads = options.num_heads,
                                                  .dropout = options.dropout,
                                                  .bias = options.bias,
                                                  .query_size = options.num_hiddens,
                                                  .key_size = options.num_hiddens,
                                                  .value_size = options.num_hiddens,
                                                  .seed = seed_of_layer(seed, layer)});
  }
  return layers;
}

/// What no memory can hold is refused before any of it is filled.
void check_fits(const AttentionOnlyTransformerOptions& options) {
  const auto num_hiddens = static_cast<double>(options.num_hiddens);
  const double of_layer = 4 * num_hiddens * num_hiddens +
                          static_cast<double>(sizeof(MultiHeadAttention)) / sizeof(float);
  const double rows =
      2 * static_cast<double>(options.vocabulary_size) + static_cast<double>(options.max_length);
  // Of an address space a single tensor may take half.
  static_cast<void>(
      checked_count((rows * num_hiddens + static_cast<double>(options.num_layers) * of_layer) / 2));
}

AttentionOnlyTransformerOptions checked(const AttentionOnlyTransformerOptions& options) {
  return report_out_of_memory([&] {
    if constexpr (validation::enabled) {
      validation::check_transformer_options(options);
    }
    check_fits(options);
    return options;
  });
}

ModelParameters::Sizes sizes_of(const AttentionOnlyTransformerOptions& options) noexcept {
  return {.vocabulary_size = static_cast<std::size_t>(options.vocabulary_size),
          .max_length = static_cast<std::size_t>(options.max_length),
          .num_hiddens = static_cast<std::size_t>(options.num_hiddens),
          .num_layers = static_cast<std::size_t>(options.num_layers),
          .learned_positions = options.positions == Positions::learned,
          .layer_norm = options.layer_norm};
}

std::vector<Trainable*> list(ModelParameters& own, std::vector<MultiHeadAttention>& layers) {
  return report_out_of_memory([&] {
    std::vector<Trainable*> result = {&own};
    for (MultiHeadAttention& layer : layers) {
      result.push_back(&layer);
    }
    return result;
  });
}

void check_in_use(const AttentionOnlyTransformer& model) {
  if constexpr (validation::enabled) {
    validation::check_in_use(model.in_use(), "model");
  }
}

/// Arguments of the public functions as a pass reads them, and memory for it.
struct PassMemory {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> targets;
  std::vector<std::int32_t> places;
  std::vector<TransformerLayerPass> layers;
  Tensor<1> workspace;
  TransformerPass pass;

  PassMemory(const Tokens& given, const std::vector<HeadGate>& head_gates,
             const AttentionOnlyTransformer& model)
      : tokens(given.begin(), given.end()), layers(model.num_layers()) {
    pass.tokens = tokens.data();
    pass.batch = given.shape(0);
    pass.length = given.shape(1);
    pass.layers = layers;
    pass.num_threads = parallel::num_threads();
    for (std::size_t layer = 0; layer < head_gates.size(); ++layer) {
      if (const auto* gate = std::get_if<Tensor<1>>(&head_gates[layer])) {
        layers[layer].head_gate = gate->data();
      } else if (const auto* gates = std::get_if<Tensor<2>>(&head_gates[layer])) {
        layers[layer].head_gate = gates->data();
        layers[layer].gate_stride = gates->shape(1);
      }
    }
  }

  void take_workspace(double floats) {
    workspace = make_tensor<1>({checked_count(floats)});
    pass.workspace = workspace.data();
  }

  /// For a pass with a loss.
  void take_targets(const Tokens& given, const AttentionOnlyTransformer& model) {
    targets.assign(given.begin(), given.end());
    places.resize(2 * targets.size());
    pass.targets = targets.data();
    pass.places = places.data();
    take_workspace(model.loss_workspace_size(static_cast<double>(pass.batch),
                                             static_cast<double>(pass.length),
                                             static_cast<double>(pass.num_threads)));
  }
};

}  // namespace

AttentionOnlyTransformer::AttentionOnlyTransformer(const AttentionOnlyTransformerOptions& options)
    : causal_(checked(options).causal),
      seed_(options.seed.has_value() ? *options.seed : random_seed()),
      own_(report_out_of_memory(
          [&] { return std::make_unique<ModelParameters>(sizes_of(options), seed_); })),
      layers_(report_out_of_memory([&] { return make_layers(options, seed_); })),
      optimizer_(list(*own_, layers_), options.optimizer) {}

AttentionOnlyTransformer::AttentionOnlyTransformer(bool causal, std::uint64_t seed,
                                                   std::unique_ptr<ModelParameters> own,
                                                   std::vector<MultiHeadAttention> layers,
                                                   const AdamOptions& optimizer)
    : causal_(causal),
      seed_(seed),
      own_(std::move(own)),
      layers_(std::move(layers)),
      optimizer_(list(*own_, layers_), optimizer) {}

AttentionOnlyTransformer AttentionOnlyTransformer::copy() const {
  return report_out_of_memory([&] {
    check_in_use(*this);
    return AttentionOnlyTransformer(causal_, seed_, std::make_unique<ModelParameters>(*own_),
                                    layers_, optimizer_.options());
  });
}

TransformerResult AttentionOnlyTransformer::forward(const Tokens& tokens,
                                                    const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, nullptr, options);
    PassMemory memory(tokens, options.head_gates, *this);
    TransformerPass& pass = memory.pass;
    memory.take_workspace(forward_workspace_size(static_cast<double>(pass.batch),
                                                 static_cast<double>(pass.length),
                                                 static_cast<double>(pass.num_threads)));
    TransformerResult result{
        .logits = make_tensor<3>({pass.batch, pass.length, sizes().vocabulary_size}),
        .attention_weights = {}};
    pass.logits = result.logits.data();
    for (std::size_t layer = 0; options.return_weights && layer < num_layers(); ++layer) {
      result.attention_weights.push_back(
          make_tensor<4>({pass.batch, layers_[layer].num_heads(), pass.length, pass.length}));
      memory.layers[layer].attention_weights = result.attention_weights.back().data();
    }
    forward_into(pass);
    return result;
  });
}

double AttentionOnlyTransformer::loss(const Tokens& tokens, const Tokens& targets,
                                      const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, &targets, options);
    PassMemory memory(tokens, options.head_gates, *this);
    memory.take_targets(targets, *this);
    return loss_into(memory.pass);
  });
}

LossAndGradients AttentionOnlyTransformer::loss_and_gradients(
    const Tokens& tokens, const Tokens& targets, const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, &targets, options);
    PassMemory memory(tokens, options.head_gates, *this);
    memory.take_targets(targets, *this);
    LossAndGradients result{.loss = 0, .head_gates = {}};
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      result.head_gates.push_back(make_tensor<2>({memory.pass.batch, layers_[layer].num_heads()}));
      memory.layers[layer].head_gate_gradient = result.head_gates.back().data();
    }
    result.loss = loss_and_gradients_into(memory.pass, allocate(memory.pass));
    return result;
  });
}

double AttentionOnlyTransformer::train_step(const Tokens& tokens, const Tokens& targets,
                                            Optimizer& optimizer) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, &targets, {});
    PassMemory memory(tokens, {}, *this);
    memory.take_targets(targets, *this);
    return train_step_into(memory.pass, optimizer);
  });
}

double AttentionOnlyTransformer::train_step(const Tokens& tokens, const Tokens& targets) {
  return train_step(tokens, targets, optimizer_);
}

const ModelParameters::Sizes& AttentionOnlyTransformer::sizes() const {
  check_in_use(*this);
  return own_->sizes();
}

std::vector<Trainable*> AttentionOnlyTransformer::trainables() {
  check_in_use(*this);
  return list(*own_, layers_);
}

void AttentionOnlyTransformer::zero_gradients() noexcept {
  if (!in_use()) {
    return;
  }
  own_->zero_gradients();
  for (MultiHeadAttention& layer : layers_) {
    layer.zero_gradients();
  }
}

AttentionOnlyTransformer& AttentionOnlyTransformer::train() noexcept {
  for (MultiHeadAttention& layer : layers_) {
    layer.train();
  }
  return *this;
}

AttentionOnlyTransformer& AttentionOnlyTransformer::eval() noexcept {
  for (MultiHeadAttention& layer : layers_) {
    layer.eval();
  }
  return *this;
}

void AttentionOnlyTransformer::prune_heads(
    const std::map<std::int64_t, std::vector<std::int64_t>>& heads) {
  report_out_of_memory([&] {
    if constexpr (validation::enabled) {
      validation::check_prune_heads(*this, heads);
    }
    std::vector<std::vector<std::size_t>> of_layers(num_layers());
    for (const auto& [layer, given] : heads) {
      const std::set<std::size_t> each_once(given.begin(), given.end());
      of_layers[static_cast<std::size_t>(layer)].assign(each_once.begin(), each_once.end());
    }
    remove_heads(of_layers);
  });
}

void AttentionOnlyTransformer::remove_heads(std::span<const std::vector<std::size_t>> heads) {
  std::vector<std::optional<PrunedLayer>> pruned(num_layers());
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    if (!heads[layer].empty()) {
      pruned[layer] = layers_[layer].allocate_without(heads[layer]);
    }
  }
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    if (pruned[layer]) {
      layers_[layer].remove_heads(std::move(*pruned[layer]));
    }
  }
}

void AttentionOnlyTransformer::parameters_changed() noexcept {
  own_->parameters_changed();
  for (MultiHeadAttention& layer : layers_) {
    layer.parameters_changed();
  }
}

}  // namespace headwise
