#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "compare.hpp"
#include "small_transformers.hpp"

namespace headwise::test {
namespace {

constexpr std::size_t batch = 2;

struct Run {
  Transformer model;
  TransformerForwardOptions options;

  explicit Run(const SmallTransformer& small) : model(small.options) {
    options.return_weights = true;
    if (small.options.encoder) {
      options.source = random_tokens(batch, 5, 21);
      options.source_valid_lens = LensBySample{4, 2};
    }
  }

  [[nodiscard]] TransformerResult forward() {
    const TransformerSettings& settings = model.settings();
    return settings.has_patches()
               ? model.forward(
                     randn<4>({batch, settings.channels, settings.image_size, settings.image_size},
                              4),
                     options)
               : model.forward(random_tokens(batch, 6, 22), options);
  }

  std::vector<HeadGate>& gates(Side side) {
    return side == Side::self    ? options.head_gates
           : side == Side::cross ? options.cross_head_gates
                                 : options.encoder_head_gates;
  }

  const std::vector<MultiHeadAttention>& layers(Side side) const {
    return model.attention_layers(side);
  }
};

/// Heads to prune in a layer: the first whole group of those that share keys and values, or its
/// first head alone.
std::vector<std::int64_t> heads_to_prune(const MultiHeadAttention& layer, bool whole_group) {
  const std::size_t group = layer.num_heads() / layer.settings().num_kv_heads;
  std::vector<std::int64_t> heads;
  for (std::size_t head = 0; head < (whole_group ? group : 1); ++head) {
    heads.push_back(static_cast<std::int64_t>(head));
  }
  return heads;
}

TEST_CASE("A gate of 0 is a pruned head, on every side of every model") {
  std::size_t checked = 0;
  for (const SmallTransformer& small : small_transformers()) {
    for (const Side side : {Side::self, Side::cross, Side::encoder}) {
      for (const bool whole_group : {true, false}) {
        Run gated(small);
        Run pruned(small);
        if (gated.layers(side).empty()) {
          continue;
        }
        const std::size_t last = gated.layers(side).size() - 1;
        const MultiHeadAttention& layer = gated.layers(side)[last];
        const std::vector<std::int64_t> heads = heads_to_prune(layer, whole_group);
        const std::size_t group = layer.num_heads() / layer.settings().num_kv_heads;
        // All heads of a layer cannot be pruned, nor part of a group.
        if (heads.size() == layer.num_heads() || heads.size() % group != 0) {
          continue;
        }
        INFO(small.name << ", side " << static_cast<int>(side));
        gated.gates(side).resize(last + 1);
        Tensor<1> gate = full<1>({layer.num_heads()}, 1);
        for (const std::int64_t head : heads) {
          gate(static_cast<std::size_t>(head)) = 0;
        }
        gated.gates(side)[last] = gate;
        const TransformerResult before = pruned.forward();
        pruned.model.prune_heads({{static_cast<std::int64_t>(last), heads}}, side);
        const TransformerResult expected = gated.forward();
        const TransformerResult result = pruned.forward();
        CHECK(max_difference(result.hidden, expected.hidden) <= 5e-6);
        CHECK(max_difference(result.logits, expected.logits) <= 2e-5);
        CHECK(max_difference(result.hidden, before.hidden) > 1e-3);
        CHECK(pruned.layers(side)[last].num_heads() == gate.size() - heads.size());
        ++checked;
      }
    }
  }
  CHECK(checked > 50);
}

TEST_CASE("A gate of a sample is that sample's alone") {
  for (const std::string name : {"plain", "an encoder", "patches", "grouped heads"}) {
    INFO(name);
    const SmallTransformer small = small_transformer(name);
    for (const Side side : {Side::self, Side::cross, Side::encoder}) {
      Run plain(small);
      Run gated(small);
      Run by_sample(small);
      if (plain.layers(side).empty()) {
        continue;
      }
      const std::size_t heads = plain.layers(side)[0].num_heads();
      Tensor<1> gate = full<1>({heads}, 1);
      gate(1) = 0.25F;
      Tensor<2> gates = full<2>({batch, heads}, 1);
      gates(1, 1) = 0.25F;
      gated.gates(side).resize(plain.layers(side).size());
      by_sample.gates(side).resize(plain.layers(side).size());
      gated.gates(side)[0] = gate;
      by_sample.gates(side)[0] = gates;
      const auto first = plain.forward().hidden;
      const auto second = gated.forward().hidden;
      const auto both = by_sample.forward().hidden;
      CHECK(max_difference(first, second) > 1e-4);
      for (std::size_t i = 0; i < both.shape(1); ++i) {
        for (std::size_t j = 0; j < both.shape(2); ++j) {
          CHECK(both(0, i, j) == first(0, i, j));
          CHECK(both(1, i, j) == second(1, i, j));
        }
      }
    }
  }
}

TEST_CASE("Rows of weights sum to 1, and hold nothing where masks are") {
  for (const SmallTransformer& small : small_transformers()) {
    INFO(small.name);
    Run run(small);
    const TransformerResult result = run.forward();
    CHECK(result.attention_weights.size() == run.layers(Side::self).size());
    CHECK(result.cross_attention_weights.size() == run.layers(Side::cross).size());
    CHECK(result.encoder_attention_weights.size() == run.layers(Side::encoder).size());
    const auto check = [&](const std::vector<Tensor<4>>& weights, const auto& is_masked) {
      for (const Tensor<4>& of_layer : weights) {
        const auto& shape = of_layer.shape();
        for (std::size_t sample = 0; sample < shape[0]; ++sample) {
          for (std::size_t head = 0; head < shape[1]; ++head) {
            for (std::size_t query = 0; query < shape[2]; ++query) {
              double sum = 0;
              bool is_zero = true;
              for (std::size_t key = 0; key < shape[3]; ++key) {
                const float weight = of_layer(sample, head, query, key);
                sum += static_cast<double>(weight);
                is_zero = is_zero && (!is_masked(sample, query, key) || weight == 0);
              }
              CHECK(std::abs(sum - 1) <= 1e-6);
              CHECK(is_zero);
            }
          }
        }
      }
    };
    const std::size_t lens[] = {4, 2};
    check(result.attention_weights, [&](std::size_t, std::size_t query, std::size_t key) {
      return small.options.causal && key > query;
    });
    const auto beyond_source = [&](std::size_t sample, std::size_t, std::size_t key) {
      return key >= lens[sample];
    };
    check(result.cross_attention_weights, beyond_source);
    if (!small.options.window) {
      check(result.encoder_attention_weights, beyond_source);
    }
  }
}

TEST_CASE("Tokens in the padding change nothing else") {
  for (const SmallTransformer& small : small_transformers()) {
    if (small.options.patches) {
      continue;
    }
    INFO(small.name);
    Run run(small);
    run.options.valid_lens = LensBySample{6, 3};
    Tokens tokens = random_tokens(batch, 6, 22);
    const auto expected = run.model.forward(tokens, run.options).hidden;
    CHECK(all_finite(expected));
    for (std::size_t i = 3; i < 6; ++i) {
      tokens(1, i) = (tokens(1, i) + 5) % vocabulary_size;
    }
    if (run.options.source) {
      (*run.options.source)(0, 4) = ((*run.options.source)(0, 4) + 1) % vocabulary_size;
      (*run.options.source)(1, 2) = ((*run.options.source)(1, 2) + 1) % vocabulary_size;
    }
    const auto result = run.model.forward(tokens, run.options).hidden;
    CHECK(all_finite(result));
    for (std::size_t j = 0; j < result.shape(2); ++j) {
      for (std::size_t i = 0; i < 6; ++i) {
        CHECK(result(0, i, j) == expected(0, i, j));
        CHECK((i >= 3 || result(1, i, j) == expected(1, i, j)));
      }
    }
    CHECK(max_difference(result, expected) > 0);
  }
}

TEST_CASE("Lengths of 0 give finite results") {
  for (const std::string name : {"plain", "not causal", "an encoder", "norm after"}) {
    INFO(name);
    Run run(small_transformer(name));
    run.options.valid_lens = LensBySample{0, 6};
    if (run.options.source) {
      run.options.source_valid_lens = LensBySample{0, 5};
    }
    CHECK(all_finite(run.forward().logits));
    TransformerForwardOptions options = run.options;
    options.return_weights = false;
    const Tokens tokens = random_tokens(batch, 6, 22);
    CHECK(std::isfinite(run.model.loss_and_gradients(tokens, tokens, options).loss));
    for (const auto& [parameter, gradient] : run.model.gradients()) {
      INFO(parameter);
      CHECK(all_finite(gradient));
    }
  }
}

TEST_CASE("A pruned model trains on") {
  for (const std::string name : {"plain", "grouped heads", "an encoder"}) {
    INFO(name);
    Run run(small_transformer(name));
    for (const Side side : {Side::self, Side::cross, Side::encoder}) {
      if (!run.layers(side).empty()) {
        run.model.prune_heads({{0, heads_to_prune(run.layers(side)[0], true)}}, side);
      }
    }
    const Tokens tokens = random_tokens(batch, 6, 22);
    run.options.return_weights = false;
    run.model.optimizer().set_learning_rate(0.02);
    const double first = run.model.train_step(tokens, tokens, run.options);
    double last = first;
    for (int step = 0; step < 60; ++step) {
      last = run.model.train_step(tokens, tokens, run.options);
    }
    CHECK(last < 0.5 * first);
  }
}

TEST_CASE("A pruned checkpoint comes back out smaller") {
  const struct {
    const char* checkpoint;
    std::vector<std::pair<std::string, std::vector<std::size_t>>> shapes;
  } cases[] = {{"gpt2-a",
                {{"h.1.attn.c_attn.weight", {16, 24}},
                 {"h.1.attn.c_attn.bias", {24}},
                 {"h.1.attn.c_proj.weight", {8, 16}},
                 {"h.1.attn.c_proj.bias", {16}}}},
               {"nanogpt-a",
                {{"transformer.h.1.attn.c_attn.weight", {24, 16}},
                 {"transformer.h.1.attn.c_proj.weight", {16, 8}}}}};
  for (const auto& [name, shapes] : cases) {
    const Checkpoint checkpoint(name);
    Transformer model = checkpoint.model();
    model.prune_heads({{1, {0}}});
    const StateDict out = model.state_dict(ParameterNames::pretrained);
    for (const auto& [tensor, shape] : shapes) {
      INFO(tensor);
      REQUIRE(out.contains(tensor));
      CHECK(std::equal(shape.begin(), shape.end(), out.at(tensor).shape().begin(),
                       out.at(tensor).shape().end()));
    }
    for (const auto& [tensor, values] : out) {
      INFO(tensor);
      const bool is_pruned = std::any_of(shapes.begin(), shapes.end(), [&](const auto& each) {
        return each.first == tensor && !tensor.ends_with("c_proj.bias");
      });
      CHECK((values.size() < checkpoint.tensors.at(tensor).size()) == is_pruned);
      CHECK((is_pruned || values == checkpoint.tensors.at(tensor)));
    }
    // Head 1's queries, keys and values are what is left of each third.
    const auto& before = checkpoint.tensors.at(shapes[0].first);
    const auto& after = out.at(shapes[0].first);
    const bool transposed = std::string(name) == "gpt2-a";
    for (std::size_t third = 0; third < 3; ++third) {
      for (std::size_t row = 0; row < 8; ++row) {
        for (std::size_t column = 0; column < 16; ++column) {
          const std::size_t from = third * 16 + 8 + row;
          const std::size_t to = third * 8 + row;
          CHECK((transposed ? after(column, to) == before(column, from)
                            : after(to, column) == before(from, column)));
        }
      }
    }
    const StateDict gradients = model.gradients(ParameterNames::pretrained);
    CHECK(gradients.at(shapes[0].first).shape() == after.shape());
  }
}

TEST_CASE("A pruned checkpoint of grouped heads loses the keys that no head is left to use") {
  const Checkpoint checkpoint("llama-a");
  // The same tensors as half as large heads, four in two groups.
  const std::string config = replaced(
      replaced(checkpoint.config, "\"num_attention_heads\": 2", "\"num_attention_heads\": 4"),
      "\"num_key_value_heads\": 1", "\"num_key_value_heads\": 2");
  Transformer model = Transformer::from_pretrained(config, checkpoint.tensors);
  model.prune_heads({{0, {0, 1}}});
  const StateDict out = model.state_dict(ParameterNames::pretrained);
  const std::string attention = "model.layers.0.self_attn.";
  const auto has_shape = [&](const std::string& name, std::vector<std::size_t> shape) {
    const auto& given = out.at(attention + name).shape();
    return std::equal(shape.begin(), shape.end(), given.begin(), given.end());
  };
  CHECK(has_shape("q_proj.weight", {8, 16}));
  CHECK(has_shape("o_proj.weight", {16, 8}));
  REQUIRE(has_shape("k_proj.weight", {4, 16}));
  CHECK(has_shape("v_proj.weight", {4, 16}));
  for (std::size_t row = 0; row < 4; ++row) {
    CHECK(out.at(attention + "k_proj.weight")(row, 3) ==
          checkpoint.tensors.at(attention + "k_proj.weight")(4 + row, 3));
  }
  CHECK(error_of([&] {
          model.prune_heads({{1, {1}}});
          return 0;
        }) ==
        "invalid-option; heads[1]: expected all or none of the heads 0 to 1, which share a "
        "key-value head, got 1 of 2");
}

TEST_CASE("Heads that a model does not have cannot be pruned, and then none is") {
  Run run(small_transformer("an encoder"));
  const auto expected = run.forward().hidden;
  const auto error_with = [&](const std::map<std::int64_t, std::vector<std::int64_t>>& heads,
                              Side side = Side::self) {
    return error_of([&] {
      run.model.prune_heads(heads, side);
      return 0;
    });
  };
  CHECK(error_with({{0, {0}}, {2, {0}}}) ==
        "invalid-option; heads: expected layers from 0 to 1, got 2");
  CHECK(error_with({{-1, {0}}}, Side::encoder) ==
        "invalid-option; heads: expected layers from 0 to 1, got -1");
  CHECK(error_with({{0, {0}}, {1, {0, 2}}}, Side::cross).starts_with("invalid-option; heads[1]"));
  CHECK(error_with({{0, {0}}, {1, {0, 1}}}).starts_with("invalid-option; heads[1]"));
  CHECK(run.forward().hidden == expected);
  Run decoder(small_transformer("plain"));
  CHECK(error_of([&] {
          decoder.model.prune_heads({{0, {0}}}, Side::cross);
          return 0;
        }) == "invalid-option; heads: expected no layers, got 0");
}

}  // namespace
}  // namespace headwise::test
