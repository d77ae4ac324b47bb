#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/api/microscope_passes.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/memory/checked_sizes.hpp>
#include <numeric>

namespace headwise {
namespace {

using validation::fail_option;
using validation::fail_text;

/// Checks a pass of a model that has logits.
ModelPassSizes check_analysed(const Transformer& model, const ModelInputs& inputs) {
  const ModelPassSizes sizes = validation::check_pass(model, inputs);
  if (!model.settings().head) {
    fail_option("model: expected one that has logits, got one without", {});
  }
  if (inputs.cache != nullptr) {
    fail_option("cache: expected none, got a cache", {});
  }
  if (sizes.batch * sizes.length == 0) {
    fail_text(ErrorCode::invalid_shape, "tokens: expected at least one, got none");
  }
  return sizes;
}

/// 0, 1, … before `end`.
std::vector<std::int32_t> numbers_to(std::size_t end) {
  std::vector<std::int32_t> numbers(end);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The chosen ones of `count`.
std::vector<std::int32_t> chosen(std::string_view argument, std::string_view one,
                                 const Input<double>& list, std::size_t count,
                                 std::vector<std::int32_t> by_default) {
  validation::check_chosen(argument, one, list, count);
  return list.is_given() ? std::vector<std::int32_t>(list.numbers().begin(), list.numbers().end())
                         : std::move(by_default);
}

std::vector<std::int32_t> last_of(const ModelPassSizes& sizes) {
  return {static_cast<std::int32_t>(sizes.length) - 1};
}

/// One token for each sample.
std::vector<std::int32_t> tokens_of(std::string_view argument, const Input<double>& given,
                                    std::size_t batch, std::size_t vocabulary_size) {
  const std::span<const double> numbers = given.numbers();
  if (numbers.size() != 1 && numbers.size() != batch) {
    fail_text(ErrorCode::invalid_shape, "#: expected one token, or one for each sample (#), got #",
              {argument, batch, numbers.size()});
  }
  validation::check_up_to(argument, given, vocabulary_size - 1);
  std::vector<std::int32_t> tokens(numbers.begin(), numbers.end());
  tokens.resize(batch, tokens.front());
  return tokens;
}

/// Changes whenever the model or one of its layers does, heads included.
std::uint64_t version_of(const Transformer& model) {
  std::uint64_t version = model.own_parameters().version();
  model.core().for_each_layer(
      [&](auto, auto, const AttentionLayer& layer) { version += layer.version(); });
  return version;
}

}  // namespace

void logit_lens(Transformer& model, const ModelInputs& inputs, const Input<double>& layers,
                const Input<double>& positions, ModelResults& results) {
  const ModelPassSizes of_pass = check_analysed(model, inputs);
  const std::size_t num_layers = model.num_layers() + 1;
  const std::vector<std::int32_t> of_layers =
      chosen("layers", "layer", layers, num_layers, numbers_to(num_layers));
  const std::vector<std::int32_t> at_positions =
      chosen("positions", "position", positions, of_pass.length, last_of(of_pass));
  ModelPass given(model, inputs);
  float* const logits = results.of({.name = ModelResultName::logits},
                                   std::array{of_layers.size(), of_pass.batch, at_positions.size(),
                                              model.settings().vocabulary_size});
  UncheckedTransformer& core = model.core();
  given.prepare([&](Arena& arena, const ModelPassSizes& sizes) {
    return core.lay_out_lens(arena, sizes, of_layers.size() * sizes.batch * at_positions.size());
  });
  core.logit_lens_into(given.pass(), {.layers = of_layers.data(),
                                      .num_layers = of_layers.size(),
                                      .positions = at_positions.data(),
                                      .num_positions = at_positions.size(),
                                      .logits = logits});
}

void attribute_logits(Transformer& model, const ModelInputs& inputs, const Input<double>& target,
                      const Input<double>& against, const Input<double>& position,
                      ModelResults& results) {
  const ModelPassSizes sizes = check_analysed(model, inputs);
  const std::size_t batch = sizes.batch;
  const TransformerSettings& settings = model.settings();
  if (!settings.norm_first && settings.norm != Norm::none) {
    fail_option("model: expected one whose norms come first, got another", {});
  }
  const std::vector<std::int32_t> targets =
      tokens_of("target", target, batch, settings.vocabulary_size);
  std::vector<std::int32_t> others;
  if (against.is_given()) {
    others = tokens_of("against", against, batch, settings.vocabulary_size);
  }
  const double last = static_cast<double>(sizes.length) - 1;
  const double at = position.data != nullptr ? *position.data : last;
  if (!(at >= 0 && at <= last && std::trunc(at) == at)) {
    fail_option("position: expected an integer from 0 to #, got #", {last, at});
  }
  ModelPass given(model, inputs);
  UncheckedTransformer& core = model.core();
  const auto make = [&](ModelResultName name, std::size_t rank) {
    const std::array shape = {batch, model.num_layers(), core.max_heads()};
    return results.of({.name = name}, std::span(shape).first(rank));
  };
  LogitAttribution attribution{.targets = targets.data(),
                               .against = others.empty() ? nullptr : others.data(),
                               .position = static_cast<std::int32_t>(at)};
  attribution.heads = make(ModelResultName::heads, 3);
  if (settings.has_encoder()) {
    attribution.cross_heads = make(ModelResultName::cross_heads, 3);
  }
  attribution.mlps = make(ModelResultName::mlps, 2);
  attribution.embeddings = make(ModelResultName::embeddings, 1);
  attribution.biases = make(ModelResultName::biases, 1);
  attribution.total = make(ModelResultName::total, 1);
  given.prepare([&](Arena& arena, const ModelPassSizes& of_pass) {
    return core.lay_out_attribution(arena, of_pass);
  });
  core.attribute_logits_into(given.pass(), attribution);
}

HeadPatching::HeadPatching(Transformer& model, const ModelInputs& clean,
                           const ModelInputs& corrupted, ActivationName at,
                           const Input<double>& positions)
    : model_(&model), at_(at) {
  using enum ActivationName;
  validation::check_model(model);
  const auto drops = [](const MultiHeadAttention& layer) {
    return layer.training() && layer.settings().dropout > 0;
  };
  if (std::ranges::any_of(model.attention_layers(Side::self), drops)) {
    // Every run would drop other weights.
    fail_option("model: expected one in evaluation mode, got dropout", {});
  }
  constexpr std::array replaced = {z, queries, keys, values, pattern, head_out};
  if (std::ranges::find(replaced, at) == replaced.end()) {
    fail_option("at: expected z, queries, keys, values, pattern or head_out, got #",
                {validation::name_of(at)});
  }
  const ModelPassSizes sizes = check_analysed(model, clean);
  const ModelPassSizes others = validation::check_input(model, corrupted);
  const std::array shape = {sizes.batch, sizes.length};
  const std::array other_shape = {others.batch, others.length};
  const std::size_t rank = sizes.has_batch_axis ? 2 : 1;
  const std::size_t other_rank = others.has_batch_axis ? 2 : 1;
  if (shape != other_shape || rank != other_rank) {
    fail_text(ErrorCode::invalid_shape, "corrupted: expected #, got #",
              {std::span(shape).last(rank), std::span(other_shape).last(other_rank)});
  }
  static_cast<void>(check_analysed(model, corrupted));
  positions_ = chosen("positions", "position", positions, sizes.length, numbers_to(sizes.length));
  if (positions_.empty()) {
    fail_option("positions: expected at least one, got none", {});
  }
  version_ = version_of(model);
  values_ = capture(clean, at);
  streams_ = capture(corrupted, resid_pre);
}

std::size_t HeadPatching::num_heads(std::size_t layer) const noexcept {
  const LayerSettings& settings = model_->attention_layers(Side::self)[layer].settings();
  const bool by_kv_head = at_ == ActivationName::keys || at_ == ActivationName::values;
  return by_kv_head ? settings.num_kv_heads : settings.num_heads;
}

std::vector<AlignedFloats> HeadPatching::capture(ModelInputs inputs, ActivationName at) {
  std::vector<AlignedFloats> kept;
  std::vector<AlignedFloats> of_other_sides;
  ResultsIn results([&](const ModelResult& result, std::span<const std::size_t> shape) {
    std::vector<AlignedFloats>& side = result.side == Side::self ? kept : of_other_sides;
    return side.emplace_back(checked_count(shape, sizeof(float))).data();
  });
  inputs.capture = {&at, 1};
  ModelPass given(*model_, inputs);
  given.prepare([&](Arena& arena, const ModelPassSizes& sizes) {
    return model_->core().lay_out_forward(arena, sizes, false);
  });
  given.make_captures(results);
  model_->core().forward_into(given.pass());
  return kept;
}

void HeadPatching::check_unchanged() const {
  validation::check_model_in_use(*model_);
  if (version_of(*model_) != version_) {
    fail_option("model: expected one that stays as it is during the call, got one that was changed",
                {});
  }
}

std::size_t HeadPatching::run(const ModelInputs& corrupted, ModelResultName wanted,
                              ModelResults& results) {
  if (layer_ == values_.size()) {
    return 0;
  }
  check_unchanged();
  const TransformerSettings& settings = model_->settings();
  ModelPassSizes sizes = validation::check_input(*model_, corrupted);
  sizes.num_keys = sizes.length;
  const std::size_t batch = sizes.batch;
  const std::size_t num_positions = positions_.size();
  const std::size_t at_once = UncheckedTransformer::heads_at_once(
      num_heads(layer_), batch * sizes.length, batch * num_positions * settings.vocabulary_size);
  std::vector<double> heads(std::min(at_once, num_heads(layer_) - first_));
  std::iota(heads.begin(), heads.end(), static_cast<double>(first_));
  const std::array count = {heads.size()};
  PatchInputs patch{.at = at_,
                    .side = Side::self,
                    .layer = static_cast<std::int64_t>(layer_),
                    .kind = PatchKind::value,
                    .heads = {heads.data(), count}};
  const ActivationAxes axes = patched_axes(*model_, patch, sizes);
  const std::array shape = {batch, axes.heads, axes.rows, axes.size};
  patch.value = {values_[layer_].data(), std::span(shape).last(sizes.has_batch_axis ? 4 : 3)};
  ModelInputs inputs = corrupted;
  inputs.patches = {&patch, 1};
  ModelPass given(*model_, inputs);
  UncheckedTransformer& core = model_->core();
  given.prepare([&](Arena& arena, ModelPassSizes of_pass) {
    of_pass.batch *= heads.size();
    return core.lay_out_forward(arena, of_pass, false);
  });
  TransformerPass& pass = given.pass();
  pass.stream = streams_[layer_].data();
  pass.first_layer = layer_;
  pass.positions = positions_.data();
  pass.num_positions = num_positions;
  const bool has_logits = wanted == ModelResultName::logits;
  float*& to = has_logits ? pass.logits : pass.hidden;
  to = results.of({.name = wanted},
                  std::array{heads.size(), batch, num_positions,
                             has_logits ? settings.vocabulary_size : settings.num_hiddens});
  core.patch_heads_into(pass);
  first_ += heads.size();
  if (first_ == num_heads(layer_)) {
    ++layer_;
    first_ = 0;
  }
  return heads.size();
}

}  // namespace headwise
