#include "model_table.hpp"

#include <algorithm>
#include <map>

#include "table.hpp"

namespace headwise::test {

std::unique_ptr<Task> task_of(const Record& record) {
  const auto size = [&](const std::string& key, std::int64_t otherwise = 0) {
    return record.number<std::int64_t>(key, otherwise);
  };
  const std::string& task = record.text("task");
  if (task == "copy") {
    return std::make_unique<CopyTask>(CopyOptions{
        .num_symbols = size("num_symbols"), .length = size("length"), .offset = size("offset", 1)});
  }
  if (task == "associative_recall") {
    return std::make_unique<AssociativeRecallTask>(
        AssociativeRecallOptions{.num_names = size("num_names"),
                                 .num_values = size("num_values"),
                                 .num_pairs = size("num_pairs"),
                                 .num_questions = size("num_questions", 1)});
  }
  if (task == "induction") {
    return std::make_unique<InductionTask>(InductionOptions{.num_symbols = size("num_symbols"),
                                                            .length = size("length"),
                                                            .min_period = size("min_period"),
                                                            .max_period = size("max_period")});
  }
  const SequenceOptions options{.num_symbols = size("num_symbols"), .num_items = size("num_items")};
  if (task == "reverse") {
    return std::make_unique<ReverseTask>(options);
  }
  return std::make_unique<SortTask>(options);
}

AttentionOnlyTransformerOptions transformer_options_of(const Record& record) {
  const auto size = [&](const std::string& key, std::int64_t otherwise) {
    return record.number<std::int64_t>(key, otherwise);
  };
  const bool learned = record.has("positions") && record.text("positions") == "learned";
  return {.vocabulary_size = size("vocabulary_size", 5),
          .max_length = size("max_length", 4),
          .num_hiddens = size("num_hiddens", 6),
          .num_heads = size("num_heads", 2),
          .num_layers = size("num_layers", 2),
          .positions = learned ? Positions::learned : Positions::sinusoidal,
          .causal = record.number<int>("causal", 1) != 0,
          .layer_norm = record.number<int>("layer_norm") != 0,
          .bias = record.number<int>("bias") != 0,
          .dropout = record.number<double>("dropout"),
          .seed = record.number<std::uint64_t>("seed", 7),
          .optimizer = {.learning_rate = record.number<double>("learning_rate", 1e-3)}};
}

Tokens tokens_of(const Record& record, const std::string& key) {
  Tokens tokens = Tokens::from_shape(shape_of<2>(record, key + "_shape"));
  std::ranges::copy(record.numbers<std::int64_t>(key), tokens.begin());
  return tokens;
}

HeadMeasure measure_of(const Record& record) {
  static const std::map<std::string, HeadMeasure> measures = {
      {"gradient", HeadMeasure::gradient},
      {"ablation", HeadMeasure::ablation},
      {"confidence", HeadMeasure::confidence},
      {"entropy", HeadMeasure::entropy}};
  return measures.at(record.text("measure"));
}

}  // namespace headwise::test
