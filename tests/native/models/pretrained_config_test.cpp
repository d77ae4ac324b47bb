#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "compare.hpp"

// What `from_pretrained` takes for a config, and what it says of others.
namespace headwise::test {
namespace {

std::string error_of_config(const Checkpoint& checkpoint, const std::string& config) {
  return error_of([&] { return Transformer::from_pretrained(config, checkpoint.tensors); });
}

/// The config with these fields before its own; of two of a name, the first counts.
std::string with_fields(const Checkpoint& checkpoint, const std::string& fields) {
  return replaced(checkpoint.config, "{", "{" + fields + ",");
}

std::string invalid_field(const std::string& field, const std::string& expected,
                          const std::string& got) {
  return "invalid-option; config." + field + ": expected " + expected + ", got " + got;
}

const std::string a_size = "an integer from 1 to 2147483647";

struct Sizes {
  const char* checkpoint;
  std::vector<std::string> required;
  std::vector<std::string> optional;
};

const std::vector<std::string> of_gpt2 = {"vocab_size", "n_positions", "n_embd", "n_layer",
                                          "n_head"};
const std::vector<std::string> of_llama = {"vocab_size", "hidden_size", "num_hidden_layers",
                                           "num_attention_heads", "intermediate_size"};
const std::vector<std::string> of_bart = {
    "vocab_size",      "d_model",        "decoder_layers",          "decoder_attention_heads",
    "decoder_ffn_dim", "encoder_layers", "encoder_attention_heads", "encoder_ffn_dim"};

const std::vector<Sizes> sizes_of_families = {
    {"gpt2-a", of_gpt2, {"n_inner"}},
    {"nanogpt-a", of_gpt2, {"n_inner"}},
    {"llama-a", of_llama, {"max_position_embeddings", "num_key_value_heads", "head_dim"}},
    {"qwen2-a", of_llama, {"max_position_embeddings", "num_key_value_heads", "sliding_window"}},
    {"bert-a", of_llama, {"type_vocab_size"}},
    {"bert-a", {"max_position_embeddings"}, {}},
    {"vit-a", {of_llama.begin() + 1, of_llama.end()}, {"image_size", "patch_size", "num_channels"}},
    {"bart-a", of_bart, {"max_position_embeddings"}},
    {"marian-a", of_bart, {"max_position_embeddings"}}};

TEST_CASE("A size that is missing or malformed is named") {
  for (const auto& [name, required, optional] : sizes_of_families) {
    const Checkpoint checkpoint(name);
    for (const std::string& field : required) {
      INFO(name << ": " << field);
      const std::string quoted = "\"" + field + "\"";
      // A model without positions of that name may have nanoGPT's.
      const std::string missing = field == "n_positions" ? "block_size" : field;
      CHECK(error_of_config(checkpoint, replaced(checkpoint.config, quoted, "\"other\"")) ==
            invalid_field(missing, a_size, "nothing"));
    }
    std::vector<std::string> all = required;
    all.insert(all.end(), optional.begin(), optional.end());
    for (const std::string& field : all) {
      const struct {
        const char* json;
        const char* got;
      } values[] = {{"0", "0"},         {"-3", "-3"},     {"2.5", "2.5…"},
                    {"\"16\"", "'16'"}, {"true", "true"}, {"2147483648", nullptr},
                    {"1e300", nullptr}};
      for (const auto& [json, got] : values) {
        INFO(name << ": " << field << " = " << json);
        CHECK(error_of_config(checkpoint, with_fields(checkpoint, "\"" + field + "\": " + json)) ==
              invalid_field(field, a_size, got != nullptr ? got : "a number above 2147483647"));
      }
    }
  }
}

TEST_CASE("One error lists every field that is not supported") {
  const Checkpoint checkpoint("llama-a");
  CHECK(error_of_config(checkpoint, R"({"model_type": "llama", "hidden_size": "16",
    "vocab_size": 29, "num_hidden_layers": 2, "num_attention_heads": 2, "hidden_act": "mish",
    "rope_scaling": {"rope_type": "yarn", "factor": 4.0}})") ==
        "invalid-option; "
        "config.hidden_size: expected an integer from 1 to 2147483647, got '16'\n"
        "config.intermediate_size: expected an integer from 1 to 2147483647, got nothing\n"
        "config.hidden_act: expected 'relu', 'gelu', 'gelu_new', 'gelu_pytorch_tanh', "
        "'gelu_fast', 'silu' or 'swish', got 'mish'\n"
        "config.rope_scaling.rope_type: expected 'default', got 'yarn'");
}

TEST_CASE("What a config asks for and no model has is named") {
  const std::string activations =
      "'relu', 'gelu', 'gelu_new', 'gelu_pytorch_tanh', 'gelu_fast', 'silu' or 'swish'";
  const std::string types =
      "one of 'gpt2', 'nanogpt', 'llama', 'mistral', 'qwen2', 'bert', 'roberta', 'distilbert', "
      "'vit', 'bart', 'marian'";
  const std::string alike = "0 or at least num_hidden_layers, all layers alike";
  const struct {
    const char* checkpoint;
    const char* fields;
    std::string field, expected;
    const char* got;
  } cases[] = {
      {"gpt2-a", R"("model_type": "t5")", "model_type", types, "'t5'"},
      {"gpt2-a", R"("model_type": 5)", "model_type", "a text", "5"},
      {"gpt2-a", R"("activation_function": "selu")", "activation_function", activations, "'selu'"},
      {"gpt2-a", R"("activation_function": "")", "activation_function", activations, "''"},
      {"gpt2-a", R"("scale_attn_by_inverse_layer_idx": true)", "scale_attn_by_inverse_layer_idx",
       "false", "true"},
      {"gpt2-a", R"("add_cross_attention": true)", "add_cross_attention", "false", "true"},
      {"gpt2-a", R"("tie_word_embeddings": 1)", "tie_word_embeddings", "true or false", "1"},
      {"gpt2-a", R"("layer_norm_epsilon": "1e-5")", "layer_norm_epsilon", "a number", "'1e-5'"},
      {"nanogpt-a", R"("bias": "no")", "bias", "true or false", "'no'"},
      {"llama-a", R"("rope_scaling": {"type": "linear", "factor": 2})", "rope_scaling.type",
       "'default'", "'linear'"},
      {"llama-a", R"("rope_scaling": {"rope_type": "llama3"})", "rope_scaling.rope_type",
       "'default'", "'llama3'"},
      {"llama-a", R"("rope_parameters": {"rope_type": "yarn"})", "rope_parameters.rope_type",
       "'default'", "'yarn'"},
      {"llama-a", R"("rope_scaling": "linear")", "rope_scaling", "an object", "'linear'"},
      {"llama-a", R"("partial_rotary_factor": 0.5)", "partial_rotary_factor", "1", "0.5…"},
      {"llama-a", R"("attention_bias": true)", "mlp_bias", "the same as attention_bias", "nothing"},
      {"llama-a", R"("mlp_bias": true)", "mlp_bias", "the same as attention_bias", "true"},
      {"llama-a", R"("hidden_act": "tanh")", "hidden_act", activations, "'tanh'"},
      {"llama-a", R"("model_type": "mistral", "sliding_window": 0)", "sliding_window", a_size, "0"},
      {"qwen2-a", R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 1)",
       "max_window_layers", alike, "1"},
      {"qwen2-a", R"("layer_types": ["full_attention", "sliding_attention"])", "layer_types.1",
       "the same as layer_types.0", "'sliding_attention'"},
      {"qwen2-a", R"("layer_types": ["full_attention", "linear"])", "layer_types.1",
       "'full_attention' or 'sliding_attention'", "'linear'"},
      {"bert-a", R"("position_embedding_type": "relative_key")", "position_embedding_type",
       "'absolute'", "'relative_key'"},
      {"bert-a", R"("is_decoder": true)", "is_decoder", "false", "true"},
      {"bert-a", R"("add_cross_attention": true)", "add_cross_attention", "false", "true"},
      {"bert-a", R"("model_type": "roberta", "pad_token_id": 13)", "pad_token_id",
       "an integer from 0 to below max_position_embeddings - 1", "13"},
      {"bert-a", R"("model_type": "roberta", "pad_token_id": -1)", "pad_token_id",
       "an integer from 0 to below max_position_embeddings - 1", "-1"},
      {"bert-a", R"("model_type": "roberta", "pad_token_id": 0.5)", "pad_token_id",
       "an integer from 0 to below max_position_embeddings - 1", "0.5…"},
      {"bert-a", R"("model_type": "roberta", "pad_token_id": 1e300)", "pad_token_id",
       "an integer from 0 to below max_position_embeddings - 1", "a number above 2147483647"},
      {"marian-a", R"("share_encoder_decoder_embeddings": false)",
       "share_encoder_decoder_embeddings", "true", "false"}};
  for (const auto& [name, fields, field, expected, got] : cases) {
    INFO(name << ": " << fields);
    const Checkpoint checkpoint(name);
    CHECK(error_of_config(checkpoint, with_fields(checkpoint, fields)) ==
          invalid_field(field, expected, got));
  }
}

TEST_CASE("Sliding windows are those of the config") {
  const Checkpoint qwen2("qwen2-a");
  const struct {
    const char* fields;
    std::int64_t left;
  } cases[] = {{R"("sliding_window": 4)", -1},
               {R"("use_sliding_window": false, "sliding_window": 4, "max_window_layers": 0)", -1},
               {R"("use_sliding_window": true, "sliding_window": 4)", -1},
               {R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 2)", -1},
               {R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 0)", 3},
               {R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 1,
          "layer_types": ["sliding_attention", "sliding_attention"])",
                3},
               {R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 0,
          "layer_types": ["full_attention", "full_attention"])",
                -1}};
  const std::int64_t without = qwen2.model().settings().window_left;
  for (const auto& [fields, left] : cases) {
    CAPTURE(fields);
    const Transformer model =
        Transformer::from_pretrained(with_fields(qwen2, fields), qwen2.tensors);
    CHECK(model.settings().window_left == (left < 0 ? without : left));
  }
}

TEST_CASE("Fields that are null, and those nobody knows, are as if they were not there") {
  for (const std::string& name : checkpoint_names) {
    INFO(name);
    const Checkpoint checkpoint(name);
    const std::string fields = R"("rope_scaling": null, "n_inner": null, "head_dim": null,
      "sliding_window": null, "torch_dtype": "float32", "id2label": {"0": "LABEL_0"},
      "task_specific_params": {"a": [{"b": [1, -2.5e-3, true, false, null, "\u00e9\n"]}], "c": {}})";
    Transformer model =
        Transformer::from_pretrained(with_fields(checkpoint, fields), checkpoint.tensors);
    Transformer expected = checkpoint.model();
    CHECK(checkpoint.forward(model).hidden == checkpoint.forward(expected).hidden);
  }
}

TEST_CASE("What is no value of JSON is refused") {
  const Checkpoint checkpoint("gpt2-a");
  for (const std::string value :
       {"NaN",       "nan",  "Infinity", "-Infinity", "inf",     "-inf",      "01",     "-01",
        "1.",        ".5",   "-.5",      "+1",        "-",       "1e",        "1e+",    "0x10",
        "1e999",     "True", "nul",      "nulll",     "truee",   "'a'",       "\"a",    "\"\\x\"",
        "\"\\u12\"", "[1",   "[1,]",     "[,1]",      "{\"a\"}", "{\"a\": }", "{1: 2}", ""}) {
    CAPTURE(value);
    CHECK(error_of_config(checkpoint, with_fields(checkpoint, "\"other\": " + value))
              .starts_with("invalid-option; config: expected "));
  }
  for (const std::string value : {"0", "-0", "0.5", "1e5", "-1.25E-3", "[]", "{}", "\"\""}) {
    CAPTURE(value);
    CHECK(error_of_config(checkpoint, with_fields(checkpoint, "\"other\": " + value)) ==
          "no error");
  }
  for (const std::string text :
       {"", " ", "[]", "1", "null", "\"a\"", "{} {}", "{},", "{\"a\": 1", "\xEF\xBB\xBF{}"}) {
    CAPTURE(text);
    CHECK(error_of_config(checkpoint, text).starts_with("invalid-option; config: expected "));
  }
  CHECK(error_of_config(checkpoint, "{\"a\": \"\xFF\"}") ==
        "invalid-option; config: expected JSON in UTF-8, got other bytes");
  const std::string deep(100000, '[');
  CHECK(contains(error_of_config(checkpoint, "{\"a\": " + deep), "with at most 32 levels"));
}

TEST_CASE("A changed byte of a config is an error or another config, and nothing else") {
  const Checkpoint checkpoint("bart-a");
  std::size_t refused = 0;
  for (std::size_t at = 0; at < checkpoint.config.size(); ++at) {
    for (const char other : {'"', '{', '}', '[', ',', ':', '0', '-', 'e', '\\', '\0', ' '}) {
      std::string config = checkpoint.config;
      config[at] = other;
      const std::string error = error_of_config(checkpoint, config);
      const bool is_known = error == "no error" || error.starts_with("invalid-option; ") ||
                            error.starts_with("invalid-state-dict; ");
      if (!is_known) {
        FAIL_CHECK(config << error);
      }
      refused += error == "no error" ? 0 : 1;
    }
  }
  CHECK(refused > checkpoint.config.size());
}

}  // namespace
}  // namespace headwise::test
