#include <array>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <sstream>

#include "compare.hpp"
#include "model_table.hpp"

// tests/data/golden-models.txt holds what tasks and models give for a few seeds: tokens exactly,
// the rest within rounding. The Node tests hold the package against the same file. After a change
// that is meant to change numbers:
//   headwise-tests "[write-golden-models]"
namespace headwise::test {
namespace {

template <typename Numbers>
std::string decimal(const Numbers& numbers) {
  std::ostringstream text;
  text.precision(9);
  for (const auto number : numbers) {
    text << (text.tellp() > 0 ? " " : "") << number;
  }
  return text.str();
}

TaskBatch batch_of(const Record& record) {
  return task_of(record)->batch(record.number<std::uint64_t>("batch_seed"),
                                record.number<std::int64_t>("batch_size"),
                                record.number<std::int64_t>("first"));
}

using Numbers = std::vector<double>;
using Results = std::vector<std::pair<std::string, Numbers>>;

template <typename Tensor>
void append(Numbers& numbers, const Tensor& tensor) {
  numbers.insert(numbers.end(), tensor.begin(), tensor.end());
}

/// Lists of all layers, one after the other.
template <typename Tensors>
Numbers joined(const Tensors& tensors) {
  Numbers numbers;
  for (const auto& tensor : tensors) {
    append(numbers, tensor);
  }
  return numbers;
}

constexpr std::array<std::pair<const char*, HeadMeasure>, 4> measures = {
    {{"gradient", HeadMeasure::gradient},
     {"ablation", HeadMeasure::ablation},
     {"confidence", HeadMeasure::confidence},
     {"entropy", HeadMeasure::entropy}}};

Results results_of(const Record& record) {
  const auto [tokens, targets, keys] = batch_of(record);
  AttentionOnlyTransformer model(transformer_options_of(record));
  Results results;
  const auto forward = model.forward(tokens, {.return_weights = true});
  Numbers patterns;
  Numbers induction;
  Numbers right_keys;
  for (const Tensor<4>& weights : forward.attention_weights) {
    for (const PatternScores& scores : pattern_scores(weights, true)) {
      append(patterns,
             Numbers{scores.previous_token, scores.first_token, scores.diagonal, scores.uniform});
    }
    append(induction, induction_scores(weights, tokens));
    append(right_keys, key_scores(weights, keys));
  }
  results.emplace_back("logits", Numbers(forward.logits.begin(), forward.logits.end()));
  results.emplace_back("patterns", patterns);
  results.emplace_back("induction", induction);
  results.emplace_back("right_keys", right_keys);
  for (const auto& [name, measure] : measures) {
    results.emplace_back(
        name, joined(*measure_head_importance(model, {{tokens, targets}}, {.measure = measure})));
  }
  const auto [loss, head_gates] = model.loss_and_gradients(tokens, targets);
  results.emplace_back("loss", Numbers{loss});
  results.emplace_back("gate_gradients", joined(head_gates));
  Numbers losses;
  for (int step = 0; step < 4; ++step) {
    losses.push_back(model.train_step(tokens, targets));
  }
  results.emplace_back("losses", losses);
  return results;
}

TEST_CASE("Tasks and models are those of the golden file, which the Node tests share") {
  const auto records = read_records("golden-models.txt");
  REQUIRE_FALSE(records.empty());
  for (const Record& record : records) {
    CAPTURE(record.text("name"));
    const auto [tokens, targets, keys] = batch_of(record);
    CHECK(decimal(tokens) == record.text("tokens"));
    CHECK(decimal(targets) == record.text("targets"));
    CHECK(decimal(keys) == record.text("keys"));
    if (record.has("num_hiddens")) {
      for (const auto& [name, numbers] : results_of(record)) {
        CAPTURE(name);
        CHECK(max_difference(numbers, record.numbers<double>(name)) <= 1e-5);
      }
    }
  }
}

TEST_CASE("Writes the golden file of tasks and models", "[.][write-golden-models]") {
  const auto records = read_records("golden-models.txt");
  std::ofstream file(data_path("golden-models.txt"));
  file << "# What the library gives for tasks and models of a few seeds;\n"
          "# tests/native/golden_models_test.cpp writes it.\n";
  for (const Record& record : records) {
    file << '\n';
    for (const std::string key : {"name",          "task",        "num_symbols", "num_items",
                                  "num_names",     "num_values",  "num_pairs",   "num_questions",
                                  "length",        "offset",      "min_period",  "max_period",
                                  "batch_seed",    "batch_size",  "first",       "vocabulary_size",
                                  "max_length",    "num_hiddens", "num_heads",   "num_layers",
                                  "positions",     "layer_norm",  "bias",        "dropout",
                                  "learning_rate", "seed"}) {
      if (record.has(key)) {
        file << key << ' ' << record.text(key) << '\n';
      }
    }
    const auto [tokens, targets, keys] = batch_of(record);
    file << "tokens " << decimal(tokens) << "\ntargets " << decimal(targets) << "\nkeys "
         << decimal(keys) << '\n';
    if (record.has("num_hiddens")) {
      for (const auto& [name, numbers] : results_of(record)) {
        file << name << ' ' << decimal(numbers) << '\n';
      }
    }
  }
}

}  // namespace
}  // namespace headwise::test
