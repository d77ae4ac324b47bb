#include "model_calls.hpp"

#include <cstddef>
#include <cstdint>
#include <headwise/api/generation.hpp>
#include <headwise/api/microscope_passes.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <span>
#include <vector>

#include "layer_calls.hpp"
#include "memory.hpp"
#include "model.hpp"
#include "records.hpp"
#include "response.hpp"
#include "results.hpp"

namespace headwise::bindings {
namespace {

/// As in `PassKind` of model-pass.ts.
enum class PassKind : std::uint8_t { forward, loss, gradients, training, lens, attribution };

/// The same inputs with other tokens, pixels or embeddings.
ModelInputs corrupted(const PassRecord& record) noexcept {
  ModelInputs inputs = record.inputs;
  inputs.tokens = record.corrupted_tokens;
  inputs.pixels = record.corrupted_pixels;
  inputs.embeddings = record.corrupted_embeddings;
  return inputs;
}

}  // namespace

Address new_model(Address request) {
  auto [options, scaling] = message_at<NewModel>(request);
  options.rotary.scaling = scaling;
  return address_of(new Model(options));  // NOLINT(*-owning-memory): JavaScript owns it
}

Address copy_model(Address model) {
  auto* copy = new Model(model_at(model));  // NOLINT(*-owning-memory): JavaScript owns it
  copy->transformer.eval();
  return address_of(copy);
}

void delete_model(Address model) { delete at<Model>(model); }

Address describe_model(Address model) { return respond(transformer_at(model)); }

Address model_parameters(Address model) {
  return respond(transformer_at(model).core().parameters());
}

void check_model_tensors(Address model, Address request) {
  validation::check_model_tensors(transformer_at(model), message_at<NamedTensors>(request).tensors);
}

Address model_memory(Address model) { return respond(transformer_at(model).memory()); }

void zero_model_gradients(Address model) { transformer_at(model).zero_gradients(); }

void model_parameters_changed(Address model) { transformer_at(model).parameters_changed(); }

double run_model(Address model, Address address) {
  Transformer& transformer = transformer_at(model);
  const auto& record = record_at<PassRecord>(address);
  const ModelInputs& inputs = record.inputs;
  ResultsOfModel results;
  double loss = 0;
  switch (static_cast<PassKind>(record.kind)) {
    case PassKind::forward:
      transformer.forward(inputs, results);
      break;
    case PassKind::loss:
      loss = transformer.loss(inputs);
      break;
    case PassKind::gradients:
      loss = transformer.loss_and_gradients(inputs, results);
      break;
    case PassKind::training:
      loss = transformer.train_step(inputs, *static_cast<UncheckedOptimizer*>(record.optimizer));
      break;
    case PassKind::lens:
      logit_lens(transformer, inputs, record.layers, record.positions, results);
      break;
    case PassKind::attribution:
      attribute_logits(transformer, inputs, record.target, record.against, record.positions,
                       results);
      break;
  }
  results.give();
  return loss;
}

void unembed(Address model, Address features, double rows, Address logits) {
  transformer_at(model).core().unembed(at<const float>(features), size_of(rows), at<float>(logits),
                                       parallel::num_threads());
}

void backward_model(Address model, Address address) {
  const auto& record = record_at<ModelBackwardRecord>(address);
  ResultsOfModel results;
  transformer_at(model).backward(record.hidden, record.logits, results);
  results.give();
}

Address new_generation(Address model, Address inputs) {
  // NOLINTNEXTLINE(*-owning-memory): JavaScript owns it
  return address_of(new Generation(transformer_at(model), record_at<GenerateInputs>(inputs)));
}

void delete_generation(Address generation) { delete at<Generation>(generation); }

std::size_t generation_has_ended(Address generation) {
  return at<Generation>(generation)->ended() ? 1 : 0;
}

std::size_t next_token(Address generation) {
  ResultsOfModel results;
  const std::size_t token = at<Generation>(generation)->next(results);
  results.give();
  return token;
}

Address new_head_patching(Address model, Address address) {
  const auto& record = record_at<PassRecord>(address);
  // NOLINTNEXTLINE(*-owning-memory): JavaScript owns it
  return address_of(new HeadPatching(transformer_at(model), record.inputs, corrupted(record),
                                     static_cast<ActivationName>(record.replaced),
                                     record.positions));
}

void delete_head_patching(Address patching) { delete at<HeadPatching>(patching); }

std::size_t patch_next_heads(Address patching, Address address) {
  const auto& record = record_at<PassRecord>(address);
  ResultsOfModel results;
  const std::size_t count =
      at<HeadPatching>(patching)->run(corrupted(record), ModelResultName::hidden, results);
  results.give();
  return count;
}

void check_patched_heads(Address patching) { at<HeadPatching>(patching)->check_unchanged(); }

Address new_model_cache(Address model, double batch_size, double max_length,
                        std::size_t precision) {
  const CacheOptions options{.batch_size = static_cast<std::int64_t>(batch_size),
                             .max_length = static_cast<std::int64_t>(max_length),
                             .precision = static_cast<Precision>(precision)};
  // NOLINTNEXTLINE(*-owning-memory): JavaScript owns it
  return address_of(new ModelCache(transformer_at(model).create_cache(options)));
}

void delete_model_cache(Address cache) { delete at<ModelCache>(cache); }

std::size_t model_cache_length(Address cache) { return at<ModelCache>(cache)->length(); }

void set_model_cache_length(Address cache, double length, std::size_t with_source) {
  auto& changed = *at<ModelCache>(cache);
  changed.truncate(static_cast<std::int64_t>(length));
  if (with_source == 0) {
    changed.reset();
  }
}

void prune_model(Address model, std::size_t side, Address counts, Address heads) {
  Transformer& pruned = transformer_at(model);
  const std::vector<MultiHeadAttention>& layers = pruned.attention_layers(static_cast<Side>(side));
  std::vector<std::vector<std::size_t>> removed(layers.size());
  const auto* next = at<const double>(heads);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const std::span given(next, at<const std::size_t>(counts)[layer]);
    removed[layer] = validation::check_prune_heads(layers[layer], given,
                                                   validation::text_of({"heads[", layer, "]"}));
    next += given.size();
  }
  pruned.core().remove_heads(static_cast<Side>(side), removed);
}

}  // namespace headwise::bindings
