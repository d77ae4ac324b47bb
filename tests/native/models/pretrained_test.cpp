#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "checkpoint.hpp"
#include "compare.hpp"
#include "files.hpp"

// tests/data/models holds small models of eight families, with random parameters, as their
// frameworks write them; results and gradients were computed by PyTorch in float64.
namespace headwise::test {
namespace {

constexpr double forward_tolerance = 2e-5;
constexpr double gradient_tolerance = 2e-4;

/// The largest difference, as a share of the largest expected value, or of `scale` if that is
/// larger.
template <typename Tensor>
double relative_difference(const Tensor& got, const xt::xarray<double>& expected,
                           double scale = 1e-30) {
  return max_difference(got, expected) / std::fmax(largest_magnitude(expected), scale);
}

void check_weights(const Checkpoint& checkpoint, const std::string& name,
                   const std::vector<Tensor<4>>& weights) {
  for (std::size_t layer = 0; layer < weights.size(); ++layer) {
    const std::string of_layer = name + std::to_string(layer);
    INFO(of_layer);
    CHECK(relative_difference(weights[layer], checkpoint.expected.at(of_layer)) <
          forward_tolerance);
  }
}

/// Targets: the next token of each position, where that is no padding.
Tokens next_tokens(const Tokens& tokens, const Checkpoint& checkpoint, bool padded) {
  Tokens targets(tokens.shape(), ignored_target);
  const Tokens mask = padded ? checkpoint.tokens("in.mask") : Tokens();
  for (std::size_t row = 0; row < tokens.shape(0); ++row) {
    for (std::size_t next = 1; next < tokens.shape(1); ++next) {
      if (!padded || mask(row, next) != 0) {
        targets(row, next - 1) = tokens(row, next);
      }
    }
  }
  return targets;
}

void check_gradients(const Checkpoint& checkpoint, const Transformer& model) {
  const StateDict gradients = model.gradients(ParameterNames::pretrained);
  std::size_t count = 0;
  double largest = 0;
  for (const auto& [name, expected] : checkpoint.expected) {
    largest = name.starts_with("grad.") ? std::fmax(largest, largest_magnitude(expected)) : largest;
  }
  for (const auto& [name, expected] : checkpoint.expected) {
    if (name.starts_with("grad.")) {
      INFO(name);
      REQUIRE(gradients.contains(name.substr(5)));
      const auto& gradient = gradients.at(name.substr(5));
      CHECK(gradient.shape() == expected.shape());
      // Softmax cancels the bias of keys: its gradient is 0 but for rounding.
      CHECK(relative_difference(gradient, expected, 1e-3 * largest) < gradient_tolerance);
      ++count;
    }
  }
  CHECK(count == gradients.size());
}

TEST_CASE("Pretrained models give PyTorch's results, losses and gradients") {
  for (const std::string& name : checkpoint_names) {
    INFO(name);
    const Checkpoint checkpoint(name);
    Transformer model = checkpoint.model();
    const TransformerResult result = checkpoint.forward(model);
    if (checkpoint.has("out.logits")) {
      CHECK(relative_difference(result.logits, checkpoint.expected.at("out.logits")) <
            forward_tolerance);
    } else {
      CHECK(relative_difference(result.hidden, checkpoint.expected.at("out.hidden")) <
            forward_tolerance);
    }
    if (checkpoint.has("out.encoder")) {
      CHECK(relative_difference(*result.encoder_hidden, checkpoint.expected.at("out.encoder")) <
            forward_tolerance);
    }
    check_weights(checkpoint, "out.attention.", result.attention_weights);
    check_weights(checkpoint, "out.cross.", result.cross_attention_weights);
    check_weights(checkpoint, "out.encoder_attention.", result.encoder_attention_weights);

    const double expected_loss = checkpoint.expected.at("out.loss").data()[0];
    if (checkpoint.has("in.cotangent")) {
      const Tensor<3> cotangent = xt::cast<float>(checkpoint.expected.at("in.cotangent"));
      const double loss = xt::sum(xt::cast<double>(result.hidden) * cotangent)();
      CHECK(std::abs(loss - expected_loss) < forward_tolerance * std::abs(expected_loss));
      static_cast<void>(model.backward(cotangent));
    } else {
      const bool padded = !checkpoint.has("in.target");
      const Tokens tokens = checkpoint.tokens(padded ? "in.tokens" : "in.target");
      TransformerForwardOptions options = checkpoint.options();
      options.return_weights = options.requires_grad = false;
      const double loss =
          model.loss_and_gradients(tokens, next_tokens(tokens, checkpoint, padded), options).loss;
      CHECK(std::abs(loss - expected_loss) < forward_tolerance * std::abs(expected_loss));
    }
    check_gradients(checkpoint, model);
  }
}

// Families without a reference of their own are others with other names.

/// As many rows of zeros before the tensor's.
xt::xarray<float> behind_rows(const xt::xarray<float>& tensor, std::size_t rows) {
  const xt::xarray<float> zeros = xt::zeros<float>({rows, tensor.shape(1)});
  return xt::concatenate(xt::xtuple(zeros, tensor));
}

std::string renamed(std::string name, const std::string& before, const std::string& after) {
  return contains(name, before) ? replaced(name, before, after) : name;
}

TEST_CASE("RoBERTa is BERT whose positions begin behind the padding's") {
  const Checkpoint bert("bert-a");
  Transformer expected_model = bert.model();
  const TransformerResult expected = bert.forward(expected_model);
  for (const std::size_t padding : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
    CAPTURE(padding);
    StateDict tensors;
    for (const auto& [name, tensor] : bert.tensors) {
      tensors["roberta." + name] =
          name.ends_with("position_embeddings.weight") ? behind_rows(tensor, padding + 1) : tensor;
    }
    std::string config = replaced(bert.config, "\"bert\"",
                                  "\"roberta\", \"pad_token_id\": " + std::to_string(padding));
    config = replaced(config, "\"max_position_embeddings\": 14",
                      "\"max_position_embeddings\": " + std::to_string(14 + padding + 1));
    Transformer model = Transformer::from_pretrained(config, tensors);
    CHECK(model.settings().max_length == 14);
    CHECK(model.settings().padding_token == static_cast<std::int64_t>(padding));
    const TransformerResult result = bert.forward(model);
    CHECK(result.hidden == expected.hidden);
    CHECK(result.attention_weights == expected.attention_weights);
    const StateDict out = model.state_dict(ParameterNames::pretrained);
    for (const auto& [name, tensor] : out) {
      CHECK(same_bits(tensor, tensors.at(name)));
    }
  }
}

TEST_CASE("DistilBERT is BERT without segments") {
  const Checkpoint bert("bert-a");
  StateDict without_segments = bert.tensors;
  without_segments["embeddings.token_type_embeddings.weight"].fill(0);
  Transformer expected_model = Transformer::from_pretrained(bert.config, without_segments);
  const TransformerResult expected = bert.forward(expected_model);
  StateDict tensors;
  for (const auto& [bert_name, tensor] : bert.tensors) {
    std::string name = renamed(bert_name, "attention.output.LayerNorm", "sa_layer_norm");
    name = renamed(name, "encoder.layer.", "transformer.layer.");
    name = renamed(name, "attention.self.query", "attention.q_lin");
    name = renamed(name, "attention.self.key", "attention.k_lin");
    name = renamed(name, "attention.self.value", "attention.v_lin");
    name = renamed(name, "attention.output.dense", "attention.out_lin");
    name = renamed(name, "intermediate.dense", "ffn.lin1");
    name = renamed(name, "output.dense", "ffn.lin2");
    name = renamed(name, "output.LayerNorm", "output_layer_norm");
    if (!contains(name, "token_type") && !name.starts_with("pooler.")) {
      tensors["distilbert." + name] = tensor;
    }
  }
  const std::string config = R"({"model_type": "distilbert", "dim": 16, "vocab_size": 29,
    "max_position_embeddings": 14, "n_layers": 2, "n_heads": 2, "hidden_dim": 64,
    "activation": "gelu", "sinusoidal_pos_embds": false})";
  Transformer model = Transformer::from_pretrained(config, tensors);
  TransformerForwardOptions options = bert.options();
  options.segments = {};
  const TransformerResult result = model.forward(bert.tokens("in.tokens"), options);
  CHECK(result.hidden == expected.hidden);
  CHECK(result.attention_weights == expected.attention_weights);
}

}  // namespace
}  // namespace headwise::test
