#include <catch2/catch_test_macros.hpp>
#include <string>

#include "checkpoint.hpp"
#include "compare.hpp"
#include "files.hpp"

// Families without a reference of their own are others with other names: what they give is held
// against those.
namespace headwise::test {
namespace {

/// As many rows of zeros before the tensor's.
xt::xarray<float> behind_rows(const xt::xarray<float>& tensor, std::size_t rows) {
  const std::size_t columns = tensor.shape(1);
  xt::xarray<float> result = xt::zeros<float>({tensor.shape(0) + rows, columns});
  std::copy(tensor.begin(), tensor.end(), result.data() + rows * columns);
  return result;
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
