#pragma once

#include <headwise/headwise.hpp>
#include <initializer_list>
#include <string>
#include <vector>

/// A trained model of which it is known which heads do the work, because no others were there to do
/// it while it learnt.
namespace example {

/// What a head was meant for.
enum class Role {
  previous_token,  ///< planted in layer 0: looks at the token before
  induction,       ///< planted in layer 1: looks at what followed the same token before
  sharp,           ///< none, with queries so large that it looks hard at one key
  quiet,           ///< none, as it was drawn
};

std::string name_of(Role role);
inline bool is_planted(Role role) {
  return role == Role::previous_token || role == Role::induction;
}

struct Head {
  std::size_t layer;
  std::size_t number;  ///< within its layer, as the model was trained
};

inline constexpr std::size_t num_layers = 2;
inline constexpr std::size_t heads_of_layer = 6;
inline constexpr std::size_t num_planted = 4;

Role role_of(const Head& head);
/// Layer by layer.
std::vector<Head> all_heads();

/// For all twelve heads.
inline std::size_t place_of(const Head& head) { return head.layer * heads_of_layer + head.number; }

/// How much is done for the figures.
struct Effort {
  std::int64_t planting;   ///< steps of training with the planted heads alone
  std::int64_t settling;   ///< steps with all heads
  std::int64_t sequences;  ///< to measure heads on, and as many to test on
  std::uint64_t seeds;
  std::size_t random_orders;  ///< for each seed
};

/// Every role has two heads, each of which was trained to do without the other.
class PlantedModel {
 public:
  PlantedModel(std::uint64_t seed, const Effort& effort);

  /// A model of its own, to be pruned.
  [[nodiscard]] headwise::AttentionOnlyTransformer copy() const;

  /// Sequences: those to measure heads on and those to test on are never trained on.
  [[nodiscard]] headwise::TaskBatch training_batch(std::int64_t number) const;
  [[nodiscard]] headwise::TaskBatch measuring_batch() const;
  [[nodiscard]] headwise::TaskBatch test_batch() const;

  /// How much each head does what its role is called, on the test batch; by `place_of`.
  [[nodiscard]] std::vector<double> previous_token_scores();
  [[nodiscard]] std::vector<double> induction_scores();
  /// The loss on the test batch, with the heads of these roles shut.
  [[nodiscard]] double loss_without(std::initializer_list<Role> shut);

 private:
  void plant();
  void slow_down(std::int64_t step);
  void sharpen();

  std::uint64_t seed_;
  Effort effort_;
  headwise::InductionTask task_;
  headwise::AttentionOnlyTransformer model_;
};

}  // namespace example
