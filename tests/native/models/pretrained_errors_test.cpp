#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "compare.hpp"
#include "files.hpp"

// What `from_pretrained` takes for a checkpoint's tensors, and what it says of others.
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
  for (const std::string prefix : {"model.", "transformer."}) {
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
  std::vector<std::size_t> shape(tensor.shape().begin(), tensor.shape().end());
  ++shape.front();
  return xt::zeros<float>(shape);
}

TEST_CASE("A tensor that is missing, of another shape or unexpected is named") {
  for (const std::string& name : checkpoint_names) {
    const Checkpoint checkpoint(name);
    for (const auto& [tensor, values] : checkpoint.tensors) {
      INFO(name << ": " << tensor);
      const bool is_needed = is_read(tensor) && !is_optional(checkpoint, tensor);
      const std::string missing = "'" + bare(tensor) + "' is missing";
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
  const struct {
    const char* checkpoint;
    std::vector<std::string> ignored;
  } cases[] = {
      {"gpt2-a",
       {"h.0.attn.bias", "h.1.attn.masked_bias", "transformer.h.0.attn.masked_bias",
        "score.weight"}},
      {"nanogpt-a", {"h.0.attn.bias", "_orig_mod.transformer.h.1.attn.bias"}},
      {"llama-a",
       {"model.layers.0.self_attn.rotary_emb.inv_freq", "score.weight", "qa_outputs.bias"}},
      {"qwen2-a", {"layers.1.self_attn.rotary_emb.inv_freq"}},
      {"bert-a",
       {"embeddings.position_ids", "bert.embeddings.token_type_ids", "pooler.dense.weight",
        "bert.pooler.dense.bias", "cls.predictions.bias", "cls.seq_relationship.weight",
        "classifier.weight", "qa_outputs.weight"}},
      {"vit-a", {"classifier.bias", "vit.pooler.dense.weight", "embeddings.mask_token"}},
      {"bart-a", {"classification_head.dense.weight", "qa_outputs.bias"}},
      {"marian-a",
       {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"}}};
  for (const auto& [name, ignored] : cases) {
    const Checkpoint checkpoint(name);
    const Transformer expected = checkpoint.model();
    for (const std::string& tensor : ignored) {
      INFO(name << ": " << tensor);
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

/// Names with `prefix` before those that `has_prefix` names.
StateDict with_prefix(const StateDict& tensors, const std::string& prefix, bool heads_too) {
  StateDict result;
  for (const auto& [name, tensor] : tensors) {
    const bool is_head = bare(name).starts_with("lm_head.") || name == "final_logits_bias";
    result[is_head && !heads_too ? name : prefix + bare(name)] = tensor;
  }
  return result;
}

TEST_CASE("Prefixes of wrappers and heads may be there or not") {
  const struct {
    const char* checkpoint;
    const char* prefix;
  } cases[] = {{"gpt2-a", "transformer."}, {"nanogpt-a", "transformer."}, {"llama-a", "model."},
               {"qwen2-a", "model."},      {"bert-a", "bert."},           {"bert-a", "roberta."},
               {"vit-a", "vit."},          {"bart-a", "model."},          {"marian-a", "model."}};
  for (const auto& [name, own] : cases) {
    const Checkpoint checkpoint(name);
    const Transformer expected = checkpoint.model();
    const StateDict none = with_prefix(checkpoint.tensors, "", false);
    const StateDict with_own = with_prefix(checkpoint.tensors, own, false);
    for (const StateDict& base : {none, with_own}) {
      for (const std::string wrapper : {"", "module.", "_orig_mod.", "_orig_mod.module."}) {
        INFO(name << ": " << wrapper << base.begin()->first);
        StateDict tensors;
        for (const auto& [tensor, values] : base) {
          tensors[wrapper + tensor] = values;
        }
        const Transformer model = Transformer::from_pretrained(checkpoint.config, tensors);
        CHECK(model.state_dict() == expected.state_dict());
        for (const auto& [tensor, values] : model.state_dict(ParameterNames::pretrained)) {
          CHECK(same_bits(values, tensors.at(tensor)));
        }
      }
    }
  }
}

TEST_CASE("A tied unembedding may be there, and comes back out; one that is not must be") {
  const struct {
    const char* checkpoint;
    std::vector<std::string> copies;
    const char* embedding;
  } cases[] = {
      {"gpt2-a", {"lm_head.weight"}, "wte.weight"},
      {"nanogpt-a", {"lm_head.weight"}, "wte.weight"},
      {"qwen2-a", {"lm_head.weight"}, "model.embed_tokens.weight"},
      {"bart-a",
       {"lm_head.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"},
       "model.shared.weight"},
      {"marian-a",
       {"lm_head.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"},
       "model.shared.weight"}};
  for (const auto& [name, copies, given_embedding] : cases) {
    const Checkpoint checkpoint(name);
    std::string embedding = given_embedding;
    if (!checkpoint.tensors.contains(embedding)) {
      embedding = checkpoint.tensors.contains(bare(embedding)) ? bare(embedding)
                                                               : "transformer." + embedding;
    }
    for (const std::string& copy : copies) {
      INFO(name << ": " << copy);
      StateDict tensors = checkpoint.tensors;
      tensors[copy] = tensors.at(embedding);
      const Transformer model = Transformer::from_pretrained(checkpoint.config, tensors);
      CHECK(model.state_dict() == checkpoint.model().state_dict());
      const StateDict out = model.state_dict(ParameterNames::pretrained);
      REQUIRE(out.contains(copy));
      CHECK(same_bits(out.at(copy), tensors.at(embedding)));
      CHECK_FALSE(model.gradients(ParameterNames::pretrained).contains(copy));
    }
  }
  const Checkpoint untied("llama-a");
  StateDict tensors = untied.tensors;
  tensors.erase("lm_head.weight");
  CHECK(error_of_loading(untied.config, tensors) == invalid_tensors("'lm_head.weight' is missing"));
  const Transformer tied = Transformer::from_pretrained(
      replaced(untied.config, "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true"),
      tensors);
  CHECK_FALSE(tied.state_dict().contains("unembedding.weight"));
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

}  // namespace
}  // namespace headwise::test
