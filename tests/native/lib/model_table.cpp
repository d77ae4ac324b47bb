#include "model_table.hpp"

#include <algorithm>

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

Tokens tokens_of(const Record& record, const std::string& key) {
  Tokens tokens = Tokens::from_shape(shape_of<2>(record, key + "_shape"));
  std::ranges::copy(record.numbers<std::int64_t>(key), tokens.begin());
  return tokens;
}

}  // namespace headwise::test
