#include "model_error_calls.hpp"

#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "model_table.hpp"
#include "table.hpp"

namespace headwise::test {
namespace {

bool same(const StateDict& a, const StateDict& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.first == other.first && max_difference(one.second, other.second) == 0;
  });
}

/// A call on a model that must leave it as it was.
void on_model(const Record& record, const std::function<void(AttentionOnlyTransformer&)>& call) {
  auto options = transformer_options_of(record);
  options.optimizer = {};
  AttentionOnlyTransformer model(options);
  const StateDict before = model.state_dict();
  try {
    call(model);
  } catch (const Error&) {
    CHECK(same(model.state_dict(), before));
    CHECK(all_equal(model.gradients().at("embedding.weight"), 0));
    throw;
  }
}

/// The error of `loss`, which the other passes must share.
void pass(const Record& record) {
  on_model(record, [&](AttentionOnlyTransformer& model) {
    const Tokens tokens = tokens_of(record, "tokens");
    const Tokens targets = tokens_of(record, "targets");
    TransformerForwardOptions options;
    for (const std::string& line : record.all("gate")) {
      const auto sizes = sizes_in(Record::words(line), 0);
      options.head_gates.push_back(sizes.empty() ? HeadGate{} : full<1>({sizes[0]}, 1));
    }
    const auto loss = [&] { return model.loss(tokens, targets, options); };
    const std::string expected = error_of(loss);
    CHECK(error_of([&] { return model.loss_and_gradients(tokens, targets, options); }) == expected);
    if (options.head_gates.empty()) {
      CHECK(error_of([&] { return model.train_step(tokens, targets); }) == expected);
    }
    if (!record.text("message").starts_with("targets")) {
      CHECK(error_of([&] { return model.forward(tokens, options); }) == expected);
    }
    static_cast<void>(loss());
  });
}

void load(const Record& record) {
  on_model(record, [&](AttentionOnlyTransformer& model) {
    StateDict dict;
    for (const std::string& line : record.all("parameter")) {
      const auto words = Record::words(line);
      dict[words.at(0)] = xt::xarray<float>::from_shape(sizes_in(words, 1));
    }
    model.load_state_dict(dict);
  });
}

Tensor<4> weights_of(const Record& record) {
  return full<4>(shape_of<4>(record, "attention_weights"), 0);
}

}  // namespace

const std::map<std::string, std::function<void(const Record&)>>& model_error_calls() {
  static const std::map<std::string, std::function<void(const Record&)>> calls = {
      {"construct_task", [](const Record& record) { static_cast<void>(task_of(record)); }},
      {"task_batch",
       [](const Record& record) {
         static_cast<void>(task_of(record)->batch(1, record.number<std::int64_t>("batch_size"),
                                                  record.number<std::int64_t>("first")));
       }},
      {"pattern_scores",
       [](const Record& record) { static_cast<void>(pattern_scores(weights_of(record), true)); }},
      {"induction_scores",
       [](const Record& record) {
         static_cast<void>(induction_scores(weights_of(record), tokens_of(record, "tokens")));
       }},
      {"key_scores",
       [](const Record& record) {
         static_cast<void>(key_scores(weights_of(record), tokens_of(record, "tokens")));
       }},
      {"construct_model",
       [](const Record& record) {
         const AttentionOnlyTransformer model(transformer_options_of(record));
       }},
      {"set_learning_rate",
       [](const Record& record) {
         on_model(record, [&](AttentionOnlyTransformer& model) {
           model.optimizer().set_learning_rate(record.number<double>("learning_rate"));
         });
       }},
      {"model_pass", pass},
      {"load_model", load},
      {"measure_model", [](const Record& record) {
         on_model(record, [&](AttentionOnlyTransformer& model) {
           static_cast<void>(measure_head_importance(
               model, {{tokens_of(record, "tokens"), tokens_of(record, "targets")}},
               {.measure = measure_of(record), .normalize = record.number<int>("normalize") != 0}));
         });
       }}};
  return calls;
}

}  // namespace headwise::test
