#include "options.hpp"
#include "vectors.hpp"

namespace headwise::test {
namespace {

void add_heads(CallList& calls) {
  calls.call("", "positionalEncoding", 61, 7);
  calls.gives("", positional_encoding(61, 7), 1e-7);
  const Tensor<3> X = randn<3>({2, 3, 8}, 1);
  calls.call("Tensor", "randn", std::vector{2, 3, 8}, 1);
  calls.gives("", X, 1e-6);
  for (const std::int64_t heads : {1, 2, 8}) {
    const Tensor<3> split = transpose_qkv(X, heads);
    calls.call("", "transposeQkv", calls.tensor(X), heads);
    calls.gives("", split, 0);
    calls.call("", "transposeOutput", calls.tensor(split), heads);
    calls.gives("", X, 0);
    calls.call("", "splitHeads", calls.tensor(X), heads);
    calls.gives("", split_heads(X, heads), 0);
  }
}

void add_task(CallList& calls, const std::string& type, const JsonObject& options,
              const Task& task) {
  calls.make("task", type, options);
  for (const auto& [seed, first] :
       {std::pair<std::uint64_t, std::int64_t>{3, 0}, {3 + (1ULL << 32U), 2}, {4, 1LL << 32U}}) {
    calls.call("task", "batch", seed, 6, first);
    const TaskBatch batch = task.batch(seed, 6, first);
    calls.gives("tokens", batch.tokens, 0);
    calls.gives("targets", batch.targets, 0);
    calls.gives("keys", batch.keys, 0);
  }
  calls.has("task", "vocabularySize", static_cast<double>(task.vocabulary_size()));
  calls.has("task", "length", static_cast<double>(task.length()));
}

void add_tasks(CallList& calls) {
  add_task(calls, "CopyTask", JsonObject().set("numSymbols", 5).set("length", 7).set("offset", 6),
           CopyTask({.num_symbols = 5, .length = 7, .offset = 6}));
  add_task(calls, "CopyTask", JsonObject().set("numSymbols", 5).set("length", 7),
           CopyTask({.num_symbols = 5, .length = 7}));
  add_task(calls, "ReverseTask", JsonObject().set("numSymbols", 3).set("numItems", 5),
           ReverseTask({.num_symbols = 3, .num_items = 5}));
  add_task(calls, "SortTask", JsonObject().set("numSymbols", 6).set("numItems", 6),
           SortTask({.num_symbols = 6, .num_items = 6}));
  add_task(
      calls, "AssociativeRecallTask",
      JsonObject().set("numNames", 4).set("numValues", 3).set("numPairs", 3).set("numQuestions", 2),
      AssociativeRecallTask({.num_names = 4, .num_values = 3, .num_pairs = 3, .num_questions = 2}));
  add_task(
      calls, "InductionTask",
      JsonObject().set("numSymbols", 9).set("length", 12).set("minPeriod", 3).set("maxPeriod", 9),
      InductionTask({.num_symbols = 9, .length = 12, .min_period = 3, .max_period = 9}));
}

/// What attention weights of a small model say of its heads.
void add_scores(CallList& calls) {
  const InductionTask task({.num_symbols = 9, .length = 12, .min_period = 3, .max_period = 9});
  const TaskBatch batch = task.batch(1, 4);
  AttentionOnlyTransformer model(
      {.vocabulary_size = 9, .max_length = 12, .num_hiddens = 8, .num_heads = 4, .seed = 1});
  const Tensor<4> weights =
      model.forward(batch.tokens, {.return_weights = true}).attention_weights[0];
  const Json given = calls.tensor(weights);
  for (const bool causal : {true, false}) {
    calls.call("", "patternScores", given, JsonObject().set("causal", causal));
    const auto scores = pattern_scores(weights, causal);
    for (std::size_t head = 0; head < scores.size(); ++head) {
      const std::string prefix = std::to_string(head) + ".";
      calls.gives(prefix + "previousToken", scores[head].previous_token, 1e-6);
      calls.gives(prefix + "firstToken", scores[head].first_token, 1e-6);
      calls.gives(prefix + "diagonal", scores[head].diagonal, 1e-6);
      calls.gives(prefix + "uniform", scores[head].uniform, 1e-6);
    }
  }
  const auto gives = [&](const std::vector<double>& scores) {
    calls.gives("", {scores.size()}, scores, 1e-6);
  };
  calls.call("", "inductionScores", given, calls.tensor(batch.tokens));
  gives(induction_scores(weights, batch.tokens));
  calls.call("", "keyScores", given, calls.tensor(batch.keys));
  gives(key_scores(weights, batch.keys));
}

}  // namespace

VectorFile function_vectors() {
  VectorFile file;
  const auto add = [&](const char* name, void (*add_calls)(CallList&)) {
    CallList calls(file, name);
    add_calls(calls);
    calls.end();
  };
  add("heads and positions", add_heads);
  add("tasks", add_tasks);
  add("scores of heads", add_scores);
  return file;
}

}  // namespace headwise::test
