#pragma once

#include <headwise/headwise.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "text.hpp"

/// What becomes of a model as its heads go, the least important first.
namespace example {

/// Heads of a layer that share a key-value head, and so can only go together: one head, unless the
/// model has grouped queries.
struct HeadGroup {
  std::size_t layer;
  std::size_t first;
  std::size_t count;
};

/// Every group, layer by layer.
std::vector<HeadGroup> all_groups(const headwise::Transformer& model);

std::size_t count_heads(std::span<const HeadGroup> groups);

/// A number for each head by which it goes the later the larger the number is.
struct Measure {
  std::string name;
  headwise::HeadMeasure measure;
  /// Low entropy, not high, is taken for importance.
  float sign = 1;
};

const std::vector<Measure>& all_measures();

/// The measure of every head, (heads,) for each layer, as `measure_head_importance` gives it.
using Importance = std::vector<headwise::Tensor<1>>;

Importance measure_heads(const headwise::Transformer& model, const Measure& measure,
                         const Batches& batches);

struct Order {
  std::string name;
  std::vector<HeadGroup> going;
  /// The last group of each layer, which stays however unimportant it is.
  std::vector<HeadGroup> staying;
};

/// The groups by the mean importance of their heads, the least important first.
Order order_of(const headwise::Transformer& model, const Measure& measure,
               const Importance& importance);

Order random_order(const headwise::Transformer& model, std::uint64_t seed, std::size_t number);

/// A copy of the model without these heads.
headwise::Transformer pruned(const headwise::Transformer& model, std::span<const HeadGroup> gone);

struct CurvePoint {
  std::size_t gone;              ///< heads
  std::vector<HeadGroup> since;  ///< those of them that went since the point before
  double loss;                   ///< on the text to test on
};

struct PruningCurve {
  Order order;
  std::vector<CurvePoint> points;
};

/// The loss with all heads, and after about every (groups / steps)-th group that goes.
PruningCurve prune(const headwise::Transformer& model, Order order, const Batches& testing,
                   std::size_t steps);

/// The same by a measure that is taken again, of what is left, before each of these steps.
PruningCurve prune_anew(const headwise::Transformer& model, const Measure& measure,
                        const Text& text, std::size_t steps);

/// The heads that can go until the loss first grows by this share.
std::size_t heads_within(const PruningCurve& curve, double share);

struct Speed {
  std::size_t heads;
  double prefill;     ///< tokens a second of forward over the text to test on
  double generation;  ///< tokens a second of `generate` behind a few tokens
};

/// Speeds with all heads, with half of those gone that go, and with all of them gone: medians of
/// rounds in which the models take turns.
std::vector<Speed> measure_speed(const headwise::Transformer& model, const Order& order,
                                 const Batches& testing);

}  // namespace example
