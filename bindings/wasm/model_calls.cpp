#include "model_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <headwise/core/parallel/for_each.hpp>
#include <span>
#include <vector>

#include "memory.hpp"
#include "model.hpp"
#include "records.hpp"

namespace headwise::bindings {
namespace {

TransformerCore& model_at(Address model) noexcept { return at<Model>(model)->core; }

/// As in `PassKind` of transformer-pass.ts.
enum class PassKind : std::uint8_t { forward, loss, gradients, training };

}  // namespace

Address new_model(Address address, double dropout, double seed) {
  const auto& record = record_at<ModelOptionsRecord>(address);
  AttentionOnlyTransformerOptions options;
  options.vocabulary_size = record.vocabulary_size;
  options.max_length = record.max_length;
  options.num_hiddens = record.num_hiddens;
  options.num_heads = record.num_heads;
  options.num_layers = record.num_layers;
  options.positions = static_cast<Positions>(record.positions);
  options.causal = record.causal == Flag::on;
  options.layer_norm = record.layer_norm == Flag::on;
  options.bias = record.bias == Flag::on;
  options.dropout = dropout;
  options.seed = static_cast<std::uint64_t>(seed);
  return address_of(
      new Model(transformer_options_of(options)));  // NOLINT(*-owning-memory): JavaScript's
}

void delete_model(Address model) { delete at<Model>(model); }

Address model_layer(Address model, std::size_t layer) {
  return address_of(model_at(model).layers(Side::self)[layer]);
}

Address model_parameter(Address model, std::size_t index) {
  return address_of(model_at(model).own_parameters().values(index));
}

Address model_gradient(Address model, std::size_t index) {
  ModelParameters& parameters = model_at(model).own_parameters();
  return parameters.have_gradients() ? address_of(parameters.gradient(index)) : 0;
}

void zero_model_gradients(Address model) { model_at(model).zero_gradients(); }

void model_parameters_changed(Address model) { model_at(model).parameters_changed(); }

double model_workspace_size(Address model, double batch, double length, double kind) {
  return floats_of([&](Arena& arena) {
    const TransformerCore::Sizes sizes{.batch = size_of(batch),
                                       .length = size_of(length),
                                       .num_keys = size_of(length),
                                       .num_threads = parallel::num_threads()};
    const auto of_kind = static_cast<PassKind>(kind);
    if (of_kind == PassKind::forward) {
      model_at(model).lay_out_forward(arena, sizes, false);
    } else {
      model_at(model).lay_out_loss(arena, sizes, of_kind != PassKind::loss);
    }
  });
}

// JavaScript writes `LayerPass` in the layout of the library's struct.
static_assert(sizeof(AttentionPass) == sizeof(LayerPass));
static_assert(offsetof(AttentionPass, head_gate) == offsetof(LayerPass, head_gate));
static_assert(offsetof(AttentionPass, gate_stride) == offsetof(LayerPass, gate_stride));
static_assert(offsetof(AttentionPass, attention_weights) == offsetof(LayerPass, attention_weights));
static_assert(offsetof(AttentionPass, head_gate_gradient) ==
              offsetof(LayerPass, head_gate_gradient));

double run_model(Address model, Address address) {
  TransformerCore& transformer = model_at(model);
  const auto& record = record_at<PassRecord>(address);
#if defined(HEADWISE_CHECKED)
  std::ranges::for_each(std::span(record.layers, transformer.layers(Side::self).size()),
                        [](const LayerPass& layer) { check_record(layer); });
#endif
  TransformerPass pass;
  pass.tokens = record.tokens;
  pass.targets = record.targets;
  pass.batch = record.batch;
  pass.length = record.length;
  pass.layers = {reinterpret_cast<const AttentionPass*>(record.layers),
                 transformer.layers(Side::self).size()};
  pass.logits = record.logits;
  Arena arena = working_arena(record.workspace);
  pass.arena = &arena;
  pass.num_threads = parallel::num_threads();
  auto* const optimizer = static_cast<OptimizerCore*>(record.optimizer);
  switch (static_cast<PassKind>(record.kind)) {
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
  const std::vector<HeadList> lists = message_at<HeadLists>(address).layers;
  std::vector<std::vector<std::size_t>> heads(lists.size());
  std::ranges::transform(lists, heads.begin(), [](const HeadList& list) {
    return std::vector<std::size_t>(list.heads.begin(), list.heads.end());
  });
  model_at(model).remove_heads(Side::self, heads);
}

}  // namespace headwise::bindings
