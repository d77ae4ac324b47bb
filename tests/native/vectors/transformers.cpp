#include "options.hpp"
#include "transformer_problem.hpp"
#include "vectors.hpp"

namespace headwise::test {
namespace {

JsonObject json_of(const AttentionOnlyTransformerOptions& options) {
  return JsonObject()
      .set("vocabularySize", options.vocabulary_size)
      .set("maxLength", options.max_length)
      .set("numHiddens", options.num_hiddens)
      .set("numHeads", options.num_heads)
      .set("numLayers", options.num_layers)
      .set("positions", options.positions == Positions::learned ? "learned" : "sinusoidal")
      .set("causal", options.causal)
      .set("layerNorm", options.layer_norm)
      .set("bias", options.bias)
      .set("seed", options.seed);
}

JsonObject json_of(const std::map<std::int64_t, std::vector<std::int64_t>>& pruned) {
  JsonObject heads;
  for (const auto& [layer, gone] : pruned) {
    heads.set(std::to_string(layer), gone);
  }
  return heads;
}

void add_gates(VectorFile& file, const TransformerProblem& problem) {
  for (std::size_t layer = 0; layer < problem.gates.size(); ++layer) {
    const ForwardOptions gate{.head_gate = problem.gates[layer]};
    add_mask_tensors(file, "layer." + std::to_string(layer) + ".", gate);
  }
}

void add_problem(VectorFile& file, const TransformerProblem& problem) {
  const AttentionOnlyTransformer model = model_of(problem);
  const auto reference = reference_of(problem, model);
  const auto gates = gates_of(problem, reference);
  const std::size_t batch = problem.tokens.shape(0);
  const std::size_t length = problem.tokens.shape(1);
  const StateDict parameters = model.state_dict();
  file.add("in.tokens", problem.tokens);
  file.add("in.targets", problem.targets);
  add_parameters(file, "param.", parameters);
  add_gates(file, problem);
  const auto output = reference::forward(reference, problem.tokens, gates);
  file.add("out.logits", {batch, length, reference.vocabulary_size}, output.logits);
  const auto slopes = reference::slopes_of_loss(reference, problem.tokens, problem.targets, gates);
  for (const auto& [name, tensor] : parameters) {
    file.add("grad." + name, {tensor.shape().begin(), tensor.shape().end()},
             slopes.parameters.at(name));
  }
  for (std::size_t layer = 0; layer < reference.num_layers; ++layer) {
    const std::string prefix = "layer." + std::to_string(layer) + ".";
    const std::size_t heads = reference.num_heads[layer];
    file.add(prefix + "attentionWeights", {batch, heads, length, length}, output.weights[layer]);
    file.add(prefix + "gateGradient", {batch, heads}, slopes.head_gates[layer]);
  }
  file.add_case(JsonObject()
                    .set("name", problem.name)
                    .set("options", json_of(problem.options))
                    .set("pruned", json_of(problem.pruned))
                    .set("loss", reference::cross_entropy(output.logits, problem.targets)));
}

}  // namespace

VectorFile transformer_vectors() {
  VectorFile file;
  for (const TransformerProblem& problem : transformer_problems()) {
    add_problem(file, problem);
  }
  return file;
}

}  // namespace headwise::test
