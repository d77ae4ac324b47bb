#include <catch2/catch_test_macros.hpp>
#include <ctime>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "compare.hpp"
#include "files.hpp"

// Where `from_pretrained` finds a checkpoint's parameters, whatever their names are wrapped in.
namespace headwise::test {
namespace {

std::string error_of_loading(const std::string& config, const StateDict& tensors) {
  return error_of([&] { return Transformer::from_pretrained(config, tensors); });
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

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_CASE("Norms may call their parameters gamma and beta, and nothing else may") {
  for (const std::string& name : checkpoint_names) {
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

TEST_CASE("Wrappers may stand anywhere in a name, and unknown ones before it") {
  const std::vector<std::string> wrappers = {"module",     "_orig_mod",
                                             "base_layer", "_fsdp_wrapped_module",
                                             "base_model", "_checkpoint_wrapped_module"};
  for (const std::string& name : checkpoint_names) {
    const Checkpoint checkpoint(name);
    for (const std::string prefix :
         {"module._orig_mod.", "base_model.model.", "model.transformer.", "_forward_module.net.",
          "a.0.b.", "transformer._orig_mod.", "model.module.model."}) {
      INFO(name << ": " << prefix);
      check_reads(checkpoint, renamed(checkpoint.tensors,
                                      [&](const std::string& tensor) { return prefix + tensor; }));
    }
    for (std::size_t place = 0; place < 4; ++place) {
      INFO(name << ": " << place);
      check_reads(checkpoint, renamed(checkpoint.tensors, [&](std::string tensor) {
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
    CHECK(count_of(error, "' is ") == 12);
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

/// The logits of a head (vocabulary, num_hiddens) on these hidden states.
double difference_from_head(const TransformerResult& result, const xt::xarray<float>& head) {
  double difference = 0;
  const std::size_t size = head.shape(1);
  for (std::size_t row = 0; row < result.hidden.size() / size; ++row) {
    for (std::size_t token = 0; token < head.shape(0); ++token) {
      double logit = 0;
      for (std::size_t i = 0; i < size; ++i) {
        logit += static_cast<double>(result.hidden.data()[row * size + i]) *
                 static_cast<double>(head.data()[token * size + i]);
      }
      difference = std::max(
          difference,
          std::abs(logit - static_cast<double>(result.logits.data()[row * head.shape(0) + token])));
    }
  }
  return difference;
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
        StateDict tensors = without_embedding(checkpoint, tied);
        tensors[tied.embedding] = checkpoint.tensors.at(tied.embedding);
        tensors["lm_head.weight"] = tensors.at(tied.embedding);
        tensors[input] = tensors.at(tied.embedding) * 2.0F;
        CHECK(error_of_loading(replaced(checkpoint.config, "{", "{" + untied), tensors) ==
              "invalid-state-dict; tensors: '" + input + "' expected the numbers of '" +
                  tied.embedding + "', got others");
      }
    }
  }
}

TEST_CASE("Any name of a tied embedding will do, and a missing bias of the logits is none") {
  for (const Tied& tied : tied_checkpoints) {
    const Checkpoint checkpoint(tied.checkpoint);
    std::vector<std::string> names = tied.inputs;
    names.insert(names.end(), {tied.embedding, "lm_head.weight"});
    StateDict expected = checkpoint.model().state_dict();
    expected.erase("unembedding.bias");
    for (const std::string& name : names) {
      INFO(tied.checkpoint << ": " << name);
      StateDict tensors = without_embedding(checkpoint, tied);
      tensors[name] = checkpoint.tensors.at(tied.embedding);
      Transformer model = Transformer::from_pretrained(checkpoint.config, tensors);
      CHECK(model.state_dict() == expected);
      CHECK(model.state_dict(ParameterNames::pretrained) == tensors);
      CHECK(model.gradients(ParameterNames::pretrained).contains(name));
      CHECK(model.config() == checkpoint.config);
      CHECK(difference_from_head(checkpoint.forward(model), tensors.at(name)) < 1e-5);
    }
  }
  // Encoders have no logits, but may have left the embedding to their head.
  const Checkpoint bert("bert-a");
  check_reads(bert, renamed(bert.tensors, [](const std::string& name) {
                return contains(name, "word_embeddings") ? "cls.predictions.decoder.weight" : name;
              }));
}

TEST_CASE("Decoders without a head give hidden states") {
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
}

TEST_CASE("Configs that ask for more than the tensors are refused before anything is allocated") {
  const std::clock_t start = std::clock();
  for (const std::string& name : checkpoint_names) {
    const Checkpoint checkpoint(name);
    for (const std::string field :
         {"n_layer", "num_hidden_layers", "encoder_layers", "decoder_layers", "vocab_size",
          "n_embd", "hidden_size", "d_model", "intermediate_size", "encoder_ffn_dim",
          "max_position_embeddings", "n_positions", "image_size"}) {
      if (!contains(checkpoint.config, "\"" + field + "\"") ||
          (field == "max_position_embeddings" && !contains("bart-a bert-a", name))) {
        continue;
      }
      // Both are divided by the numbers of heads and the size of patches.
      for (const std::string value : {"2147483644", "1000000"}) {
        INFO(name << ": " << field);
        const std::string config =
            replaced(checkpoint.config,
                     "\"" + field + "\": ", "\"" + field + "\": " + value + ", \"other\": ");
        const std::string error = error_of_loading(config, checkpoint.tensors);
        CHECK((error.starts_with("invalid-state-dict; tensors: '") ||
               error.starts_with("invalid-option; config." + field)));
        CHECK(error.size() < 2000);
        static_cast<void>(error_of_loading(config, {}));
      }
    }
  }
  const Checkpoint checkpoint("qwen2-a");
  std::string kinds = "{\"layer_types\": [";
  std::string names = "{\"" + std::string(200000, 'k') + "\": [";
  std::string heads = "{\"pruned_heads\": {\"0\": [";
  for (std::size_t i = 0; i < 200000; ++i) {
    kinds += "\"full_attention\", ";
    names += "0, ";
    heads += std::to_string(i) + ", ";
  }
  for (const std::string& fields : {kinds + "0],", names + "0],", heads + "0]},"}) {
    static_cast<void>(
        error_of_loading(replaced(checkpoint.config, "{", fields), checkpoint.tensors));
  }
  CHECK((std::clock() - start) / CLOCKS_PER_SEC < 20);
}

}  // namespace
}  // namespace headwise::test
