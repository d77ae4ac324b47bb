#include <headwise/api/make_tensor.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/working_memory.hpp>
#include <headwise/attention_only_transformer.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/random.hpp>
#include <headwise/error.hpp>
#include <optional>
#include <set>
#include <utility>

namespace headwise {
namespace {

std::unique_ptr<ModelParameters> make_parameters(const AttentionOnlyTransformerOptions& options,
                                                 std::uint64_t seed) {
  return report_out_of_memory([&] {
    validation::check_transformer_options(options);
    return std::make_unique<ModelParameters>(sizes_of(options), seed);
  });
}

std::vector<MultiHeadAttention> make_layers(const AttentionOnlyTransformerOptions& options,
                                            std::uint64_t seed) {
  return report_out_of_memory([&] {
    std::vector<MultiHeadAttention> layers;
    layers.reserve(static_cast<std::size_t>(options.num_layers));
    for (const MultiHeadAttentionOptions& layer : layer_options_of(options, seed)) {
      layers.emplace_back(layer);
    }
    return layers;
  });
}

std::vector<AttentionLayer*> pointers_to(std::vector<MultiHeadAttention>& layers) {
  return report_out_of_memory([&] {
    std::vector<AttentionLayer*> pointers;
    pointers.reserve(layers.size());
    for (MultiHeadAttention& layer : layers) {
      pointers.push_back(&layer);
    }
    return pointers;
  });
}

std::vector<Trainable*> trainables_of(const TransformerCore& core) {
  return report_out_of_memory([&] { return core.trainables(); });
}

void check_in_use(const AttentionOnlyTransformer& model) {
  validation::check_in_use(model.in_use(), "model");
}

/// A pass and the memory that its arguments point to.
struct PassMemory {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> targets;
  std::vector<TransformerLayerPass> layers;
  std::optional<WorkingMemory> memory;
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

  /// For a pass without a loss.
  void lay_out_forward(const TransformerCore& core) {
    memory.emplace([&](Arena& arena) {
      core.lay_out_forward(arena, pass.batch, pass.length, pass.num_threads);
    });
    pass.arena = &memory->arena();
  }

  /// For a pass with a loss.
  void lay_out_loss(const Tokens& given, const TransformerCore& core) {
    targets.assign(given.begin(), given.end());
    pass.targets = targets.data();
    memory.emplace(
        [&](Arena& arena) { core.lay_out_loss(arena, pass.batch, pass.length, pass.num_threads); });
    pass.arena = &memory->arena();
  }
};

}  // namespace

AttentionOnlyTransformer::AttentionOnlyTransformer(const AttentionOnlyTransformerOptions& options)
    : seed_(options.seed.has_value() ? *options.seed : random_seed()),
      parameters_(make_parameters(options, seed_)),
      layers_(make_layers(options, seed_)),
      core_(options.causal, *parameters_, pointers_to(layers_)),
      optimizer_(trainables_of(core_), options.optimizer) {}

AttentionOnlyTransformer::AttentionOnlyTransformer(bool causal, std::uint64_t seed,
                                                   std::unique_ptr<ModelParameters> parameters,
                                                   std::vector<MultiHeadAttention> layers,
                                                   const AdamOptions& optimizer)
    : seed_(seed),
      parameters_(std::move(parameters)),
      layers_(std::move(layers)),
      core_(causal, *parameters_, pointers_to(layers_)),
      optimizer_(trainables_of(core_), optimizer) {}

AttentionOnlyTransformer AttentionOnlyTransformer::copy() const {
  return report_out_of_memory([&] {
    check_in_use(*this);
    return AttentionOnlyTransformer(causal(), seed_,
                                    std::make_unique<ModelParameters>(*parameters_), layers_,
                                    optimizer_.options());
  });
}

TransformerResult AttentionOnlyTransformer::forward(const Tokens& tokens,
                                                    const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, nullptr, options);
    PassMemory memory(tokens, options.head_gates, *this);
    TransformerPass& pass = memory.pass;
    memory.lay_out_forward(core_);
    TransformerResult result{
        .logits = make_tensor<3>({pass.batch, pass.length, sizes().vocabulary_size}),
        .attention_weights = {}};
    pass.logits = result.logits.data();
    for (std::size_t layer = 0; options.return_weights && layer < num_layers(); ++layer) {
      result.attention_weights.push_back(
          make_tensor<4>({pass.batch, layers_[layer].num_heads(), pass.length, pass.length}));
      memory.layers[layer].attention_weights = result.attention_weights.back().data();
    }
    core_.forward_into(pass);
    return result;
  });
}

double AttentionOnlyTransformer::loss(const Tokens& tokens, const Tokens& targets,
                                      const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, &targets, options);
    PassMemory memory(tokens, options.head_gates, *this);
    memory.lay_out_loss(targets, core_);
    return core_.loss_into(memory.pass);
  });
}

LossAndGradients AttentionOnlyTransformer::loss_and_gradients(
    const Tokens& tokens, const Tokens& targets, const TransformerForwardOptions& options) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, &targets, options);
    PassMemory memory(tokens, options.head_gates, *this);
    memory.lay_out_loss(targets, core_);
    LossAndGradients result{.loss = 0, .head_gates = {}};
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      result.head_gates.push_back(make_tensor<2>({memory.pass.batch, layers_[layer].num_heads()}));
      memory.layers[layer].head_gate_gradient = result.head_gates.back().data();
    }
    result.loss = core_.loss_and_gradients_into(memory.pass, core_.allocate(memory.pass));
    return result;
  });
}

double AttentionOnlyTransformer::train_step(const Tokens& tokens, const Tokens& targets,
                                            Optimizer& optimizer) {
  return report_out_of_memory([&] {
    validation::check_transformer_pass(*this, tokens, &targets, {});
    PassMemory memory(tokens, {}, *this);
    memory.lay_out_loss(targets, core_);
    return core_.train_step_into(memory.pass, optimizer.core());
  });
}

double AttentionOnlyTransformer::train_step(const Tokens& tokens, const Tokens& targets) {
  return train_step(tokens, targets, optimizer_);
}

const ModelParameters::Sizes& AttentionOnlyTransformer::sizes() const {
  check_in_use(*this);
  return parameters_->sizes();
}

std::vector<Trainable*> AttentionOnlyTransformer::trainables() {
  check_in_use(*this);
  return trainables_of(core_);
}

void AttentionOnlyTransformer::zero_gradients() noexcept {
  if (in_use()) {
    core_.zero_gradients();
  }
}

AttentionOnlyTransformer& AttentionOnlyTransformer::train() noexcept {
  core_.set_training(true);
  return *this;
}

AttentionOnlyTransformer& AttentionOnlyTransformer::eval() noexcept {
  core_.set_training(false);
  return *this;
}

void AttentionOnlyTransformer::prune_heads(
    const std::map<std::int64_t, std::vector<std::int64_t>>& heads) {
  report_out_of_memory([&] {
    validation::check_prune_heads(*this, heads);
    std::vector<std::vector<std::size_t>> of_layers(num_layers());
    for (const auto& [layer, given] : heads) {
      const std::set<std::size_t> each_once(given.begin(), given.end());
      of_layers[static_cast<std::size_t>(layer)].assign(each_once.begin(), each_once.end());
    }
    core_.remove_heads(of_layers);
  });
}

}  // namespace headwise
