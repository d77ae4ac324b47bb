#include <algorithm>
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

std::string invalid_field(const std::string& field, const std::string& expected,
                          const std::string& got) {
  return "invalid-option; config." + field + ": expected " + expected + ", got " + got;
}

const std::string a_size = "an integer from 1 to 2147483647";

struct Sizes {
  const char* checkpoint;
  std::vector<std::string> required;
  std::vector<std::string> defaults;  ///< of those that are not numbers of heads
  std::vector<std::string> optional;
};

const std::vector<std::string> of_gpt2 = {"vocab_size", "n_positions", "n_embd", "n_layer",
                                          "n_head"};
const std::vector<std::string> of_llama = {"vocab_size", "hidden_size", "num_hidden_layers",
                                           "intermediate_size", "num_attention_heads"};
const std::vector<std::string> of_bart = {
    "vocab_size",      "d_model",         "decoder_layers",          "encoder_layers",
    "decoder_ffn_dim", "encoder_ffn_dim", "decoder_attention_heads", "encoder_attention_heads"};

const std::vector<Sizes> sizes_of_families = {
    {"gpt2-a", of_gpt2, {"50257", "1024", "768", "12"}, {"n_inner"}},
    {"nanogpt-a", of_gpt2, {"50304", "1024", "768", "12"}, {"n_inner"}},
    {"llama-a",
     of_llama,
     {"32000", "4096", "32", "11008"},
     {"max_position_embeddings", "num_key_value_heads", "head_dim"}},
    {"qwen2-a",
     of_llama,
     {"151936", "4096", "32", "22016"},
     {"max_position_embeddings", "num_key_value_heads", "sliding_window"}},
    {"bert-a", of_llama, {"30522", "768", "12", "3072"}, {"type_vocab_size"}},
    {"bert-a", {"max_position_embeddings"}, {"512"}, {}},
    {"vit-a",
     {of_llama.begin() + 1, of_llama.end()},
     {"768", "12", "3072"},
     {"image_size", "patch_size", "num_channels"}},
    {"bart-a", of_bart, {"50265", "1024", "12", "12", "4096", "4096"}, {"max_position_embeddings"}},
    {"marian-a",
     of_bart,
     {"58101", "1024", "12", "12", "4096", "4096"},
     {"max_position_embeddings"}}};

TEST_CASE("A size that is malformed is named, and for one that is missing its default") {
  for (const auto& [name, required, defaults, optional] : sizes_of_families) {
    const Checkpoint checkpoint(name);
    for (std::size_t i = 0; i < required.size(); ++i) {
      const std::string& field = required[i];
      INFO(name << ": " << field);
      const std::string error = error_of_config(
          checkpoint, replaced(checkpoint.config, "\"" + field + "\"", "\"other\""));
      // Shapes show all sizes but the numbers of heads.
      if (i >= defaults.size()) {
        CHECK(error == invalid_field(field, a_size, "nothing"));
      } else {
        const std::string missing =
            field == "n_positions" && name == std::string("nanogpt-a") ? "block_size" : field;
        CHECK(error.starts_with("invalid-state-dict; tensors: '"));
        CHECK(error.ends_with("; where the config has no " + missing + ", it is " + defaults[i]));
      }
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
    "vocab_size": 29, "num_hidden_layers": 2, "intermediate_size": 36, "hidden_act": "mish",
    "rope_scaling": {"rope_type": "longrope", "factor": 4.0}})") ==
        "invalid-option; "
        "config.hidden_size: expected an integer from 1 to 2147483647, got '16'\n"
        "config.num_attention_heads: expected an integer from 1 to 2147483647, got nothing\n"
        "config.hidden_act: expected 'relu', 'gelu', 'gelu_new', 'gelu_pytorch_tanh', "
        "'gelu_fast', 'silu' or 'swish', got 'mish'\n"
        "config.rope_scaling.rope_type: expected 'default' or 'linear' or 'dynamic' or 'llama3' or "
        "'yarn', got 'longrope'");
}

TEST_CASE("What a config asks for and no model has is named") {
  const std::string activations =
      "'relu', 'gelu', 'gelu_new', 'gelu_pytorch_tanh', 'gelu_fast', 'silu' or 'swish'";
  const std::string types =
      "one of 'gpt2', 'nanogpt', 'mingpt', 'llama', 'mistral', 'qwen2', 'qwen3', 'gemma', "
      "'gemma2', 'gpt_neo', 'gpt_neox', 'bert', 'roberta', 'distilbert', "
      "'vit', 'bart', 'marian'";
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
      {"llama-a", R"("rope_scaling": {"type": "linear"})", "rope_scaling.factor", "a number",
       "nothing"},
      {"llama-a", R"("rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4,
          "high_freq_factor": 4, "original_max_position_embeddings": 8})",
       "rope_scaling.high_freq_factor", "a number above low_freq_factor", "4"},
      {"llama-a", R"("rope_parameters": {"rope_type": "yarn", "factor": -1})",
       "rope_parameters.factor", "a number above 0, up to 1e30", "-1"},
      {"llama-a", R"("rope_theta": 1, "rope_scaling": {"rope_type": "yarn", "factor": 4})",
       "rope_theta", "a number above 1, for rope_type 'yarn'", "1"},
      {"qwen3-a", R"("attention_bias": true)", "attention_bias", "false", "true"},
      {"gemma2-a", R"("use_bidirectional_attention": true)", "use_bidirectional_attention", "false",
       "true"},
      {"gemma2-a", R"("attn_logit_softcapping": 0)", "attn_logit_softcapping",
       "a number above 0, up to 1e30", "0"},
      {"gemma2-a", R"("num_hidden_layers": 65537)", "num_hidden_layers",
       "at most 65536, of two kinds", "65537"},
      {"gpt_neo-a", R"("attention_layers": ["global"])", "attention_layers",
       "a list of num_layers (2) kinds", "['global']"},
      {"gpt_neo-a", R"("num_layers": 65537)", "num_layers", "at most 65536, of two kinds", "65537"},
      {"gpt_neo-a", R"("num_layers": 65537, "attention_types": null)", "num_layers",
       "at most 65536, of two kinds", "65537"},
      {"gpt_neo-a", R"("num_layers": 3)", "attention_types", "a list of num_layers (3) kinds",
       "[a list]"},
      {"gpt_neo-a", R"("attention_layers": ["global", "near"])", "attention_layers.1",
       "'global' or 'local'", "'near'"},
      {"gpt_neo-a", R"("attention_layers": ["local", "global"])", "attention_layers",
       "the layers of attention_types", "['local', 'global']"},
      {"gpt_neox-a", R"("attention_bias": false)", "attention_bias", "true", "false"},
      {"gpt_neox-a", R"("rotary_pct": 0.2)", "rotary_pct",
       "a share of each head's elements that is even, at least 2", "0.2…"},
      {"llama-a", R"("rope_scaling": "linear")", "rope_scaling", "an object", "'linear'"},
      {"llama-a", R"("partial_rotary_factor": 0.5)", "partial_rotary_factor", "1", "0.5…"},
      {"llama-a", R"("attention_bias": true)", "mlp_bias", "the same as attention_bias", "nothing"},
      {"llama-a", R"("mlp_bias": true)", "mlp_bias", "the same as attention_bias", "true"},
      {"llama-a", R"("hidden_act": "tanh")", "hidden_act", activations, "'tanh'"},
      {"llama-a", R"("model_type": "mistral", "sliding_window": 0)", "sliding_window", a_size, "0"},
      {"qwen2-a", R"("layer_types": ["full_attention", "sliding_attention"], "rope_parameters":
          {"full_attention": {}, "sliding_attention": {}})",
       "rope_parameters", "the same for all layers", "an object"},
      {"qwen2-a", R"("layer_types": ["full_attention"])", "layer_types",
       "a list of num_hidden_layers (2) kinds", "['full_attention']"},
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

/// The names of a config's own fields.
std::vector<std::string> fields_of(const std::string& config) {
  std::vector<std::string> fields;
  for (std::size_t at = config.find("\n \""); at != std::string::npos;
       at = config.find("\n \"", at + 1)) {
    fields.push_back(config.substr(at + 3, config.find('"', at + 3) - at - 3));
  }
  return fields;
}

TEST_CASE(
    "Errors about a field of another kind name it, others the checkpoint's fields and tensors") {
  const struct {
    const char* json;
    const char* got;
  } values[] = {{"[]", "[]"},
                {"{}", "an object"},
                {"[8, 16, \"a\"]", "[8, 16, 'a']"},
                {"{\"a\": [1]}", "an object"},
                {"[[2]]", "[a list]"}};
  for (const std::string& name : checkpoint_names) {
    const Checkpoint checkpoint(name);
    const auto error_with = [&](const std::string& field, const std::string& json) {
      return error_of_config(
          checkpoint, with_fields(checkpoint, field == "rope_scaling.type"
                                                  ? "\"rope_scaling\": {\"type\": " + json + "}"
                                                  : "\"" + field + "\": " + json));
    };
    std::vector<std::string> fields = fields_of(checkpoint.config);
    std::erase(fields, "architectures");
    // The items of the list or object before them would still count.
    std::erase(fields, "rope_scaling");
    std::erase(fields, "attention_types");
    if (name == "llama-a") {
      fields.insert(fields.end(), {"head_dim", "attention_bias", "tie_word_embeddings",
                                   "rope_theta", "partial_rotary_factor", "rope_scaling.type"});
    }
    for (const std::string& field : fields) {
      for (const auto& [json, got] : values) {
        INFO(name << ": " << field << " = " << json);
        const std::string error = error_with(field, json);
        // Nothing of Marian's positions is read.
        CHECK((error.starts_with("invalid-option; config." + field + ": expected ") ||
               (field == "static_position_embeddings" && name == "marian-a")));
        CHECK((error == "no error" || error.ends_with(std::string(", got ") + got)));
      }
    }
    fields.insert(fields.end(),
                  {"normalize_before", "add_final_layer_norm", "normalize_embedding", "head_dim",
                   "num_key_value_heads", "n_inner", "qkv_bias", "position_offset", "rope_theta",
                   "layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps", "bias", "is_causal"});
    for (const std::string& field : fields) {
      for (const std::string json : {"null", "-1", "0", "0.5", "1", "3", "5", "6", "7", "17", "40",
                                     "2147483647", "1e300", "-1e-9", "true", "false", "\"x\""}) {
        const std::string error = error_with(field, json);
        INFO(name << ": " << field << " = " << json << ": " << error);
        CHECK((error == "no error" || error.starts_with("invalid-option; config.") ||
               error.starts_with("invalid-state-dict; tensors: '")));
      }
    }
  }
}

TEST_CASE("Sizes of images and patches may be pairs of equal sizes") {
  const Checkpoint checkpoint("vit-a");
  Transformer expected = checkpoint.model();
  Transformer model = Transformer::from_pretrained(
      with_fields(checkpoint, R"("image_size": [12, 12], "patch_size": [4, 4])"),
      checkpoint.tensors);
  CHECK(checkpoint.forward(model).hidden == checkpoint.forward(expected).hidden);
  for (const std::string pair : {"[12, 8]", "[12]", "[12, 12, 12]", "[12, '12']", "[0, 0]"}) {
    std::string json = pair;
    std::replace(json.begin(), json.end(), '\'', '"');
    CHECK(error_of_config(checkpoint, with_fields(checkpoint, "\"image_size\": " + json)) ==
          invalid_field("image_size", a_size + ", or two equal ones", pair));
  }
}

TEST_CASE("Bases of rotary positions, windows and causality are those of the config") {
  const auto base = [](const Transformer& model) {
    return model.attention(0).settings().rotary->base;
  };
  const auto window = [](const Transformer& model) {
    return static_cast<double>(model.settings().decoder.rules.front().window_left);
  };
  const auto last_window = [](const Transformer& model) {
    return static_cast<double>(model.settings().decoder.rules.back().window_left);
  };
  const auto interpolation = [](const Transformer& model) {
    return model.attention(0).settings().rotary->interpolation;
  };
  const auto factor = [](const Transformer& model) {
    return model.attention(0).settings().rotary->attention_factor;
  };
  const auto causal = [](const Transformer& model) {
    return model.settings().decoder.causal * 1.0;
  };
  const double none = window(Checkpoint("qwen2-a").model());
  const struct {
    const char* checkpoints;
    double (*setting)(const Transformer& model);
    const char* fields;
    double expected;
  } cases[] = {
      {"llama-a qwen2-a", causal, R"("is_causal": true)", 1},
      {"llama-a qwen2-a", causal, R"("is_causal": false)", 0},
      {"llama-a qwen2-a", base, R"("rope_theta": 5)", 5},
      {"llama-a qwen2-a", base, R"("rope_theta": null)", 10000},
      {"llama-a qwen2-a", base, R"("rope_theta": 5, "rope_parameters": {"rope_theta": 7})", 7},
      {"llama-a qwen2-a", base, R"("rope_theta": 5, "rope_parameters": {"rope_type": "default"})",
       5},
      {"llama-a qwen2-a", base,
       R"("rope_theta": 5, "rope_parameters": {"rope_theta": 7}, "rope_scaling": {})", 7},
      {"llama-a qwen2-a", base, R"("rope_theta": 5, "rope_parameters": {"rope_theta": 7},
          "rope_scaling": {"type": "default"})",
       5},
      {"llama-a qwen2-a", base,
       R"("rope_theta": 5, "rope_scaling": {"rope_type": "default", "rope_theta": 9})", 9},
      {"llama-a qwen2-a", base,
       R"("rope_theta": 5, "rope_parameters": {"full_attention": {"rope_theta": 7}})", 7},
      {"llama-a qwen2-a", base,
       R"("rope_theta": 5, "rope_parameters": {"full_attention": {"rope_type": "default"}})", 5},
      {"llama-a qwen2-a", base,
       R"("rope_parameters": {"sliding_attention": {"rope_theta": 3, "rope_type": "yarn"},
                              "full_attention": {"rope_theta": 7, "rope_type": "default"}})",
       7},
      {"llama-a qwen2-a", base,
       R"("layer_types": ["sliding_attention", "sliding_attention"], "rope_parameters":
          {"sliding_attention": {"rope_theta": 3}, "full_attention": {"rope_theta": 7}})",
       3},
      {"qwen2-a", window, R"("sliding_window": 4)", none},
      {"qwen2-a", window,
       R"("use_sliding_window": false, "sliding_window": 4, "max_window_layers": 0)", none},
      {"qwen2-a", window, R"("use_sliding_window": true, "sliding_window": 4)", none},
      {"qwen2-a", window,
       R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 2)", none},
      {"qwen2-a", window,
       R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 0)", 3},
      {"qwen2-a", window,
       R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 1,
          "layer_types": ["sliding_attention", "sliding_attention"])",
       3},
      {"qwen2-a", window,
       R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 0,
          "layer_types": ["full_attention", "full_attention"])",
       none},
      {"qwen2-a", window,
       R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 1)", none},
      {"qwen2-a", last_window,
       R"("use_sliding_window": true, "sliding_window": 4, "max_window_layers": 1)", 3},
      {"qwen2-a", window,
       R"("use_sliding_window": true, "sliding_window": 4,
          "layer_types": ["sliding_attention", "full_attention"])",
       3},
      {"qwen2-a", last_window,
       R"("use_sliding_window": true, "sliding_window": 4,
          "layer_types": ["sliding_attention", "full_attention"])",
       none},
      {"llama-a", interpolation, R"("rope_scaling": {"type": "linear", "factor": 2})", 0.5},
      {"llama-a", interpolation, R"("rope_scaling": {"type": "dynamic", "factor": 2})", 1},
      // Without a factor, the ratio of the lengths, which are 14 and 7.
      {"llama-a", interpolation,
       R"("rope_parameters": {"rope_type": "yarn", "original_max_position_embeddings": 7})", 0.5},
      {"llama-a", factor, R"("rope_scaling": {"type": "linear", "factor": 2})", 1},
      {"llama-a", factor, R"("rope_scaling": {"type": "yarn", "factor": 2, "attention_factor": 3})",
       3},
      {"llama-a", factor, R"("rope_scaling": {"type": "yarn", "factor": 0.5})", 1},
      {"llama-a", factor,
       R"("rope_scaling": {"type": "yarn", "factor": 0.5, "mscale": 2, "mscale_all_dim": 1})", 1},
      {"llama-a", window, R"("model_type": "mistral")", 4095},
      {"llama-a", window, R"("model_type": "mistral", "sliding_window": null)", none},
      // The position itself and two before it.
      {"llama-a", window, R"("model_type": "mistral", "sliding_window": 3)", 2}};
  for (const auto& [checkpoints, setting, fields, expected] : cases) {
    for (const std::string name : {"llama-a", "qwen2-a"}) {
      if (contains(checkpoints, name)) {
        INFO(name << ": " << fields);
        const Checkpoint checkpoint(name);
        CHECK(setting(Transformer::from_pretrained(with_fields(checkpoint, fields),
                                                   checkpoint.tensors)) == expected);
      }
    }
  }
}

TEST_CASE("minGPT has the tanh approximation and a head of its own, nanoGPT neither") {
  const Checkpoint nanogpt("nanogpt-a");
  StateDict tensors = nanogpt.tensors;
  tensors["lm_head.weight"] = tensors.at("transformer.wte.weight") * 3.0F;
  for (const std::string type : {"mingpt", "gpt-mini", "gpt-nano", "gopher-44m", "gpt2-medium"}) {
    const std::string config = R"({"model_type": ")" + type + R"(", "n_layer": 2, "n_head": 2,
      "n_embd": 16, "vocab_size": 29, "block_size": 14, "attn_pdrop": 0.1, "bias": false})";
    const Transformer model = Transformer::from_pretrained(config, tensors);
    CHECK(model.settings().activation == Activation::gelu_tanh);
    CHECK_FALSE(model.settings().tied_embeddings);
    StateDict headless = tensors;
    headless.erase("lm_head.weight");
    CHECK(error_of([&] { return Transformer::from_pretrained(config, headless); }) ==
          "invalid-state-dict; tensors: 'lm_head.weight' is missing");
  }
  // The sizes of its own types are in its code, and null in a config.
  CHECK(contains(error_of([&] {
                   return Transformer::from_pretrained(
                       R"({"model_type": "gpt-nano", "n_layer": null, "n_head": null,
                       "n_embd": null, "vocab_size": 29, "block_size": 14})",
                       tensors);
                 }),
                 "expected (29, 48), got (29, 16)"));
  CHECK(nanogpt.model().settings().activation == Activation::gelu);
  CHECK(nanogpt.model().settings().tied_embeddings);
}

TEST_CASE("Fields that are null, and those nobody knows, are as if they were not there") {
  for (const std::string& name : checkpoint_names) {
    INFO(name);
    const Checkpoint checkpoint(name);
    std::string fields = R"("torch_dtype": "float32", "id2label": {"0": "LABEL_0"},
      "task_specific_params": {"a": [{"b": [1, -2.5e-3, true, false, null, "\u00e9\n"]}], "c": {}})";
    for (const std::string field : {"rope_scaling", "n_inner", "head_dim", "sliding_window"}) {
      fields += contains(checkpoint.config, field) ? "" : ", \"" + field + "\": null";
    }
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

}  // namespace
}  // namespace headwise::test
