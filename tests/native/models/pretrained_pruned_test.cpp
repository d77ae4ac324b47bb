#include <catch2/catch_test_macros.hpp>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "compare.hpp"

// What is left of a pruned checkpoint is one, with the heads that are gone in its config.
namespace headwise::test {
namespace {

using Heads = std::map<std::int64_t, std::vector<std::int64_t>>;

std::string replaced_all(const std::string& text, const char* before, const char* after) {
  return std::regex_replace(text, std::regex(before), after);
}

/// The same tensors as heads of half the size, unless there are four: four, in two groups where
/// there are groups.
Checkpoint with_four_heads(const std::string& name) {
  Checkpoint checkpoint(name);
  std::string& config = checkpoint.config;
  if (contains(config, "heads\": 4,")) {
    return checkpoint;
  }
  config = replaced_all(config, "_heads\": 2,", "_heads\": 4,");
  config = replaced_all(config, "\"n_head\": 2,", "\"n_head\": 4,");
  config = replaced_all(config, "\"num_key_value_heads\": 1,", "\"num_key_value_heads\": 2,");
  return checkpoint;
}

Transformer read_back(const Transformer& model) {
  return Transformer::from_pretrained(model.config(), model.state_dict(ParameterNames::pretrained));
}

/// Holds what is read of the model's own checkpoint against the model.
void check_round_trip(const Checkpoint& checkpoint, Transformer& model) {
  Transformer read = read_back(model);
  CHECK(read.config() == model.config());
  const StateDict expected = model.state_dict(ParameterNames::pretrained);
  CHECK(read.state_dict(ParameterNames::pretrained) == expected);
  for (const auto& [name, gradient] : model.gradients(ParameterNames::pretrained)) {
    INFO(name);
    CHECK(gradient.shape() == expected.at(name).shape());
  }
  CHECK(read.state_dict() == model.state_dict());
  const TransformerResult result = checkpoint.forward(read);
  const TransformerResult wanted = checkpoint.forward(model);
  CHECK(result.hidden == wanted.hidden);
  CHECK(result.logits == wanted.logits);
  CHECK(result.attention_weights == wanted.attention_weights);
}

TEST_CASE("A pruned model is exported as a checkpoint of the size and with the results it had") {
  for (const std::string& name : checkpoint_names("ab")) {
    CAPTURE(name);
    const Checkpoint checkpoint = with_four_heads(name);
    Transformer model = checkpoint.model();
    const StateDict before = model.state_dict(ParameterNames::pretrained);
    for (const Side side : all_sides) {
      if (!model.attention_layers(side).empty()) {
        model.prune_heads({{0, {0, 1}}}, side);
      }
    }
    const ExportedCheckpoint whole = model.export_checkpoint();
    Transformer read = Transformer::from_pretrained(whole.config, whole.tensors);
    for (const auto& [tensor, values] : before) {
      CHECK(whole.tensors.at(tensor).shape() == values.shape());
    }
    CHECK(read.attention(0).num_heads() == 4);
    CHECK(max_difference(checkpoint.forward(read).hidden, checkpoint.forward(model).hidden) <=
          1e-5);
    const ExportedCheckpoint smaller = model.export_checkpoint(PrunedHeads::removed);
    CHECK(smaller.config == model.config());
    CHECK(smaller.tensors == model.state_dict(ParameterNames::pretrained));
  }
}

TEST_CASE("A pruned checkpoint can be read back, pruned again, and read back again") {
  for (const std::string& name : checkpoint_names("ab")) {
    const Checkpoint checkpoint = with_four_heads(name);
    const bool has_groups = contains(checkpoint.config, "num_key_value_heads");
    for (const Side side : {Side::self, Side::cross, Side::encoder}) {
      Transformer model = checkpoint.model();
      if (model.attention_layers(side).empty()) {
        continue;
      }
      CAPTURE(name, static_cast<int>(side));
      const std::string field = side == Side::self    ? "pruned_heads"
                                : side == Side::cross ? "cross_pruned_heads"
                                                      : "encoder_pruned_heads";
      const auto before = checkpoint.forward(model).hidden;
      model.prune_heads(has_groups ? Heads{{0, {1, 0}}} : Heads{{0, {3, 1}}, {1, {0}}}, side);
      CHECK(checkpoint.forward(model).hidden != before);
      CHECK(contains(model.config(), ",\n \"" + field +
                                         (has_groups ? "\": {\"0\": [0, 1]}\n}"
                                                     : "\": {\"0\": [1, 3], \"1\": [0]}\n}")));
      check_round_trip(checkpoint, model);
      if (has_groups) {
        CHECK(model.attention(0).settings().num_kv_heads == 1);
        Transformer read = read_back(model);
        read.prune_heads({{1, {2, 3}}}, side);
        CHECK(contains(read.config(), "{\"0\": [0, 1], \"1\": [2, 3]}"));
        check_round_trip(checkpoint, read);
        continue;
      }
      // Of layer 1, heads 1 to 3 are now 0 to 2.
      model.prune_heads({{1, {1, 2}}}, side);
      const std::string twice = "{\"0\": [1, 3], \"1\": [0, 2, 3]}";
      CHECK(contains(model.config(), twice));
      check_round_trip(checkpoint, model);
      Transformer read = read_back(model);
      read.prune_heads({{0, {0}}}, side);
      CHECK(contains(read.config(), "{\"0\": [0, 1, 3], \"1\": [0, 2, 3]}"));
      CHECK_FALSE(contains(read.config(), twice));
      check_round_trip(checkpoint, read);
      CHECK(read.copy().config() == read.config());
    }
  }
}

TEST_CASE("Heads removed on all sides have a field each") {
  const Checkpoint checkpoint = with_four_heads("marian-a");
  Transformer model = checkpoint.model();
  model.prune_heads({{0, {0}}}, Side::encoder);
  model.prune_heads({{1, {1}}}, Side::cross);
  model.prune_heads({{1, {3, 2}}});
  const std::string fields =
      ",\n \"pruned_heads\": {\"1\": [2, 3]},\n \"cross_pruned_heads\": {\"1\": [1]},"
      "\n \"encoder_pruned_heads\": {\"0\": [0]}\n}";
  const std::size_t end = checkpoint.config.rfind("\n}");
  CHECK(model.config() == checkpoint.config.substr(0, end) + fields);
  check_round_trip(checkpoint, model);
  model.cross_attention(0).prune_heads({2});
  model.encoder_attention(0).prune_heads({0});
  CHECK(contains(model.config(), "\"cross_pruned_heads\": {\"0\": [2], \"1\": [1]}"));
  CHECK(contains(model.config(), "\"encoder_pruned_heads\": {\"0\": [0, 1]}"));
  check_round_trip(checkpoint, model);
}

TEST_CASE("A config keeps its text around what pruning changes") {
  const Checkpoint checkpoint = with_four_heads("gpt2-a");
  const auto config_with = [&](const std::string& given) {
    Transformer model = Transformer::from_pretrained(given, checkpoint.tensors);
    CHECK(model.config() == given);
    model.prune_heads({{1, {2}}});
    check_round_trip(checkpoint, model);
    return model.config();
  };
  const std::string heads = "{\"1\": [2]}";
  const std::string& config = checkpoint.config;
  const std::string spaced = replaced_all(config, "\n ", "\n\t\t");
  CHECK(config_with(spaced) ==
        replaced(spaced, "1e-05\n", "1e-05,\n\t\t\"pruned_heads\": " + heads + "\n"));
  const std::string compact = replaced_all(replaced_all(config, "\n", ""), ", ", ",");
  CHECK(config_with(compact) ==
        replaced(compact, "1e-05}", "1e-05,\"pruned_heads\": " + heads + "}"));
  for (const std::string value : {"{}", "{ \"0\" : [ ] }", "null", "[]"}) {
    const std::string given = replaced(
        config, "{",
        "{ \"quoted \\u00e9 \\\"\": \"a \\\\\\\"} \\n\", \"pruned_heads\" : " + value + "\n,");
    CHECK(config_with(given) == replaced(given, value, heads));
  }
  const std::string twice = replaced(config, "{", "{\"pruned_heads\": {}, \"pruned_heads\": {},");
  CHECK(
      config_with(twice) ==
      replaced(config, "{", "{\"pruned_heads\": " + heads + ", \"pruned_heads\": " + heads + ","));
}

TEST_CASE("A config's removed heads may stand in any order, and more than once") {
  const Checkpoint checkpoint = with_four_heads("bert-a");
  Transformer expected = checkpoint.model();
  expected.prune_heads({{0, {0, 3}}, {1, {1}}});
  const std::string config =
      replaced(checkpoint.config, "{", "{\"pruned_heads\": {\"1\": [1, 1], \"0\": [3, 0, 3]},");
  Transformer model =
      Transformer::from_pretrained(config, expected.state_dict(ParameterNames::pretrained));
  CHECK(model.state_dict() == expected.state_dict());
  CHECK(model.config() ==
        replaced(config, "{\"1\": [1, 1], \"0\": [3, 0, 3]}", "{\"0\": [0, 3], \"1\": [1]}"));
}

TEST_CASE("A pruned GPT-2 is told from nanoGPT however few heads its first layer has left") {
  for (const std::string name : {"gpt2-a", "nanogpt-a"}) {
    INFO(name);
    // All other widths than that of the embedding are smaller, or equal to it.
    for (const Heads& heads : {Heads{{0, {0, 1, 2}}}, Heads{{0, {1, 2}}}, Heads{}}) {
      const Checkpoint checkpoint = with_four_heads(name);
      for (const std::string type : {"gpt2", "nanogpt"}) {
        Checkpoint typed = checkpoint;
        typed.config =
            replaced(typed.config, "\"model_type\": \"" + name.substr(0, name.size() - 2),
                     "\"model_type\": \"" + type);
        Transformer model = typed.model();
        model.prune_heads(heads);
        check_round_trip(typed, model);
      }
    }
  }
}

TEST_CASE("A model whose layer was replaced by one with other parameters is not exported") {
  const Checkpoint checkpoint = with_four_heads("gpt2-a");
  const auto replacing = [&](std::int64_t num_heads, bool bias) {
    Transformer model = checkpoint.model();
    const auto size = static_cast<std::int64_t>(model.settings().num_hiddens);
    model.attention(0) = MultiHeadAttention({.num_hiddens = size,
                                             .num_heads = num_heads,
                                             .bias = bias,
                                             .query_size = size,
                                             .key_size = size,
                                             .value_size = size});
    model.prune_heads({{0, {1}}});
    return model;
  };
  Transformer same = replacing(4, true);
  check_round_trip(checkpoint, same);
  for (const auto& [num_heads, bias] : {std::pair(4, false), std::pair(2, true)}) {
    const Transformer model = replacing(num_heads, bias);
    const std::string error =
        "invalid-option; layers: expected the checkpoint's, whole or pruned, got others";
    CHECK(error_of([&] { return model.state_dict(ParameterNames::pretrained); }) == error);
    CHECK(error_of([&] { return model.gradients(ParameterNames::pretrained); }) == error);
    for (const PrunedHeads pruned : {PrunedHeads::zeroed, PrunedHeads::removed}) {
      CHECK(error_of([&] { return model.export_checkpoint(pruned); }) == error);
    }
  }
}

TEST_CASE("A checkpoint is read with dropout, a seed and an optimizer of one's own") {
  const Checkpoint checkpoint("gpt2-a");
  const auto read = [&](const PretrainedOptions& options) {
    return Transformer::from_pretrained(checkpoint.config, checkpoint.tensors, options);
  };
  Transformer model = read({.dropout = 0.5, .seed = 7, .optimizer = {.learning_rate = 0.25}});
  CHECK(model.seed() == 7);
  CHECK(model.optimizer().options().learning_rate == 0.25);
  for (const MultiHeadAttention& layer : model.attention_layers(Side::self)) {
    CHECK(layer.settings().dropout == 0.5);
  }
  Transformer plain = checkpoint.model();
  CHECK(plain.attention(0).settings().dropout == 0);
  CHECK(checkpoint.forward(model).hidden == checkpoint.forward(plain).hidden);
  const auto dropped = [&](std::uint64_t seed) {
    return checkpoint.forward(read({.dropout = 0.5, .seed = seed}).train()).hidden;
  };
  CHECK(checkpoint.forward(model.train()).hidden == dropped(7));
  CHECK(dropped(8) != dropped(7));
  CHECK(error_of([&] { return read({.dropout = 1.5}); }).starts_with("invalid-option; dropout"));
  CHECK(error_of([&] {
          return read({.seed = std::uint64_t{1} << 53U});
        }).starts_with("invalid-option; seed"));
  CHECK(error_of([&] {
          return read({.optimizer = {.learning_rate = -1}});
        }).starts_with("invalid-option; learning_rate"));
}

}  // namespace
}  // namespace headwise::test
