#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "compare.hpp"
#include "examples/prune-a-model/checkpoint.hpp"
#include "examples/prune-a-model/pruning.hpp"
#include "examples/prune-a-model/report.hpp"
#include "examples/prune-a-model/text.hpp"
#include "records.hpp"
#include "temporary_folder.hpp"

/// The program that prunes a checkpoint, on the small ones of tests/data/models.
namespace headwise::test {
namespace {

constexpr example::TextOptions small_text = {.length = 8, .sequences = 3, .batch = 2};

/// Any tokens of the small models' vocabulary of 29.
std::vector<std::int64_t> some_tokens(std::size_t count) {
  std::vector<std::int64_t> tokens(count);
  std::int64_t number = 3;
  for (std::int64_t& token : tokens) {
    number = (number * 31 + 17) % 1009;
    token = number % 29;
  }
  return tokens;
}

/// Four heads in groups of two, of the same tensors.
std::string grouped_config() {
  return replaced(replaced(read_file("models/llama-a.json"), "\"num_attention_heads\": 2",
                           "\"num_attention_heads\": 4"),
                  "\"num_key_value_heads\": 1", "\"num_key_value_heads\": 2");
}

Transformer grouped_model() {
  return Transformer::from_pretrained(grouped_config(), Checkpoint("llama-a").tensors);
}

template <typename Call>
std::string refusal_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

const example::Measure& measure_of(HeadMeasure measure) {
  return *std::ranges::find(example::all_measures(), measure, &example::Measure::measure);
}

/// The loss with gates of 0 for these heads.
double gated_loss(Transformer model, const example::Batches& batches,
                  std::span<const example::HeadGroup> gone) {
  std::vector<HeadGate> gates;
  for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
    Tensor<1> gate = full<1>({model.attention(layer).num_heads()}, 1);
    for (const example::HeadGroup& group : gone) {
      if (group.layer == layer) {
        std::fill_n(gate.data() + group.first, group.count, 0.0F);
      }
    }
    gates.emplace_back(gate);
  }
  double sum = 0;
  double count = 0;
  for (const auto& batch : batches) {
    const Tensor<3> logits = model.forward(batch.tokens, {.head_gates = gates}).logits;
    sum += static_cast<double>(batch.targets.size()) * cross_entropy(logits, batch.targets);
    count += static_cast<double>(batch.targets.size());
  }
  return sum / count;
}

TEST_CASE("A text is cut into sequences and those that follow") {
  const std::vector<std::int64_t> tokens = some_tokens(60);
  const example::Text text = example::cut(tokens, small_text);
  REQUIRE(text.measuring.size() == 2);
  REQUIRE(text.testing.size() == 2);
  std::size_t sequence = 0;
  for (const auto* half : {&text.measuring, &text.testing}) {
    CHECK(half->front().tokens.shape(0) == 2);
    CHECK(half->back().tokens.shape(0) == 1);
    for (const auto& batch : *half) {
      for (std::size_t row = 0; row < batch.tokens.shape(0); ++row, ++sequence) {
        for (std::size_t i = 0; i < 8; ++i) {
          CHECK(batch.tokens(row, i) == tokens[8 * sequence + i]);
          CHECK(batch.targets(row, i) == tokens[8 * sequence + i + 1]);
        }
      }
    }
  }
  CHECK(sequence == 6);
  // Halves are as long as one another, however much there is.
  CHECK(example::cut(some_tokens(8 * 5 + 1), small_text).testing.size() == 1);
  const auto refusal = [](std::size_t count) {
    return refusal_of([&] { return example::cut(some_tokens(count), small_text).testing.size(); });
  };
  CHECK(refusal(17) == "none");
  CHECK(refusal(16) == "the text has 16 tokens; two sequences of 8 need 17");
  CHECK(refusal(0) == "the text has 0 tokens; two sequences of 8 need 17");
}

TEST_CASE("A model draws its text anew from the seed, behind the first token") {
  Transformer model = Checkpoint("gpt2-a").model();
  const example::Text text = example::draw(model, 7, 1, small_text);
  CHECK(text.measuring.size() == 2);
  CHECK(text.measuring[0].tokens(0, 0) == 7);
  CHECK(text.testing[1].tokens(0, 0) == 7);
  CHECK(text.testing[0].tokens(1, 1) == text.testing[0].targets(1, 0));
  CHECK(example::draw(model, 7, 1, small_text).testing[0].targets == text.testing[0].targets);
  CHECK(example::draw(model, 7, 9, small_text).testing[0].targets != text.testing[0].targets);
}

TEST_CASE("A curve begins with the model's loss and ends with a head in each layer") {
  Transformer model = Checkpoint("gpt2-a").model();
  const example::Text text = example::cut(some_tokens(60), small_text);
  for (const example::Measure& measure : example::all_measures()) {
    INFO(measure.name);
    const auto importance = example::measure_heads(model, measure, text.measuring);
    const example::PruningCurve curve =
        example::prune(model, example::order_of(model, measure, importance), text.testing, 16);
    REQUIRE(curve.points.size() == 3);
    CHECK(curve.points.front().loss == example::loss_of(model, text.testing));
    CHECK(std::abs(curve.points.front().loss - gated_loss(model.copy(), text.testing, {})) < 1e-5);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(curve.points[i].gone == i);
      CHECK(curve.points[i].since.size() == std::min<std::size_t>(i, 1));
      CHECK(std::abs(curve.points[i].loss - gated_loss(model.copy(), text.testing,
                                                       std::span(curve.order.going).first(i))) <
            1e-5);
    }
    REQUIRE(curve.order.staying.size() == 2);
    CHECK(curve.order.staying[0].layer != curve.order.staying[1].layer);
    // In fewer steps the last is the same.
    const example::PruningCurve short_curve = example::prune(model, curve.order, text.testing, 1);
    REQUIRE(short_curve.points.size() == 2);
    CHECK(short_curve.points[1].gone == 2);
    CHECK(short_curve.points[1].since.size() == 2);
    CHECK(short_curve.points[1].loss == curve.points[2].loss);
  }
}

TEST_CASE("The first head to go by ablation costs what ablation says") {
  const Transformer model = Checkpoint("gpt2-a").model();
  const example::Text text = example::cut(some_tokens(60), small_text);
  const example::Measure& ablation = measure_of(HeadMeasure::ablation);
  const auto importance = example::measure_heads(model, ablation, text.testing);
  const example::PruningCurve curve =
      example::prune(model, example::order_of(model, ablation, importance), text.testing, 16);
  float least = infinity;
  for (const Tensor<1>& layer : importance) {
    least = std::min(least, *std::ranges::min_element(layer));
  }
  const example::HeadGroup& first = curve.order.going.front();
  CHECK(importance[first.layer](first.first) == least);
  CHECK(std::abs(curve.points[1].loss - curve.points[0].loss - static_cast<double>(least)) < 1e-5);
  CHECK(std::abs(curve.points[1].loss - curve.points[0].loss) > 1e-4);
}

TEST_CASE("Heads that share keys and values go together, by the mean of their importance") {
  const Transformer model = grouped_model();
  const example::Text text = example::cut(some_tokens(60), small_text);
  const auto groups = example::all_groups(model);
  REQUIRE(groups.size() == 4);
  CHECK(example::count_heads(groups) == 8);
  CHECK((groups[3].layer == 1 && groups[3].first == 2 && groups[3].count == 2));
  // Group 0.2 has the least head, group 0.0 the least mean, 1.2 is the second least of its layer.
  const example::Importance importance = {Tensor<1>{2, 3, 0, 7}, Tensor<1>{9, 9, 8, 9}};
  const auto places = [](const std::vector<example::HeadGroup>& given) {
    std::vector<std::vector<std::size_t>> result;
    for (const auto& group : given) {
      result.push_back({group.layer, group.first});
    }
    return result;
  };
  using Places = std::vector<std::vector<std::size_t>>;
  const example::Order order =
      example::order_of(model, measure_of(HeadMeasure::gradient), importance);
  CHECK(places(order.going) == Places{{0, 0}, {1, 2}});
  CHECK(places(order.staying) == Places{{0, 2}, {1, 0}});
  // Low entropy is importance.
  const example::Order reversed =
      example::order_of(model, measure_of(HeadMeasure::entropy), importance);
  CHECK(places(reversed.going) == Places{{1, 0}, {0, 2}});
  CHECK(places(reversed.staying) == Places{{1, 2}, {0, 0}});

  const example::PruningCurve curve = example::prune(model, order, text.testing, 16);
  REQUIRE(curve.points.size() == 3);
  CHECK(curve.points[1].gone == 2);
  CHECK(std::abs(curve.points[2].loss - gated_loss(model.copy(), text.testing, order.going)) <
        1e-5);
  const Transformer left = example::pruned(model, order.going);
  CHECK(left.attention(0).num_heads() == 2);
  CHECK(left.attention(0).settings().num_kv_heads == 1);
  CHECK(model.attention(0).num_heads() == 4);
}

TEST_CASE("A measure taken anew is that of what is left") {
  for (const bool grouped : {false, true}) {
    const Transformer model = grouped ? grouped_model() : Checkpoint("gpt2-a").model();
    const example::Text text = example::cut(some_tokens(60), small_text);
    for (const example::Measure& measure : example::all_measures()) {
      INFO(measure.name << (grouped ? ", grouped" : ""));
      const example::PruningCurve curve = example::prune_anew(model, measure, text, 16);
      CHECK(curve.order.name == measure.name + "-anew");
      REQUIRE(curve.points.size() == 3);
      REQUIRE(curve.order.going.size() == 2);
      REQUIRE(curve.order.staying.size() == 2);
      CHECK(curve.order.staying[0].layer == 0);
      CHECK(curve.order.staying[1].layer == 1);
      CHECK(curve.order.going[0].layer != curve.order.going[1].layer);
      const example::Order once =
          example::order_of(model, measure, example::measure_heads(model, measure, text.measuring));
      CHECK(curve.order.going[0].layer == once.going[0].layer);
      CHECK(curve.order.going[0].first == once.going[0].first);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(std::abs(curve.points[i].loss - gated_loss(model.copy(), text.testing,
                                                         std::span(curve.order.going).first(i))) <
              1e-5);
      }
      // The second of them is the less important one of its layer, measured without the first.
      const Transformer left = example::pruned(model, std::span(curve.order.going).first(1));
      const auto importance = example::measure_heads(left, measure, text.measuring);
      const example::HeadGroup& second = curve.order.going[1];
      const auto mean_of = [&](std::size_t first) {
        const float* const at = importance[second.layer].data() + first;
        return measure.sign * std::accumulate(at, at + second.count, 0.0F);
      };
      CHECK(mean_of(second.first) < mean_of(second.count - second.first));
    }
    const example::PruningCurve short_curve =
        example::prune_anew(model, example::all_measures()[1], text, 1);
    REQUIRE(short_curve.points.size() == 2);
    CHECK(short_curve.points[1].since.size() == 2);
  }
}

TEST_CASE("Random orders are others for every seed and number, and the same again") {
  const Transformer model = grouped_model();
  std::vector<std::vector<std::size_t>> orders;
  for (std::size_t number = 0; number < 12; ++number) {
    std::vector<std::size_t> order;
    for (const auto& group : example::random_order(model, 5, number).going) {
      order.push_back(10 * group.layer + group.first);
    }
    CHECK(order.size() == 2);
    orders.push_back(order);
  }
  CHECK(example::random_order(model, 5, 2).going.front().first == orders[2].front() % 10);
  std::ranges::sort(orders);
  // Of the eight that there are.
  CHECK(std::distance(orders.begin(), std::ranges::unique(orders).begin()) > 3);
}

TEST_CASE("Heads that can go are those before the loss has grown") {
  example::PruningCurve curve;
  for (const double loss : {2.0, 2.01, 1.9, 2.09, 2.5, 2.0}) {
    curve.points.push_back({.gone = 2 * curve.points.size(), .since = {}, .loss = loss});
  }
  CHECK(example::heads_within(curve, 0.01) == 4);
  CHECK(example::heads_within(curve, 0.05) == 6);
  CHECK(example::heads_within(curve, 0.001) == 0);
  CHECK(example::heads_within(curve, 9) == 10);
  curve.points[1].loss = nan;
  CHECK(example::heads_within(curve, 0.05) == 0);
}

TEST_CASE("Speeds are those of all heads, of half of what goes, and of the rest") {
  const Transformer model = Checkpoint("gpt2-a").model();
  const example::Text text = example::cut(some_tokens(60), small_text);
  const auto speeds =
      example::measure_speed(model, example::random_order(model, 1, 0), text.testing);
  REQUIRE(speeds.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(speeds[i].heads == 4 - i);
    CHECK((speeds[i].prefill > 0 && std::isfinite(speeds[i].prefill)));
    CHECK((speeds[i].generation > 0 && std::isfinite(speeds[i].generation)));
  }
}

TEST_CASE("The file of the curves has a line for each point") {
  const TemporaryFolder folder;
  const std::vector<example::PruningCurve> curves = {
      {.order = {.name = "ablation", .going = {}, .staying = {}},
       .points = {{.gone = 0, .since = {}, .loss = 1.5},
                  {.gone = 2, .since = {{.layer = 3, .first = 4, .count = 2}}, .loss = 2}}}};
  example::write_csv(folder / "curve.csv", curves);
  std::ifstream file(folder / "curve.csv");
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) ==
        "order,gone,heads,loss,perplexity\n"
        "ablation,0,,1.5,4.48168907\n"
        "ablation,2,3.4 3.5,2,7.3890561\n");
  const auto missing = folder / "no" / "curve.csv";
  CHECK(refusal_of([&] {
          example::write_csv(missing, curves);
          return 0;
        }) == "cannot write " + missing.string());
}

TEST_CASE("A checkpoint is read from whichever file has its tensors") {
  const std::string config = read_file("models/gpt2-a.json");
  const std::string tensors = read_file("models/gpt2-a.safetensors");
  const StateDict expected = Checkpoint("gpt2-a").model().state_dict();
  const auto check = [&](const TemporaryFolder& folder) {
    CHECK(example::read_model(folder / ".").state_dict() == expected);
  };
  const TemporaryFolder one;
  one.write("config.json", config);
  one.write("any.safetensors", tensors);
  check(one);
  // Beside others, the name tells.
  one.write("model.safetensors", tensors);
  one.write("another.safetensors", "no tensors");
  check(one);
  const TemporaryFolder sharded;
  sharded.write("config.json", config);
  sharded.write("model-00001-of-00001.safetensors", tensors);
  sharded.write("left-over.safetensors", "no tensors");
  std::string map;
  for (const auto& [name, tensor] : Checkpoint("gpt2-a").tensors) {
    map += (map.empty() ? "\"" : ", \"") + name + "\": \"model-00001-of-00001.safetensors\"";
  }
  sharded.write("model.safetensors.index.json", "{\"weight_map\": {" + map + "}}");
  check(sharded);
}

TEST_CASE("What is no checkpoint is told by name") {
  const TemporaryFolder folder;
  const auto refusal = [&] {
    return refusal_of([&] { return example::read_model(folder / ".").num_layers(); });
  };
  const std::string path = (folder / ".").string();
  CHECK(refusal_of([&] { return example::read_model(folder / "no").num_layers(); }) ==
        "cannot read the folder " + (folder / "no").string());
  CHECK(refusal() == path + " has 0 *.safetensors, none of which is model.safetensors or an index");
  folder.write("model.safetensors", read_file("models/gpt2-a.safetensors"));
  CHECK(refusal() == "cannot read " + (folder / "." / "config.json").string());
  const auto error = [&] {
    return error_of([&] { return example::read_model(folder / ".").num_layers(); });
  };
  folder.write("config.json", "{\"model_type\": \"t5\"}");
  CHECK(error().starts_with("invalid-option; config.model_type: expected one of 'gpt2'"));
  CHECK(error().ends_with("got 't5'"));
  folder.write("config.json", read_file("models/llama-a.json"));
  CHECK(contains(error(), "'lm_head.weight' is missing"));
  for (const std::string name : {"bert-a", "vit-a", "marian-a"}) {
    folder.write("config.json", read_file("models/" + name + ".json"));
    folder.write("model.safetensors", read_file("models/" + name + ".safetensors"));
    CHECK(refusal() == path + " has no model that predicts the next token alone");
  }
}

TEST_CASE("Tokens are numbers in JSON or between spaces") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    return example::read_tokens(folder.write("tokens", text));
  };
  const std::vector<std::int64_t> expected = {1, 403, 0};
  CHECK(read("[1,403,0]") == expected);
  CHECK(read("[\n  1,\n  403,\n  0\n]\n") == expected);
  CHECK(read("1 403\t0\r\n") == expected);
  CHECK(read("").empty());
  const std::string path = (folder / "tokens").string();
  for (const std::string word : {"Once", "1.5", "99999999999999999999", "2nd"}) {
    CHECK(refusal_of([&] { return read("1 " + word + " 2").size(); }) ==
          path + ": expected numbers of tokens, got '" + word +
              "'; tokens.mjs makes them of a text");
  }
  CHECK(refusal_of([&] { return example::read_tokens(folder / "no").size(); }) ==
        "cannot read " + (folder / "no").string());
}

}  // namespace
}  // namespace headwise::test
