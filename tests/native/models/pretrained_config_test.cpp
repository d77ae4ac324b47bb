#include <catch2/catch_test_macros.hpp>
#include <map>
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
  for (const std::string& name : checkpoint_names("ab")) {
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
}

/// The settings that records name.
const std::map<std::string, double (*)(const Transformer&)> settings_by_name = {
    {"base", [](const Transformer& model) { return model.attention(0).settings().rotary->base; }},
    {"interpolation",
     [](const Transformer& model) { return model.attention(0).settings().rotary->interpolation; }},
    {"factor",
     [](const Transformer& model) {
       return model.attention(0).settings().rotary->attention_factor;
     }},
    {"causal", [](const Transformer& model) { return model.settings().decoder.causal * 1.0; }},
    {"window",
     [](const Transformer& model) {
       return static_cast<double>(model.settings().decoder.rules.front().window_left);
     }},
    {"last_window", [](const Transformer& model) {
       return static_cast<double>(model.settings().decoder.rules.back().window_left);
     }}};

TEST_CASE("A config's fields are settings of the model, or named where no model has them") {
  const double none = settings_by_name.at("window")(Checkpoint("qwen2-a").model());
  for (const Record& record : read_records("configs.txt")) {
    INFO(record.text("checkpoint") << ": " << record.text("fields"));
    const Checkpoint checkpoint(record.text("checkpoint"));
    const std::string config = with_fields(checkpoint, record.text("fields"));
    const std::string message = record.has("message") ? record.text("message") : "";
    const std::string error = error_of_config(checkpoint, config);
    CHECK(error == (message.empty() ? "no error" : "invalid-option; " + message));
    for (const auto& [name, setting] : settings_by_name) {
      if (record.has(name)) {
        const bool has_none = record.text(name) == "none";
        CHECK(setting(Transformer::from_pretrained(config, checkpoint.tensors)) ==
              (has_none ? none : record.number<double>(name)));
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
  for (const std::string& name : checkpoint_names("ab")) {
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
