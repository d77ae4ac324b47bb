#include "planted_model.hpp"

#include <algorithm>
#include <array>

namespace example {
namespace {

using namespace headwise;

constexpr std::int64_t batch_size = 32;
constexpr double first_learning_rate = 0.005;

constexpr std::array<std::array<Role, heads_of_layer>, num_layers> roles = {
    {{Role::sharp, Role::previous_token, Role::quiet, Role::sharp, Role::previous_token,
      Role::quiet},
     {Role::quiet, Role::sharp, Role::induction, Role::quiet, Role::sharp, Role::induction}}};

AttentionOnlyTransformerOptions options_of(std::uint64_t seed) {
  return {.vocabulary_size = 16,
          .max_length = 24,
          .num_hiddens = 48,
          .num_heads = heads_of_layer,
          .num_layers = num_layers,
          .positions = Positions::learned,
          .seed = seed};
}

/// Gates (batch, heads) of a layer that open its planted heads, but for one of the two in two
/// samples of three. So each learns to do without its twin, and to do no harm beside it.
Tensor<2> planting_gates(std::size_t layer, std::size_t batch, std::size_t step) {
  auto gates = Tensor<2>::from_shape({batch, heads_of_layer});
  gates.fill(0.0F);
  for (std::size_t sample = 0; sample < batch; ++sample) {
    std::size_t twin = 0;
    for (std::size_t head = 0; head < heads_of_layer; ++head) {
      if (is_planted(roles[layer][head])) {
        gates(sample, head) = twin++ == (sample + step) % 3 ? 0.0F : 1.0F;
      }
    }
  }
  return gates;
}

}  // namespace

std::string name_of(Role role) {
  constexpr std::array<const char*, 4> names = {"previous token", "induction", "sharp", "quiet"};
  return names[static_cast<std::size_t>(role)];
}

Role role_of(const Head& head) { return roles[head.layer][head.number]; }

std::vector<Head> all_heads() {
  std::vector<Head> heads;
  for (std::size_t layer = 0; layer < num_layers; ++layer) {
    for (std::size_t number = 0; number < heads_of_layer; ++number) {
      heads.push_back({.layer = layer, .number = number});
    }
  }
  return heads;
}

PlantedModel::PlantedModel(std::uint64_t seed, const Effort& effort)
    : seed_(seed),
      effort_(effort),
      task_({.num_symbols = 16, .length = 24, .min_period = 6, .max_period = 12}),
      model_(options_of(seed)) {
  plant();
  sharpen();
  for (std::int64_t step = effort.planting; step < effort.planting + effort.settling; ++step) {
    slow_down(step);
    const TaskBatch batch = training_batch(step);
    model_.train_step(batch.tokens, batch.targets);
  }
}

/// The learning rate falls to 0 with the last step, so that none throws about what is learnt:
/// models then hardly depend on how the processor rounds.
void PlantedModel::slow_down(std::int64_t step) {
  const auto steps = static_cast<double>(effort_.planting + effort_.settling);
  model_.optimizer().set_learning_rate(first_learning_rate *
                                       (1 - static_cast<double>(step) / steps));
}

/// A head whose gate is 0 adds nothing and gets no gradient: it stays as it was drawn.
void PlantedModel::plant() {
  for (std::int64_t step = 0; step < effort_.planting; ++step) {
    slow_down(step);
    const TaskBatch batch = training_batch(step);
    TransformerForwardOptions options;
    for (std::size_t layer = 0; layer < num_layers; ++layer) {
      options.head_gates.emplace_back(
          planting_gates(layer, batch.tokens.shape(0), static_cast<std::size_t>(step)));
    }
    model_.zero_gradients();
    model_.loss_and_gradients(batch.tokens, batch.targets, options);
    model_.optimizer().step();
  }
}

/// Scores of the sharp heads are multiplied, so that softmax leaves all weight to one key.
void PlantedModel::sharpen() {
  constexpr float factor = 30.0F;
  StateDict dict = model_.state_dict();
  for (const Head& head : all_heads()) {
    if (role_of(head) == Role::sharp) {
      auto& W_q = dict.at("layers." + std::to_string(head.layer) + ".attention.W_q.weight");
      const std::size_t floats = W_q.size() / heads_of_layer;
      float* rows = W_q.data() + head.number * floats;
      for (std::size_t i = 0; i < floats; ++i) {
        rows[i] *= factor;
      }
    }
  }
  model_.load_state_dict(dict);
}

AttentionOnlyTransformer PlantedModel::copy() const {
  AttentionOnlyTransformer result(options_of(seed_));
  result.load_state_dict(model_.state_dict());
  return result;
}

TaskBatch PlantedModel::training_batch(std::int64_t number) const {
  return task_.batch(seed_, batch_size, batch_size * number);
}

TaskBatch PlantedModel::measuring_batch() const {
  return task_.batch(seed_ + 1000, effort_.sequences);
}

TaskBatch PlantedModel::test_batch() const { return task_.batch(seed_ + 2000, effort_.sequences); }

std::vector<double> PlantedModel::previous_token_scores() {
  std::vector<double> scores;
  const TransformerResult result = model_.forward(test_batch().tokens, {.return_weights = true});
  for (const Tensor<4>& weights : result.attention_weights) {
    for (const PatternScores& of_head : pattern_scores(weights, model_.causal())) {
      scores.push_back(of_head.previous_token);
    }
  }
  return scores;
}

std::vector<double> PlantedModel::induction_scores() {
  std::vector<double> scores;
  const Tokens tokens = test_batch().tokens;
  const TransformerResult result = model_.forward(tokens, {.return_weights = true});
  for (const Tensor<4>& weights : result.attention_weights) {
    for (const double of_head : headwise::induction_scores(weights, tokens)) {
      scores.push_back(of_head);
    }
  }
  return scores;
}

double PlantedModel::loss_without(std::initializer_list<Role> shut) {
  TransformerForwardOptions options;
  for (const auto& of_layer : roles) {
    Tensor<1> gates = Tensor<1>::from_shape({heads_of_layer});
    std::ranges::transform(of_layer, gates.begin(), [&](Role role) {
      return std::ranges::find(shut, role) == shut.end() ? 1.0F : 0.0F;
    });
    options.head_gates.emplace_back(gates);
  }
  const TaskBatch batch = test_batch();
  return model_.loss(batch.tokens, batch.targets, options);
}

}  // namespace example
