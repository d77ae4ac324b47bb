#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

/// Calls of the library drawn at random, all options crossed.
namespace headwise::test {

/// Random choices, the same for the same seed on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept;
  /// From 0 to n − 1.
  std::size_t below(std::size_t n) noexcept { return static_cast<std::size_t>(next() % n); }
  bool chance(double probability) noexcept;
  template <typename Value>
  Value pick(std::initializer_list<Value> values) noexcept {
    return values.begin()[below(values.size())];
  }

 private:
  std::uint64_t state_;
};

enum class Call {
  layer,
  scaled_dot_product_attention,
  dot_product_attention,
  additive_attention,
  masked_softmax,
};
enum class LensKind { none, by_sample, by_query };
enum class MaskKind { none, boolean, added };
enum class GateKind { none, by_head, by_sample };
enum class PositionKind { none, shared, by_sample };
/// What the layer's cache is for: keys are added to it, or attended to as they are.
enum class CacheUse { none, growing, fixed };
/// What the layer has been through: its parameters were loaded, and then it was copied or moved; it
/// was used before with other parameters, which were loaded or written where they lie.
enum class History { loaded, copied, moved, used, written };

/// One call and all that it depends on. As it stands it is the smallest there is.
struct Configuration {
  Call call = Call::layer;
  std::uint64_t numbers = 1;  ///< seed of every number that is not written here

  std::size_t batch = 1;
  std::size_t queries = 1;
  std::size_t keys = 1;  ///< given with the call
  std::size_t heads = 1;
  std::size_t kv_heads = 1;
  std::size_t head_size = 1;
  std::size_t query_size = 1;
  std::size_t key_size = 1;
  std::size_t value_size = 1;
  bool batch_axis = true;

  Pooling pooling = Pooling::dot_product;
  Projection projection = Projection::linear;
  std::size_t attention_hiddens = 0;  ///< 0 is the default
  std::size_t output_size = 0;        ///< 0 is the default
  bool output_projection = true;
  bool bias = false;
  bool bias_kv = false;
  bool zero_attention = false;
  std::optional<double> scale = {};
  double softcap = 0;
  bool rotary = false;
  double rotary_base = 10000;
  std::size_t rotary_size = 0;  ///< 0 is the default
  bool rotary_interleaved = false;
  PositionKind positions = PositionKind::none;
  bool sizes_inferred = false;

  LensKind lens = LensKind::none;
  MaskKind mask = MaskKind::none;
  std::size_t mask_missing_axes = 0;  ///< of the first ones
  std::size_t mask_repeats = 0;       ///< a bit an axis, from the last on: its size is 1
  Causal causal = Causal::none;
  bool window = false;
  std::optional<std::int64_t> window_left = {};
  std::optional<std::int64_t> window_right = {};
  std::int64_t query_offset = 0;
  GateKind gate = GateKind::none;
  CacheUse cache = CacheUse::none;
  std::size_t cached = 0;  ///< positions in the cache before the call
  EmptyRows empty_rows = EmptyRows::zero;
  WeightsStage stage = WeightsStage::softmax;

  bool poisoned = false;   ///< whether NaN and infinities are planted in some inputs
  bool gradients = false;  ///< whether the gradients are compared, too
  double dropout = 0;      ///< for these

  History history = History::loaded;
  /// Groups of heads that the layer has at first and that are pruned: bit g is one before group g.
  std::size_t pruned_groups = 0;

  [[nodiscard]] std::size_t all_keys() const noexcept { return cached + keys; }
};

Configuration random_configuration(std::uint64_t seed);

/// The configuration of a layer with a random history. Vectors for the package have none.
Configuration with_random_history(Configuration configuration, std::uint64_t seed);

/// The configuration as C++: what differs from the smallest.
std::string to_code(const Configuration& configuration);

/// Configurations that are a step smaller: one option less, or one size.
std::vector<Configuration> smaller_configurations(const Configuration& configuration);

/// Drops what the library would refuse.
Configuration settled(Configuration configuration);

}  // namespace headwise::test
