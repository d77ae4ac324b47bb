#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "compare.hpp"
#include "set_threads.hpp"

namespace headwise::test {
namespace {

Tokens some_tokens(std::size_t batch, std::size_t length, std::int64_t step) {
  Tokens tokens = Tokens::from_shape({batch, length});
  std::int64_t number = 7;
  for (std::int64_t& token : tokens) {
    number = (number * step + 11) % 1009;
    token = number % 300;
  }
  return tokens;
}

/// All numbers of two steps of training and of a forward behind them, with as many threads.
std::vector<float> results_with(std::int64_t threads, const TransformerOptions& options) {
  const SetThreads set(threads);
  Transformer model(options);
  TransformerForwardOptions pass;
  if (options.encoder) {
    pass.source = some_tokens(6, 50, 29);
    pass.source_valid_lens = LensBySample{50, 3, 17, 0, 31, 49};
  }
  std::vector<float> all;
  const auto add = [&](const auto& tensor) { all.insert(all.end(), tensor.begin(), tensor.end()); };
  const Tokens tokens = some_tokens(6, 64, 31);
  for (int step = 0; step < 2; ++step) {
    all.push_back(static_cast<float>(model.train_step(tokens, tokens, pass)));
  }
  for (const StateDict& tensors : {model.state_dict(), model.gradients()}) {
    for (const auto& [name, tensor] : tensors) {
      add(tensor);
    }
  }
  for (const auto& gradient : model.loss_and_gradients(tokens, tokens, pass).head_gates) {
    add(gradient);
  }
  pass.return_weights = true;
  const TransformerResult result = model.forward(tokens, pass);
  add(result.logits);
  add(result.hidden);
  for (const auto& weights : result.attention_weights) {
    add(weights);
  }
  return all;
}

TransformerOptions large() {
  TransformerOptions options;
  options.vocabulary_size = 300;
  options.max_length = 64;
  options.num_hiddens = 96;
  options.num_heads = 4;
  options.num_layers = 2;
  options.dropout = 0.1;
  options.seed = 1;
  return options;
}

TEST_CASE("What a gated model learns does not depend on the number of threads") {
  TransformerOptions options = large();
  options.gated = true;
  options.activation = Activation::silu;
  options.norm = Norm::rms;
  options.positions = Positions::rotary;
  options.num_kv_heads = 2;
  const std::vector<float> alone = results_with(1, options);
  CHECK(all_finite(alone));
  CHECK((results_with(2, options) == alone));
  CHECK((results_with(5, options) == alone));
}

TEST_CASE("What an encoder and a decoder learn does not depend on the number of threads") {
  TransformerOptions options = large();
  options.encoder = EncoderOptions{.num_layers = 2};
  options.norm_first = false;
  options.embedding_norm = true;
  const std::vector<float> alone = results_with(1, options);
  CHECK(all_finite(alone));
  CHECK((results_with(2, options) == alone));
  CHECK((results_with(5, options) == alone));
}

}  // namespace
}  // namespace headwise::test
