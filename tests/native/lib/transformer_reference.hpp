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
  std::size_t vocabulary_size, num_hiddens, num_layers;
  std::vector<std::size_t> num_heads;  ///< of each layer
  std::size_t head_size;
  bool causal, layer_norm, learned_positions;
};

Transformer transformer_of(const AttentionOnlyTransformer& model, std::size_t head_size);

/// Gates by layer, sample and head.
using Gates = std::vector<std::vector<std::vector<double>>>;
Gates gates_of_1(const Transformer& model, std::size_t batch);

struct TransformerOutput {
  std::vector<double> logits;                ///< (batch, length, vocabulary)
  std::vector<std::vector<double>> weights;  ///< of each layer, (batch, heads, length, length)
};

TransformerOutput forward(const Transformer& model, const Tokens& tokens, const Gates& gates);

/// The mean over targets that are not −1.
double cross_entropy(const std::vector<double>& logits, const Tokens& targets);

/// How the loss changes with every number, by central differences.
struct TransformerSlopes {
  std::map<std::string, std::vector<double>> parameters;
  std::vector<std::vector<double>> head_gates;  ///< of each layer, (batch, heads)
};

TransformerSlopes slopes_of_loss(Transformer model, const Tokens& tokens, const Tokens& targets,
                                 Gates gates);

}  // namespace headwise::test::reference
