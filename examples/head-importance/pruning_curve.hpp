#pragma once

#include <string>
#include <vector>

#include "planted_model.hpp"

/// What becomes of a model as its heads go, the least important first.
namespace example {

/// A number for each head by which it goes the later the larger the number is.
struct Measure {
  std::string name;
  headwise::HeadImportanceOptions options;
  /// Low entropy, not high, is taken for importance.
  float sign = 1;
};

const std::vector<Measure>& measures();

/// A model with some of its heads gone.
class PrunedModel {
 public:
  explicit PrunedModel(const PlantedModel& planted);

  [[nodiscard]] std::size_t num_heads() const;
  /// Heads that may go: a layer keeps its last one.
  [[nodiscard]] std::vector<Head> removable() const;
  void remove(const Head& head);

  /// By `place_of`; of heads that are gone, 0.
  [[nodiscard]] std::vector<float> importance(const Measure& measure,
                                              const headwise::TaskBatch& batch);

  [[nodiscard]] headwise::AttentionOnlyTransformer& model() { return model_; }

 private:
  headwise::AttentionOnlyTransformer model_;
  /// Numbers that the heads left had before any went.
  std::vector<std::vector<std::size_t>> left_;
};

struct CurvePoint {
  std::size_t kept = 0;
  double loss = 0;
  double accuracy = 0;    ///< share of the targets that have the largest logit
  double forward_ms = 0;  ///< of the test sequences
  double step_ms = 0;     ///< of training on a batch
};

struct PruningCurve {
  std::string order;
  std::vector<CurvePoint> points;  ///< from all heads to one a layer
  std::vector<Head> gone;          ///< in the order in which they went
};

/// By a measure taken once, of the whole model.
PruningCurve prune_by(const PlantedModel& planted, const Measure& measure);
/// By a measure taken again of what is left after each head that went.
PruningCurve prune_by_measuring_anew(const PlantedModel& planted, const Measure& measure);
PruningCurve prune_at_random(const PlantedModel& planted, std::uint64_t seed, std::size_t number);

}  // namespace example
