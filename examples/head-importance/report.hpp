#pragma once

#include <string>
#include <vector>

#include "pruning_curve.hpp"

/// What is printed and written of the experiment.
namespace example {

/// All that is known of one seed's model.
struct SeedResult {
  std::uint64_t seed;
  double loss;
  // With the gates of some heads shut:
  double loss_without_others;
  double loss_without_previous_token;
  double loss_without_induction;
  double loss_without_planted;
  std::vector<double> previous_token;          ///< scores by `place_of`
  std::vector<double> induction;               ///< scores by `place_of`
  std::vector<std::vector<float>> importance;  ///< of each of `measures`, by `place_of`
  std::vector<PruningCurve> curves;
};

/// Which heads do in fact what they were planted for.
void print_heads(const SeedResult& result);

/// How well each measure, taken of the whole model, tells planted heads from the others.
void print_ranks(const std::vector<SeedResult>& results);

/// Of each order, how soon planted heads go, and the curve of losses and accuracies.
void print_orders(const std::vector<SeedResult>& results);

/// Two files in the folder, comma-separated with a line of names:
///   curve.csv   seed, order, kept, loss, accuracy, forward_ms, step_ms: a line for each number of
///               heads kept; orders are named by their measure, `-anew` where it was taken again
///               after each head, or random-1, random-2, …
///   heads.csv   seed, layer, head, role, previous_token, induction, and each measure: a line for
///               each head of the whole model. Entropy is negated: larger is more important.
/// Throws `std::runtime_error` if they cannot be written.
void write_csv(const std::string& folder, const std::vector<SeedResult>& results);

}  // namespace example
