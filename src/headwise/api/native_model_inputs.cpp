#include <algorithm>
#include <headwise/api/native_model_inputs.hpp>

namespace headwise {
namespace {

IntegerInput integers_of(const std::optional<Tokens>& tokens) {
  return tokens ? IntegerInput(*tokens) : IntegerInput();
}

std::vector<InputTensor> gates_of(const std::vector<HeadGate>& gates) {
  std::vector<InputTensor> inputs(gates.size());
  std::ranges::transform(gates, inputs.begin(),
                         [](const HeadGate& gate) { return input_of(gate); });
  return inputs;
}

/// Adds a tensor to a list of tensors, or puts it in an optional one.
template <std::size_t Rank>
Tensor<Rank>& added(std::vector<Tensor<Rank>>& tensors) {
  return tensors.emplace_back();
}

template <std::size_t Rank>
Tensor<Rank>& added(std::optional<Tensor<Rank>>& tensor) {
  return tensor.emplace();
}

/// Calls `use` with the tensors of this name.
template <typename Use>
float* with_captured(ModelCaptures& captured, ActivationName name, const Use& use) {
  using enum ActivationName;
  switch (name) {
    case queries:
      return use(captured.queries);
    case keys:
      return use(captured.keys);
    case values:
      return use(captured.values);
    case scores:
      return use(captured.scores);
    case pattern:
      return use(captured.pattern);
    case dropped_weights:
      return use(captured.dropped_weights);
    case z:
      return use(captured.z);
    case head_out:
      return use(captured.head_out);
    case key_mass:
      return use(captured.key_mass);
    case row_entropy:
      return use(captured.row_entropy);
    case resid_pre:
      return use(captured.resid_pre);
    case attn_out:
      return use(captured.attn_out);
    case resid_mid:
      return use(captured.resid_mid);
    case mlp_out:
      return use(captured.mlp_out);
    case resid_post:
      return use(captured.resid_post);
    case embeddings:
      return use(captured.embeddings);
    case final_norm_scale:
      return use(captured.final_norm_scale);
  }
  return nullptr;
}

}  // namespace

NativePass::NativePass(const TransformerForwardOptions& options, std::size_t length)
    : segments_(integers_of(options.segments)),
      source_(integers_of(options.source)),
      valid_lens_(options.valid_lens),
      source_valid_lens_(options.source_valid_lens),
      key_mask_("key_mask", options.key_mask),
      source_key_mask_("source_key_mask", options.source_key_mask),
      gates_({gates_of(options.head_gates), gates_of(options.cross_head_gates),
              gates_of(options.encoder_head_gates)}),
      weight_heads_(options.return_weights.heads),
      weight_queries_(queries_of(options.return_weights, length)),
      capture_layers_(options.capture_layers),
      capture_positions_(options.capture_positions),
      patch_lists_(options.patch.size()),
      patches_(options.patch.size()) {
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    const Patch& given = options.patch[i];
    patch_lists_[i] = {.heads = IntegerInput(given.heads),
                       .positions = IntegerInput(given.positions)};
    PatchInputs& patch = patches_[i];
    patch = {.at = given.at,
             .side = given.side,
             .layer = given.layer,
             .heads = patch_lists_[i].heads.input(),
             .positions = patch_lists_[i].positions.input()};
    if (const auto* value = std::get_if<xt::xarray<float>>(&given.value); value != nullptr) {
      patch.kind = PatchKind::value;
      patch.value = {value->data(), {value->shape().data(), value->shape().size()}};
    } else {
      patch.kind = std::get<PatchKind>(given.value);
    }
  }
  inputs_.segments = segments_.input();
  inputs_.source = source_.input();
  inputs_.valid_lens = valid_lens_.input();
  inputs_.source_valid_lens = source_valid_lens_.input();
  inputs_.key_mask = key_mask_.input();
  inputs_.source_key_mask = source_key_mask_.input();
  std::ranges::copy(gates_, inputs_.head_gates.begin());
  inputs_.cache = options.cache;
  inputs_.return_weights = options.return_weights.all;
  inputs_.weight_heads = weight_heads_.input();
  inputs_.weight_queries = weight_queries_.input();
  inputs_.capture = options.capture;
  inputs_.capture_layers = capture_layers_.input();
  inputs_.capture_positions = capture_positions_.input();
  inputs_.patches = patches_;
  inputs_.requires_grad = options.requires_grad;
}

NativePass::NativePass(const Tokens& tokens, const TransformerForwardOptions& options)
    : NativePass(options, tokens.shape(1)) {
  tokens_ = IntegerInput(tokens);
  inputs_.tokens = tokens_.input();
}

NativePass::NativePass(const Tokens& tokens, const Tokens& targets,
                       const TransformerForwardOptions& options)
    : NativePass(tokens, options) {
  targets_ = IntegerInput(targets);
  inputs_.targets = targets_.input();
  inputs_.requires_grad = false;
}

NativePass::NativePass(const TensorView<4>& pixels, const TransformerForwardOptions& options,
                       std::size_t length)
    : NativePass(options, length) {
  inputs_.pixels = pixels;
}

NativePass::NativePass(const Embeddings& embeddings, const TransformerForwardOptions& options)
    : NativePass(options, embeddings.values.shape()[1]) {
  inputs_.embeddings = embeddings.values;
}

float* place_in(TransformerResult& result, const ModelResult& place,
                std::span<const std::size_t> shape) {
  switch (place.name) {
    case ModelResultName::hidden:
      return make_result(result.hidden, shape);
    case ModelResultName::logits:
      return make_result(result.logits, shape);
    case ModelResultName::encoder_hidden:
      return make_result(result.encoder_hidden.emplace(), shape);
    case ModelResultName::attention_weights:
      return make_result(
          added(by_side(place.side, result.attention_weights, result.cross_attention_weights,
                        result.encoder_attention_weights)),
          shape);
    default:
      return with_captured(
          by_side(place.side, result.captured, result.cross_captured, result.encoder_captured),
          place.activation, [&](auto& tensors) { return make_result(added(tensors), shape); });
  }
}

}  // namespace headwise
