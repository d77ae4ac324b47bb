#include <catch2/catch_test_macros.hpp>
#include <regex>
#include <string>
#include <vector>

#include "attention_reference.hpp"
#include "checkpoint.hpp"
#include "compare.hpp"
#include "files.hpp"

// Where `from_pretrained` finds a checkpoint's parameters, whatever their names are wrapped in, and
// its errors about tensors.
namespace headwise::test {
namespace {

std::string error_of_loading(const std::string& config, const StateDict& tensors) {
  return error_of([&] { return Transformer::from_pretrained(config, tensors); });
}

std::string invalid_tensors(const std::string& problems) {
  return "invalid-state-dict; tensors: " + problems;
}

/// The name without the prefix that a model with a head puts before it.
std::string bare(const std::string& name) {
  for (const std::string prefix : {"model.", "transformer.", "gpt_neox."}) {
    if (name.starts_with(prefix)) {
      return name.substr(prefix.size());
    }
  }
  return name;
}

bool is_read(const std::string& name) {
  return !name.ends_with("position_ids") && !name.ends_with(".attn.bias") &&
         !name.starts_with("pooler.");
}

/// Whether the model needs the tensor: not a bias of the logits, nor the embedding where it has
/// another name, too. Among these, Llama alone is not tied.
bool is_optional(const Checkpoint& checkpoint, const std::string& name) {
  const bool is_tied = !contains(checkpoint.config, "\"tie_word_embeddings\": false") &&
                       checkpoint.tensors.contains("lm_head.weight");
  return name == "final_logits_bias" ||
         (is_tied && (name == "lm_head.weight" || contains(name, "wte.") ||
                      contains(name, "embed_tokens.") || contains(name, "shared.")));
}

/// Without axes of size 1 before the others, which a checkpoint may have.
std::string shape_text(const xt::xarray<float>& tensor, bool with_ones) {
  std::string text;
  std::size_t axes = 0;
  for (const std::size_t size : tensor.shape()) {
    if (with_ones || axes > 0 || size != 1) {
      text += (axes++ > 0 ? ", " : "") + std::to_string(size);
    }
  }
  return "(" + text + (axes == 1 ? ",)" : ")");
}

/// A row longer than the tensor.
xt::xarray<float> with_a_row_more(const xt::xarray<float>& tensor) {
  return xt::concatenate(xt::xtuple(tensor, xt::view(tensor, xt::range(0, 1))));
}

TEST_CASE("A tensor that is missing, of another shape or unexpected is named") {
  std::vector<std::string> names = checkpoint_names("ab");
  names.emplace_back("vit-c");
  for (const std::string& name : names) {
    const Checkpoint checkpoint(name);
    const StateDict out = checkpoint.model().state_dict(ParameterNames::pretrained);
    for (const auto& [tensor, values] : checkpoint.tensors) {
      INFO(name << ": " << tensor);
      const bool is_needed = is_read(tensor) && !is_optional(checkpoint, tensor);
      const std::string missing = "'" + bare(tensor) + "' is missing";
      CHECK(out.contains(tensor) == is_read(tensor));
      StateDict tensors = checkpoint.tensors;
      tensors.erase(tensor);
      CHECK(error_of_loading(checkpoint.config, tensors) ==
            (is_needed ? invalid_tensors(missing) : "no error"));

      tensors[tensor] = with_a_row_more(values);
      const std::string problem = "'" + tensor + "' expected " + shape_text(values, false) +
                                  ", got " + shape_text(tensors[tensor], true);
      CHECK(error_of_loading(checkpoint.config, tensors) ==
            (is_read(tensor) ? invalid_tensors(problem) : "no error"));

      std::vector<std::string> others = {tensor + "s", "other." + tensor};
      if (contains(tensor, ".1.")) {
        others.push_back(replaced(tensor, ".1.", ".2."));
      }
      for (const std::string& other : others) {
        if (is_read(tensor) && is_read(other)) {
          tensors = checkpoint.tensors;
          tensors[other] = values;
          CHECK(error_of_loading(checkpoint.config, tensors) ==
                invalid_tensors("'" + other + "' is unexpected"));
        }
      }
    }
  }
}

TEST_CASE("One error lists all problems of the tensors") {
  const Checkpoint checkpoint("gpt2-a");
  StateDict tensors = checkpoint.tensors;
  tensors["other"] = tensors.at("ln_f.bias");
  tensors["ln_f.weight"] = with_a_row_more(tensors.at("ln_f.weight"));
  tensors["transformer.wte.weight"] = tensors.at("wte.weight");
  tensors.erase("h.1.ln_2.bias");
  CHECK(error_of_loading(checkpoint.config, tensors) ==
        invalid_tensors("'ln_f.weight' expected (16,), got (17,), 'other' is unexpected, "
                        "'wte.weight' is there twice, 'h.1.ln_2.bias' is missing"));
}

TEST_CASE("Buffers, poolers and task heads are left alone") {
  for (const Record& record : read_records("unread-tensors.txt")) {
    const Checkpoint checkpoint(record.text("checkpoint"));
    const Transformer expected = checkpoint.model();
    for (const std::string& tensor : record.all("parameter")) {
      INFO(record.text("checkpoint") << ": " << tensor);
      StateDict tensors = checkpoint.tensors;
      tensors[tensor] = xt::zeros<float>({2, 3});
      const Transformer model = Transformer::from_pretrained(checkpoint.config, tensors);
      CHECK(model.state_dict() == expected.state_dict());
      if (!checkpoint.tensors.contains(tensor)) {
        CHECK_FALSE(model.state_dict(ParameterNames::pretrained).contains(tensor));
      }
    }
  }
}

TEST_CASE("A model that was not read from a checkpoint has no names and no config of one") {
  Transformer model({.vocabulary_size = 3, .max_length = 4, .num_hiddens = 4, .num_heads = 2});
  const std::string expected =
      "invalid-option; names: expected 'headwise' for a model that no checkpoint was read into, "
      "got 'pretrained'";
  CHECK(error_of([&] { return model.state_dict(ParameterNames::pretrained); }) == expected);
  CHECK(error_of([&] { return model.gradients(ParameterNames::pretrained); }) == expected);
  CHECK(error_of([&] { return model.config(); }) ==
        "invalid-option; config: expected a model that was read from a checkpoint, got another");
}

template <typename Rename>
StateDict renamed(const StateDict& tensors, const Rename& rename) {
  StateDict result;
  for (const auto& [name, tensor] : tensors) {
    result[rename(name)] = tensor;
  }
  return result;
}

/// Whether the tensors give the checkpoint's own model, and come back out of it.
void check_reads(const Checkpoint& checkpoint, const StateDict& tensors) {
  const Transformer model = Transformer::from_pretrained(checkpoint.config, tensors);
  CHECK(model.state_dict() == checkpoint.model().state_dict());
  for (const auto& [name, values] : model.state_dict(ParameterNames::pretrained)) {
    CHECK(same_bits(values, tensors.at(name)));
  }
}

/// The names with `prefix` in the place of their own, which a head does not have.
StateDict with_prefix(const StateDict& tensors, const std::string& prefix) {
  return renamed(tensors, [&](const std::string& name) {
    const bool is_head = bare(name).starts_with("lm_head.") || name == "final_logits_bias";
    return is_head ? name : prefix + bare(name);
  });
}

TEST_CASE("Prefixes may be there or not, and wrappers anywhere in a name") {
  const std::vector<std::string> wrappers = {"module",     "_orig_mod",
                                             "base_layer", "_fsdp_wrapped_module",
                                             "base_model", "_checkpoint_wrapped_module"};
  const struct {
    const char* checkpoint;
    const char* prefix;
  } cases[] = {{"gpt2-a", "transformer."}, {"nanogpt-a", "transformer."}, {"llama-a", "model."},
               {"qwen2-a", "model."},      {"bert-a", "bert."},           {"bert-a", "roberta."},
               {"vit-a", "vit."},          {"bart-a", "model."},          {"marian-a", "model."}};
  for (const auto& [name, own] : cases) {
    const Checkpoint checkpoint(name);
    for (const std::string base_prefix : {"", own}) {
      const StateDict base = with_prefix(checkpoint.tensors, base_prefix);
      for (const std::string prefix :
           {"", "module.", "module._orig_mod.", "base_model.model.", "model.transformer.",
            "_forward_module.net.", "a.0.b.", "transformer._orig_mod.", "model.module.model."}) {
        INFO(name << ": " << prefix << base.begin()->first);
        check_reads(checkpoint,
                    renamed(base, [&](const std::string& tensor) { return prefix + tensor; }));
      }
      for (std::size_t place = 0; place < 4; ++place) {
        INFO(name << ": " << place);
        check_reads(checkpoint, renamed(base, [&](std::string tensor) {
                      std::size_t at = 0;
                      for (std::size_t i = 0; i < place && at != std::string::npos; ++i) {
                        at = tensor.find('.', at + 1);
                      }
                      at = at == std::string::npos ? 0 : at;
                      const std::string& wrapper = wrappers[(place + tensor.size()) % 6];
                      return tensor.insert(at, at == 0 ? wrapper + "." : "." + wrapper);
                    }));
      }
    }
  }
}

TEST_CASE("Norms may call their parameters gamma and beta, and nothing else may") {
  for (const std::string& name : checkpoint_names("ab")) {
    INFO(name);
    const Checkpoint checkpoint(name);
    const auto rename = [](const std::string& tensor) {
      const std::size_t dot = tensor.rfind('.');
      bool is_norm = false;
      for (const std::string part : {"norm", "Norm", "ln_"}) {
        is_norm = is_norm || contains(tensor, part);
      }
      return !is_norm
                 ? tensor
                 : tensor.substr(0, dot) + (tensor.substr(dot) == ".weight" ? ".gamma" : ".beta");
    };
    check_reads(checkpoint, renamed(checkpoint.tensors, rename));
  }
  const Checkpoint bert("bert-a");
  StateDict tensors = bert.tensors;
  const std::string query = "encoder.layer.0.attention.self.query.";
  tensors[query + "gamma"] = tensors.at(query + "weight");
  CHECK(error_of_loading(bert.config, tensors) ==
        "invalid-state-dict; tensors: '" + query + "gamma' is unexpected");
}

TEST_CASE("An error lists at most 12 names, and the prefix that unexpected ones share") {
  const Checkpoint checkpoint("gpt2-a");
  const auto wrap = [&](const std::string& before, const std::string& after) {
    return error_of_loading(
        checkpoint.config, renamed(checkpoint.tensors, [&](const std::string& tensor) {
          return contains(tensor, before) ? replaced(tensor, before, after) : tensor;
        }));
  };
  for (const std::string& error : {wrap("h.", "h.wrong."), wrap("c_", "wrong.c_")}) {
    INFO(error);
    const std::regex name("' is ");
    CHECK(std::distance(std::sregex_iterator(error.begin(), error.end(), name), {}) == 12);
    CHECK(contains(error, " more"));
    CHECK(error.size() < 900);
  }
  CHECK(wrap("h.", "h.wrong.").ends_with("; all unexpected names begin with 'h.wrong.'"));
  CHECK(error_of_loading(checkpoint.config, {}).ends_with("is missing, and 16 more"));
  // A name is shortened, too.
  StateDict tensors = checkpoint.tensors;
  tensors[std::string(100000, 'a')] = tensors.at("ln_f.bias");
  CHECK(error_of_loading(checkpoint.config, tensors).size() < 300);
}

/// How far the logits are from those of a head (vocabulary, num_hiddens) on the hidden states.
double difference_from_head(const TransformerResult& result, const xt::xarray<float>& head) {
  return max_difference(result.logits,
                        reference::project({{"head.weight", head}}, "head", result.hidden));
}

struct Tied {
  const char* checkpoint;
  const char* embedding;
  std::vector<std::string> inputs;  ///< its other names among the inputs
};
const std::vector<Tied> tied_checkpoints = {
    {"gpt2-a", "wte.weight", {}},
    {"nanogpt-a", "transformer.wte.weight", {}},
    {"qwen2-a", "model.embed_tokens.weight", {}},
    {"bart-a",
     "model.shared.weight",
     {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}},
    {"marian-a",
     "model.shared.weight",
     {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}}};

StateDict without_embedding(const Checkpoint& checkpoint, const Tied& tied) {
  StateDict tensors = checkpoint.tensors;
  tensors.erase(tied.embedding);
  tensors.erase("lm_head.weight");
  tensors.erase("final_logits_bias");
  for (const std::string& input : tied.inputs) {
    tensors.erase(input);
  }
  std::erase_if(tensors, [](const auto& each) { return each.first.ends_with(".attn.bias"); });
  return tensors;
}

TEST_CASE("A head of other numbers than the embedding is used, and the model untied") {
  for (const Tied& tied : tied_checkpoints) {
    INFO(tied.checkpoint);
    const Checkpoint checkpoint(tied.checkpoint);
    StateDict tensors = without_embedding(checkpoint, tied);
    tensors[tied.embedding] = checkpoint.tensors.at(tied.embedding);
    // A single bit makes another head.
    for (const bool is_near : {true, false}) {
      xt::xarray<float> head = tensors.at(tied.embedding);
      for (std::size_t i = 0; i < (is_near ? 1 : head.size()); ++i) {
        head.data()[head.size() - 1 - i] *= 1.25F;
      }
      tensors["lm_head.weight"] = head;
      Transformer model = Transformer::from_pretrained(checkpoint.config, tensors);
      CHECK(difference_from_head(checkpoint.forward(model), head) < 1e-5);
      CHECK(model.state_dict(ParameterNames::pretrained) == tensors);
      CHECK(model.gradients(ParameterNames::pretrained).contains("lm_head.weight"));
      CHECK(contains(model.config(), "\"tie_word_embeddings\": false"));
      CHECK(Transformer::from_pretrained(model.config(), tensors).state_dict() ==
            model.state_dict());
    }
  }
}

TEST_CASE("Input embeddings of other numbers are an error that names them") {
  for (const Tied& tied : tied_checkpoints) {
    const Checkpoint checkpoint(tied.checkpoint);
    for (const std::string& input : tied.inputs) {
      for (const std::string untied : {"", "\"tie_word_embeddings\": false, "}) {
        StateDict tensors = checkpoint.tensors;
        tensors["lm_head.weight"] = tensors.at(tied.embedding);
        tensors[input] = tensors.at(tied.embedding) * 2.0F;
        CHECK(error_of_loading(replaced(checkpoint.config, "{", "{" + untied), tensors) ==
              invalid_tensors("'" + input + "' expected the numbers of '" + tied.embedding +
                              "', got others"));
      }
    }
  }
}

TEST_CASE("A tied embedding may have any of its names, or two of them") {
  for (const Tied& tied : tied_checkpoints) {
    const Checkpoint checkpoint(tied.checkpoint);
    const xt::xarray<float>& numbers = checkpoint.tensors.at(tied.embedding);
    std::vector<std::string> names = tied.inputs;
    names.insert(names.end(), {tied.embedding, "lm_head.weight"});
    StateDict expected = checkpoint.model().state_dict();
    expected.erase("unembedding.bias");
    for (const std::string& name : names) {
      for (const bool has_two : {false, true}) {
        INFO(tied.checkpoint << ": " << name << ", " << has_two);
        StateDict tensors = without_embedding(checkpoint, tied);
        tensors[name] = numbers;
        if (has_two) {
          tensors[tied.embedding] = numbers;
        }
        Transformer model = Transformer::from_pretrained(checkpoint.config, tensors);
        CHECK(model.state_dict() == expected);
        CHECK(model.state_dict(ParameterNames::pretrained) == tensors);
        CHECK(model.gradients(ParameterNames::pretrained).contains(name) ==
              (!has_two || name == tied.embedding));
        CHECK(model.config() == checkpoint.config);
        CHECK(difference_from_head(checkpoint.forward(model), numbers) < 1e-5);
      }
    }
  }
  // Encoders have no logits, but may have left the embedding to their head.
  const Checkpoint bert("bert-a");
  check_reads(bert, renamed(bert.tensors, [](const std::string& name) {
                return contains(name, "word_embeddings") ? "cls.predictions.decoder.weight" : name;
              }));
}

TEST_CASE("Without a head, decoders give hidden states, or logits by a tied embedding") {
  const Checkpoint llama("llama-a");
  StateDict tensors = llama.tensors;
  tensors.erase("lm_head.weight");
  for (const std::string architecture : {"LlamaModel", "LlamaForSequenceClassification"}) {
    Transformer model = Transformer::from_pretrained(
        replaced(llama.config, "LlamaForCausalLM", architecture), tensors);
    Transformer whole = llama.model();
    CHECK(llama.forward(model).hidden == llama.forward(whole).hidden);
    CHECK_FALSE(model.settings().head);
  }
  const Transformer tied = Transformer::from_pretrained(
      replaced(llama.config, "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true"),
      tensors);
  CHECK(tied.settings().tied_embeddings);
}

TEST_CASE("Configs that ask for more than the tensors are refused before anything is allocated") {
  for (const std::string& name : checkpoint_names("ab")) {
    const Checkpoint checkpoint(name);
    for (const std::string field :
         {"n_layer", "num_hidden_layers", "encoder_layers", "decoder_layers", "vocab_size",
          "n_embd", "hidden_size", "d_model", "intermediate_size", "encoder_ffn_dim",
          "max_position_embeddings", "n_positions", "image_size"}) {
      const std::string quoted = "\"" + field + "\": ";
      if (!contains(checkpoint.config, quoted) ||
          (field == "max_position_embeddings" && !contains("bart-a bert-a", name))) {
        continue;
      }
      // Both are divided by the numbers of heads and the size of patches.
      for (const std::string value : {"2147483520", "1000000"}) {
        INFO(name << ": " << field);
        const std::string error =
            error_of_loading(replaced(checkpoint.config, quoted, quoted + value + ", \"other\": "),
                             checkpoint.tensors);
        CHECK((error.starts_with("invalid-state-dict; tensors: '") ||
               error.starts_with("invalid-option; config." + field)));
        CHECK(error.size() < 2000);
      }
    }
  }
}

}  // namespace
}  // namespace headwise::test
