#include "transformer_problem.hpp"

#include "compare.hpp"

namespace headwise::test {
namespace {

/// Numbers that mean nothing, from `first` to below `end`.
Tokens any_tokens(std::size_t batch, std::size_t length, std::int64_t first, std::int64_t end) {
  Tokens tokens = Tokens::from_shape({batch, length});
  std::int64_t number = 3;
  for (std::int64_t& token : tokens) {
    number = (number * 31 + 17) % 1009;
    token = first + number % (end - first);
  }
  return tokens;
}

TransformerProblem make(std::string name, const AttentionOnlyTransformerOptions& options,
                        std::size_t batch, std::size_t length, std::vector<HeadGate> gates = {}) {
  TransformerProblem problem{.name = std::move(name),
                             .options = options,
                             .tokens = any_tokens(batch, length, 0, options.vocabulary_size),
                             .targets = any_tokens(length, batch, -1, options.vocabulary_size),
                             .gates = std::move(gates)};
  problem.targets.reshape({batch, length});
  problem.targets(0, 0) = 0;
  return problem;
}

}  // namespace

std::vector<TransformerProblem> transformer_problems() {
  const AttentionOnlyTransformerOptions plain{.vocabulary_size = 5,
                                              .max_length = 7,
                                              .num_hiddens = 6,
                                              .num_heads = 3,
                                              .num_layers = 2,
                                              .seed = 1};
  AttentionOnlyTransformerOptions all = plain;
  all.positions = Positions::learned;
  all.causal = false;
  all.layer_norm = true;
  all.bias = true;
  AttentionOnlyTransformerOptions norm = plain;
  norm.layer_norm = true;
  AttentionOnlyTransformerOptions learned = plain;
  learned.positions = Positions::learned;
  AttentionOnlyTransformerOptions small{.vocabulary_size = 1,
                                        .max_length = 1,
                                        .num_hiddens = 1,
                                        .num_heads = 1,
                                        .layer_norm = true,
                                        .seed = 2};
  AttentionOnlyTransformerOptions wide{.vocabulary_size = 33,
                                       .max_length = 9,
                                       .num_hiddens = 10,
                                       .num_heads = 2,
                                       .num_layers = 3,
                                       .seed = 3};
  const std::vector<HeadGate> gates = {Tensor<1>{0.5F, 0, 2}, HeadGate{}};
  const std::vector<HeadGate> gates_by_sample = {randn<2>({2, 3}, 1), randn<2>({2, 3}, 2)};
  TransformerProblem heads_gone = make("heads gone", wide, 2, 4);
  heads_gone.pruned = {{0, {1}}, {2, {0}}};
  return {make("plain", plain, 2, 7),
          make("one token", plain, 1, 1),
          make("gates", plain, 2, 3, gates),
          make("norm", norm, 3, 4),
          make("learned positions", learned, 2, 3),
          make("all of size 1", small, 1, 1),
          make("no square", wide, 1, 9),
          heads_gone,
          make("gates by sample", norm, 2, 5, gates_by_sample),
          make("all options", all, 2, 5, gates_by_sample)};
}

AttentionOnlyTransformer model_of(const TransformerProblem& problem) {
  AttentionOnlyTransformer model(problem.options);
  StateDict dict = model.state_dict();
  std::uint64_t seed = 0;
  for (auto& [name, tensor] : dict) {
    if (name.find("norm.") != std::string::npos) {
      fill_normal(tensor.data(), tensor.size(), ++seed);
    }
  }
  model.load_state_dict(dict);
  model.prune_heads(problem.pruned);
  return model;
}

reference::Transformer reference_of(const TransformerProblem& problem,
                                    const AttentionOnlyTransformer& model) {
  const std::int64_t head_size = problem.options.num_hiddens / problem.options.num_heads;
  return reference::transformer_of(model, static_cast<std::size_t>(head_size));
}

reference::Gates gates_of(const TransformerProblem& problem, const reference::Transformer& model) {
  auto gates = reference::gates_of_1(model, problem.tokens.shape(0));
  for (std::size_t layer = 0; layer < problem.gates.size(); ++layer) {
    for (std::size_t sample = 0; sample < gates[layer].size(); ++sample) {
      for (std::size_t head = 0; head < gates[layer][sample].size(); ++head) {
        if (const auto* all = std::get_if<1>(&problem.gates[layer])) {
          gates[layer][sample][head] = (*all)(head);
        } else if (const auto* by_sample = std::get_if<2>(&problem.gates[layer])) {
          gates[layer][sample][head] = (*by_sample)(sample, head);
        }
      }
    }
  }
  return gates;
}

}  // namespace headwise::test
