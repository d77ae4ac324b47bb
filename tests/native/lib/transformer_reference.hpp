#pragma once

#include <headwise/headwise.hpp>
#include <map>
#include <string>
#include <vector>

/// The attention-only transformer in float64, as the formula has it.
namespace headwise::test::reference {

/// Parameters by name, and how they are put together.
struct Transformer {
  std::map<std::string, std::vector<double>> parameters;
  std::size_t vocabulary_size, num_hiddens, num_heads, num_layers;
  bool causal, layer_norm, learned_positions;
};

Transformer transformer_of(const AttentionOnlyTransformer& model, std::size_t num_heads);

/// Gates by layer, sample and head.
using Gates = std::vector<std::vector<std::vector<double>>>;
Gates gates_of_1(std::size_t num_layers, std::size_t batch, std::size_t num_heads);

struct TransformerOutput {
  std::vector<double> logits;                ///< (batch, length, vocabulary)
  std::vector<std::vector<double>> weights;  ///< of each layer, (batch, heads, length, length)
};

TransformerOutput forward(const Transformer& model, const Tokens& tokens, const Gates& gates);

/// The mean over targets that are not −1.
double cross_entropy(const std::vector<double>& logits, const Tokens& targets);

}  // namespace headwise::test::reference
