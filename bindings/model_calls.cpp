#include "model_calls.hpp"

#include <headwise/models/attention_only_transformer.hpp>
#include <headwise/parallel/for_each.hpp>

#include "layer_calls.hpp"
#include "memory.hpp"

namespace headwise::bindings {
namespace {

AttentionOnlyTransformer& model_at(Address model) noexcept {
  return *at<AttentionOnlyTransformer>(model);
}

/// Floats of a new model, at most.
double model_bound(const AttentionOnlyTransformerOptions& options) {
  const auto num_hiddens = static_cast<std::size_t>(options.num_hiddens);
  LayerSettings settings{};
  settings.num_heads = 1;
  settings.head_size = num_hiddens;
  settings.output_size = num_hiddens;
  const double layer = small_objects + parameters_bound(settings, {.query_size = num_hiddens,
                                                                   .key_size = num_hiddens,
                                                                   .value_size = num_hiddens});
  const auto num_layers = static_cast<double>(options.num_layers);
  // Embedding, the unembedding as it is and packed, positions, a weight and a bias of each norm.
  constexpr double padding = 64;
  const double rows = 3 * static_cast<double>(options.vocabulary_size) + padding +
                      static_cast<double>(options.max_length) + 2 * (num_layers + 1);
  return rows * static_cast<double>(num_hiddens) + num_layers * layer + small_objects;
}

}  // namespace

Address new_model(Address address, double dropout, double seed) {
  Record record(address);
  AttentionOnlyTransformerOptions options;
  options.vocabulary_size = record.integer();
  options.max_length = record.integer();
  options.num_hiddens = record.integer();
  options.num_heads = record.integer();
  options.num_layers = record.integer();
  options.positions = static_cast<Positions>(record.integer());
  options.causal = record.flag();
  options.layer_norm = record.flag();
  options.bias = record.flag();
  options.dropout = dropout;
  options.seed = static_cast<std::uint64_t>(seed);
  if (!can_allocate(model_bound(options) * sizeof(float))) {
    return 0;
  }
  return address_of(
      new AttentionOnlyTransformer(options));  // NOLINT(*-owning-memory): JavaScript's
}

void delete_model(Address model) { delete at<AttentionOnlyTransformer>(model); }

Address model_layer(Address model, std::size_t layer) {
  return address_of(&model_at(model).layer(layer));
}

Address model_parameter(Address model, std::size_t place) {
  return address_of(model_at(model).own_parameters().writable_values(place));
}

Address model_gradient(Address model, std::size_t place) {
  ModelParameters& own = model_at(model).own_parameters();
  return own.have_gradients() ? address_of(own.gradient(place)) : 0;
}

void zero_model_gradients(Address model) { model_at(model).zero_gradients(); }

double model_workspace_size(Address model, double batch, double length, double loss) {
  const auto num_threads = static_cast<double>(parallel::num_threads());
  return loss != 0 ? model_at(model).loss_workspace_size(batch, length, num_threads)
                   : model_at(model).forward_workspace_size(batch, length, num_threads);
}

std::size_t can_differentiate(Address model, double batch, double length, Address optimizer) {
  const AttentionOnlyTransformer& transformer = model_at(model);
  double floats = transformer.missing_record(batch, length);
  if (optimizer != 0) {
    // Beside gradients that are about to come there will be two numbers each, of Adam's.
    floats += at<Optimizer>(optimizer)->missing_state() + 2 * transformer.missing_record(0, 0);
  }
  const double objects = small_objects * static_cast<double>(1 + transformer.num_layers());
  return can_allocate(floats * sizeof(float) + objects) ? 1 : 0;
}

double run_model(Address model, Address address) {
  // JavaScript writes them as the words that they are.
  static_assert(sizeof(TransformerLayerPass) == 4 * sizeof(std::int32_t));

  AttentionOnlyTransformer& transformer = model_at(model);
  Record record(address);
  const std::int32_t kind = record.integer();
  TransformerPass pass;
  pass.tokens = record.pointer<const std::int32_t>();
  pass.targets = record.pointer<const std::int32_t>();
  pass.batch = record.size();
  pass.length = record.size();
  pass.layers = {record.pointer<const TransformerLayerPass>(), transformer.num_layers()};
  pass.logits = record.pointer<float>();
  pass.workspace = record.pointer<float>();
  pass.places = record.pointer<std::int32_t>();
  pass.num_threads = parallel::num_threads();
  if (kind == 0) {
    transformer.forward_into(pass);
    return 0;
  }
  return kind == 1 ? transformer.loss_into(pass) : transformer.loss_and_gradients_into(pass);
}

std::size_t can_prune(Address model) {
  AttentionOnlyTransformer& transformer = model_at(model);
  double floats = 0;
  for (std::size_t i = 0; i < transformer.num_layers(); ++i) {
    const MultiHeadAttention& layer = transformer.layer(i);
    floats += 2 * parameters_bound(layer.settings(), layer.input_sizes());
  }
  return can_allocate(floats * sizeof(float)) ? 1 : 0;
}

}  // namespace headwise::bindings
