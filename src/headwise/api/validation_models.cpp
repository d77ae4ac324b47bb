#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_state_dict.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/api/validation_training.hpp>
#include <headwise/attention_only_transformer.hpp>

namespace headwise::validation {
namespace {

void check_tokens(const AttentionOnlyTransformer& model, const Tokens& tokens) {
  const std::size_t max_length = model.sizes().max_length;
  if (tokens.shape(1) > max_length) {
    fail(ErrorCode::invalid_shape, "tokens",
         "(batch, length), length at most max_length (" + std::to_string(max_length) + ")",
         shape_text(Shape(tokens.shape())));
  }
  check_symbols("tokens", tokens, 0, model.sizes().vocabulary_size);
}

void check_head_gates(const AttentionOnlyTransformer& model, std::size_t batch,
                      const std::vector<HeadGate>& head_gates) {
  if (!head_gates.empty() && head_gates.size() != model.num_layers()) {
    fail(ErrorCode::invalid_shape, "head_gates",
         "one a layer (" + std::to_string(model.num_layers()) + ") or none",
         std::to_string(head_gates.size()));
  }
  for (std::size_t layer = 0; layer < head_gates.size(); ++layer) {
    check_head_gate("head_gates[" + std::to_string(layer) + "]", head_gates[layer], batch,
                    model.layer(layer).num_heads());
  }
}

}  // namespace

void check_model(const AttentionOnlyTransformer& model) {
  check_in_use(model.in_use(), "model");
  const std::size_t size = model.sizes().num_hiddens;
  for (std::size_t number = 0; number < model.num_layers(); ++number) {
    const MultiHeadAttention& layer = model.layer(number);
    check_in_use(layer.in_use(), "layer");
    const std::array<std::size_t, 4> sizes = {
        layer.query_size().value_or(0), layer.key_size().value_or(0),
        layer.value_size().value_or(0), layer.settings().output_size};
    const auto other = std::ranges::find_if(sizes, [&](std::size_t each) { return each != size; });
    if (other != sizes.end()) {
      fail(ErrorCode::invalid_option, "layers[" + std::to_string(number) + "]",
           "inputs and output of num_hiddens (" + std::to_string(size) + ")",
           *other == 0 ? "unknown sizes" : std::to_string(*other));
    }
  }
}

void check_prune_heads(const AttentionOnlyTransformer& model,
                       const std::map<std::int64_t, std::vector<std::int64_t>>& heads) {
  check_model(model);
  const auto num_layers = static_cast<std::int64_t>(model.num_layers());
  const auto is_layer = [&](std::int64_t layer) { return layer >= 0 && layer < num_layers; };
  for (const auto& [layer, given] : heads) {
    if (is_layer(layer)) {
      check_prune_heads(model.layer(static_cast<std::size_t>(layer)), given,
                        "heads[" + std::to_string(layer) + "]");
    }
  }
  for (const auto& [layer, given] : heads) {
    if (!is_layer(layer)) {
      fail(ErrorCode::invalid_option, "heads", "layers from 0 to " + std::to_string(num_layers - 1),
           std::to_string(layer));
    }
  }
}

void check_transformer_options(const AttentionOnlyTransformerOptions& options) {
  check_size("vocabulary_size", options.vocabulary_size);
  check_size("max_length", options.max_length);
  check_size("num_layers", options.num_layers);
  // The others are a layer's options of the same names.
  check_layer_options({.num_hiddens = options.num_hiddens,
                       .num_heads = options.num_heads,
                       .dropout = options.dropout,
                       .seed = options.seed});
}

void check_transformer_pass(const AttentionOnlyTransformer& model, const Tokens& tokens,
                            const Tokens* targets, const TransformerForwardOptions& options) {
  check_model(model);
  check_tokens(model, tokens);
  if (targets != nullptr) {
    check_shape("targets", targets->shape(), std::array<Axis, 2>{tokens.shape(0), tokens.shape(1)});
    check_targets(*targets, model.sizes().vocabulary_size);
  }
  check_head_gates(model, tokens.shape(0), options.head_gates);
}

void check_transformer_state_dict(const AttentionOnlyTransformer& model,
                                  const StateDict& state_dict) {
  check_model(model);
  ExpectedParameters expected;
  for (const auto& [name, shape, offset] : model.own_parameters().parameter_table().entries()) {
    expected.emplace(name, std::vector<Axis>(shape.begin(), shape.end()));
  }
  for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
    for (auto& [name, axes] : expected_parameters(model.layer(layer))) {
      expected.emplace(prefix_of_layer(layer) + "attention." + name, axes);
    }
  }
  check_parameters(expected, state_dict);
}

}  // namespace headwise::validation
