#include "pruning_curve.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>

namespace example {
namespace {

using namespace headwise;

template <typename Function>
double milliseconds_of(const Function& function) {
  const auto began = std::chrono::steady_clock::now();
  function();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  return took.count();
}

double accuracy_of(const Tensor<3>& logits, const Tokens& targets) {
  const auto vocabulary_size = static_cast<std::ptrdiff_t>(logits.shape(2));
  const float* row = logits.data();
  double asked = 0;
  double right = 0;
  for (const std::int64_t target : targets) {
    if (target >= 0) {
      asked += 1;
      right += std::max_element(row, row + vocabulary_size) - row == target ? 1 : 0;
    }
    row += vocabulary_size;
  }
  return right / asked;
}

CurvePoint point_of(PrunedModel& pruned, const PlantedModel& planted) {
  const TaskBatch test = planted.test_batch();
  const TaskBatch training = planted.training_batch(0);
  AttentionOnlyTransformer& model = pruned.model();
  CurvePoint point{.kept = pruned.num_heads()};
  TransformerResult result;
  point.forward_ms = milliseconds_of([&] { result = model.forward(test.tokens); });
  point.loss = cross_entropy(result.logits, test.targets);
  point.accuracy = accuracy_of(result.logits, test.targets);
  // A step that changes nothing but takes as long as any.
  SGD still(model.trainables(), {.learning_rate = 0});
  point.step_ms =
      milliseconds_of([&] { model.train_step(training.tokens, training.targets, still); });
  return point;
}

/// `importance_of` is asked before each head that goes.
template <typename Function>
PruningCurve prune(const PlantedModel& planted, std::string order, Function importance_of) {
  PrunedModel pruned(planted);
  PruningCurve curve{.order = std::move(order), .points = {point_of(pruned, planted)}, .gone = {}};
  while (pruned.num_heads() > num_layers) {
    const std::vector<float>& importance = importance_of(pruned);
    const std::vector<Head> heads = pruned.removable();
    curve.gone.push_back(*std::ranges::min_element(
        heads, {}, [&](const Head& head) { return importance[place_of(head)]; }));
    pruned.remove(curve.gone.back());
    curve.points.push_back(point_of(pruned, planted));
  }
  return curve;
}

}  // namespace

const std::vector<Measure>& measures() {
  static const std::vector<Measure> all = {
      {.name = "gradient", .options = {.measure = HeadMeasure::gradient}},
      {.name = "gradient-normalized",
       .options = {.measure = HeadMeasure::gradient, .normalize = true}},
      {.name = "ablation", .options = {.measure = HeadMeasure::ablation}},
      {.name = "confidence", .options = {.measure = HeadMeasure::confidence}},
      {.name = "entropy", .options = {.measure = HeadMeasure::entropy}, .sign = -1}};
  return all;
}

PrunedModel::PrunedModel(const PlantedModel& planted) : model_(planted.copy()) {
  left_.resize(num_layers);
  for (const Head& head : all_heads()) {
    left_[head.layer].push_back(head.number);
  }
}

std::size_t PrunedModel::num_heads() const {
  return std::transform_reduce(left_.begin(), left_.end(), std::size_t{0}, std::plus<>(),
                               [](const auto& layer) { return layer.size(); });
}

std::vector<Head> PrunedModel::removable() const {
  std::vector<Head> heads;
  for (std::size_t layer = 0; layer < num_layers; ++layer) {
    for (const std::size_t number : left_[layer]) {
      if (left_[layer].size() > 1) {
        heads.push_back({.layer = layer, .number = number});
      }
    }
  }
  return heads;
}

void PrunedModel::remove(const Head& head) {
  std::vector<std::size_t>& left = left_[head.layer];
  const auto place = std::ranges::find(left, head.number);
  model_.layer(head.layer).prune_heads({place - left.begin()});
  left.erase(place);
}

std::vector<float> PrunedModel::importance(const Measure& measure, const TaskBatch& batch) {
  const std::vector<Tensor<1>> numbers = *measure_head_importance(
      model_, {{.tokens = batch.tokens, .targets = batch.targets}}, measure.options);
  std::vector<float> result(all_heads().size());
  for (std::size_t layer = 0; layer < num_layers; ++layer) {
    for (std::size_t i = 0; i < left_[layer].size(); ++i) {
      result[place_of({.layer = layer, .number = left_[layer][i]})] =
          measure.sign * numbers[layer](i);
    }
  }
  return result;
}

PruningCurve prune_by(const PlantedModel& planted, const Measure& measure) {
  const std::vector<float> importance =
      PrunedModel(planted).importance(measure, planted.measuring_batch());
  return prune(planted, measure.name,
               [&](PrunedModel&) -> const std::vector<float>& { return importance; });
}

PruningCurve prune_by_measuring_anew(const PlantedModel& planted, const Measure& measure) {
  const TaskBatch batch = planted.measuring_batch();
  return prune(planted, measure.name + "-anew",
               [&](PrunedModel& pruned) { return pruned.importance(measure, batch); });
}

PruningCurve prune_at_random(const PlantedModel& planted, std::uint64_t seed, std::size_t number) {
  std::vector<std::int32_t> order(all_heads().size());
  std::iota(order.begin(), order.end(), 0);
  std::seed_seq seeds{seed, static_cast<std::uint64_t>(number)};
  std::mt19937 random(seeds);
  std::ranges::shuffle(order, random);
  const std::vector<float> importance(order.begin(), order.end());
  return prune(planted, "random-" + std::to_string(number + 1),
               [&](PrunedModel&) -> const std::vector<float>& { return importance; });
}

}  // namespace example
