#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <initializer_list>
#include <optional>
#include <string>

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
enum class MaskKind { none, boolean, integers, added };
/// Where each sample's padding lies: before its keys, behind them, on both sides, among them.
enum class KeyMaskKind { none, before, behind, around, among };
enum class GateKind { none, by_head, by_sample };
enum class PositionKind { none, shared, by_sample };
/// What the layer's cache is for: keys are added to it, or attended to as they
/// are.
enum class CacheUse { none, growing, fixed };
/// What the layer has been through: its parameters were loaded, and then it was
/// copied or moved; it was used before with other parameters, which were loaded
/// or written where they lie.
enum class History { loaded, copied, moved, used, written };

/// The fields of a configuration: type, name, and the value of the smallest
/// one. A size of 0 is the option's default.
// clang-format off
#define HEADWISE_CONFIGURATION_FIELDS(FIELD)                         \
  FIELD(Call, call, Call::layer)                                     \
  FIELD(std::uint64_t, numbers, 1) /* seed of every random number */ \
  FIELD(std::size_t, batch, 1)                                       \
  FIELD(std::size_t, queries, 1)                                     \
  FIELD(std::size_t, keys, 1) /* given with the call */              \
  FIELD(std::size_t, heads, 1)                                       \
  FIELD(std::size_t, kv_heads, 1)                                    \
  FIELD(std::size_t, head_size, 1)                                   \
  FIELD(std::size_t, query_size, 1)                                  \
  FIELD(std::size_t, key_size, 1)                                    \
  FIELD(std::size_t, value_size, 1)                                  \
  FIELD(bool, batch_axis, true)                                      \
  FIELD(Pooling, pooling, Pooling::dot_product)                      \
  FIELD(Projection, projection, Projection::linear)                  \
  FIELD(std::size_t, attention_hiddens, 0)                           \
  FIELD(std::size_t, output_size, 0)                                 \
  FIELD(bool, output_projection, true)                               \
  FIELD(bool, bias, false)                                           \
  FIELD(bool, bias_kv, false)                                        \
  FIELD(bool, zero_attention, false)                                 \
  FIELD(std::optional<double>, scale, std::nullopt)                  \
  FIELD(double, softcap, 0)                                          \
  FIELD(bool, rotary, false)                                         \
  FIELD(double, rotary_base, 10000)                                  \
  FIELD(std::size_t, rotary_size, 0)                                 \
  FIELD(bool, rotary_interleaved, false)                             \
  FIELD(std::optional<RotaryScaling::Type>, rotary_scaling, std::nullopt) \
  FIELD(PositionKind, positions, PositionKind::none)                 \
  FIELD(bool, sizes_inferred, false)                                 \
  FIELD(LensKind, lens, LensKind::none)                              \
  FIELD(MaskKind, mask, MaskKind::none)                              \
  FIELD(std::size_t, mask_missing_axes, 0) /* of the first ones */   \
  FIELD(std::size_t, mask_repeats, 0) /* bit i: size 1 in the last axis but i */ \
  FIELD(KeyMaskKind, key_mask, KeyMaskKind::none)                    \
  FIELD(Causal, causal, Causal::none)                                \
  FIELD(bool, window, false)                                         \
  FIELD(std::optional<std::int64_t>, window_left, std::nullopt)      \
  FIELD(std::optional<std::int64_t>, window_right, std::nullopt)     \
  FIELD(std::int64_t, query_offset, 0)                               \
  FIELD(GateKind, gate, GateKind::none)                              \
  FIELD(CacheUse, cache, CacheUse::none)                             \
  FIELD(std::size_t, cached, 0) /* positions in the cache before the call */ \
  FIELD(EmptyRows, empty_rows, EmptyRows::zero)                      \
  FIELD(WeightsStage, stage, WeightsStage::softmax)                  \
  FIELD(bool, poisoned, false) /* NaN and infinities in some inputs */ \
  FIELD(bool, gradients, false) /* whether gradients are compared, too */ \
  FIELD(double, dropout, 0) /* for the gradients */                  \
  FIELD(History, history, History::loaded)                           \
  /* Groups of heads that are pruned: bit g is one before group g. */ \
  FIELD(std::size_t, pruned_groups, 0)
// clang-format on

/// One call and all that it depends on. By default it is the smallest there is.
struct Configuration {
#define HEADWISE_FIELD(type, name, smallest) type name = smallest;
  HEADWISE_CONFIGURATION_FIELDS(HEADWISE_FIELD)
#undef HEADWISE_FIELD

  [[nodiscard]] std::size_t all_keys() const noexcept { return cached + keys; }
};

Configuration random_configuration(std::uint64_t seed);

/// The configuration of a layer with a random history. Vectors for the package
/// have none.
Configuration with_random_history(Configuration configuration, std::uint64_t seed);

/// The configuration as C++: what differs from the smallest.
std::string to_code(const Configuration& configuration);

/// Drops what the library would refuse.
Configuration settled(Configuration configuration);

/// The environment variable of this name, which is a number.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

}  // namespace headwise::test
