#include "model_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/attention_only_transformer.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <vector>

#include "layer_calls.hpp"

namespace headwise::bindings {
namespace {

AttentionOnlyTransformer& model_at(Address model) noexcept {
  return *at<AttentionOnlyTransformer>(model);
}

/// As in `PassKind` of transformer-pass.ts.
enum class PassKind : std::uint8_t { forward, loss, gradients, training };

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

void model_parameters_changed(Address model) { model_at(model).parameters_changed(); }

double model_workspace_size(Address model, double batch, double length, double loss) {
  const auto num_threads = static_cast<double>(parallel::num_threads());
  return loss != 0 ? model_at(model).loss_workspace_size(batch, length, num_threads)
                   : model_at(model).forward_workspace_size(batch, length, num_threads);
}

double run_model(Address model, Address address) {
  // JavaScript writes them as the words that they are.
  static_assert(sizeof(TransformerLayerPass) == 4 * sizeof(std::int32_t));

  AttentionOnlyTransformer& transformer = model_at(model);
  Record record(address);
  const auto kind = static_cast<PassKind>(record.integer());
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
  auto* const optimizer = record.pointer<Optimizer>();
  switch (kind) {
    case PassKind::forward:
      transformer.forward_into(pass);
      return 0;
    case PassKind::loss:
      return transformer.loss_into(pass);
    case PassKind::gradients:
      return transformer.loss_and_gradients_into(pass, transformer.allocate(pass));
    case PassKind::training:
      return transformer.train_step_into(pass, *optimizer);
  }
  return 0;
}

void prune_model(Address model, Address address) {
  Record record(address);
  std::vector<std::vector<std::size_t>> heads(model_at(model).num_layers());
  std::ranges::generate(heads, [&] { return read_heads(record); });
  model_at(model).remove_heads(heads);
}

}  // namespace headwise::bindings
