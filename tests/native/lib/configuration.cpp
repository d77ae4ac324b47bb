#include "configuration.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <sstream>
#include <string_view>
#include <type_traits>

namespace headwise::test {

std::uint64_t Random::next() noexcept {
  // SplitMix64 (Steele et al. 2014)
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

bool Random::chance(double probability) noexcept {
  constexpr double two_to_64 = 18446744073709551616.0;
  return static_cast<double>(next()) / two_to_64 < probability;
}

namespace {

/// Sizes around those at which blocks, vectors and panels end; large ones are dear and rare.
std::size_t random_length(Random& random) {
  return random.pick<std::size_t>({1, 2, 3, 5, 7, 7, 17, 17, 33});
}

std::optional<std::int64_t> random_window_side(Random& random) {
  return random.chance(0.3) ? std::nullopt : std::optional(random.pick<std::int64_t>({0, 1, 2, 6}));
}

void draw_sizes(Configuration& c, Random& random) {
  c.batch = random.chance(0.03) ? 0 : 1 + random.below(3);
  c.queries = random.chance(0.03) ? 0 : random_length(random);
  c.keys = random.chance(0.05) ? 0 : random_length(random);
  c.heads = 1 + random.below(6);
  c.kv_heads = random.chance(0.5) ? c.heads : 1 + random.below(6);
  c.head_size = 1 + random.below(9);
  c.query_size = random_length(random);
  c.key_size = random_length(random);
  c.value_size = random_length(random);
  c.batch_axis = random.chance(0.85);
}

void draw_layer(Configuration& c, Random& random) {
  c.pooling = random.chance(0.75) ? Pooling::dot_product : Pooling::additive;
  c.projection = random.pick({Projection::linear, Projection::linear, Projection::linear,
                              Projection::convolution, Projection::none});
  c.attention_hiddens = random.chance(0.5) ? 0 : 1 + random.below(9);
  c.output_size = random.chance(0.7) ? 0 : random_length(random);
  c.output_projection = random.chance(0.8);
  c.bias = random.chance(0.5);
  c.bias_kv = random.chance(0.2);
  c.zero_attention = random.chance(0.2);
  c.gate =
      random.chance(0.7) ? GateKind::none : random.pick({GateKind::by_head, GateKind::by_sample});
  c.cache = random.chance(0.7) ? CacheUse::none : random.pick({CacheUse::growing, CacheUse::fixed});
  c.cached = random.chance(0.2) ? 0 : random_length(random);
  c.sizes_inferred = random.chance(0.3);
}

void draw_rotary(Configuration& c, Random& random) {
  c.rotary = random.chance(0.3);
  c.rotary_base = random.pick({10000.0, 500000.0, 10.0, 0.5});
  c.rotary_size = random.chance(0.6) ? 0 : 2 + 2 * random.below(4);
  c.rotary_interleaved = random.chance(0.4);
  c.positions = random.chance(0.5) ? PositionKind::none
                                   : random.pick({PositionKind::shared, PositionKind::by_sample});
}

void draw_masks(Configuration& c, Random& random) {
  c.lens =
      random.chance(0.6) ? LensKind::none : random.pick({LensKind::by_sample, LensKind::by_query});
  c.mask = random.chance(0.5)
               ? MaskKind::none
               : random.pick({MaskKind::boolean, MaskKind::integers, MaskKind::added});
  c.mask_missing_axes = random.chance(0.4) ? 0 : random.below(5);
  c.mask_repeats = random.below(16);
  c.key_mask = random.chance(0.6) ? KeyMaskKind::none
                                  : random.pick({KeyMaskKind::before, KeyMaskKind::behind,
                                                 KeyMaskKind::around, KeyMaskKind::among});
  c.causal =
      random.chance(0.6) ? Causal::none : random.pick({Causal::top_left, Causal::bottom_right});
  c.window = random.chance(0.25);
  c.window_left = random_window_side(random);
  c.window_right = random_window_side(random);
  c.query_offset = random.chance(0.6) ? 0 : random.pick<std::int64_t>({1, 3, 40});
  c.empty_rows = random.pick({EmptyRows::zero, EmptyRows::uniform});
}

}  // namespace

Configuration random_configuration(std::uint64_t seed) {
  Random random(seed);
  Configuration c;
  c.numbers = random.below(1'000'000);
  c.call =
      random.pick({Call::layer, Call::layer, Call::layer, Call::layer,
                   Call::scaled_dot_product_attention, Call::scaled_dot_product_attention,
                   Call::dot_product_attention, Call::additive_attention, Call::masked_softmax});
  draw_sizes(c, random);
  draw_layer(c, random);
  draw_masks(c, random);
  if (random.chance(0.4)) {
    c.scale = random.pick({0.25, 1.0, 2.0, -0.5, 0.0});
  }
  c.softcap = random.chance(0.7) ? 0 : random.pick({0.5, 2.0, 30.0});
  c.stage = random.chance(0.5) ? WeightsStage::softmax
                               : random.pick({WeightsStage::raw, WeightsStage::softcap,
                                              WeightsStage::masked, WeightsStage::softmax});
  c.poisoned = random.chance(0.3);
  c.gradients = random.chance(0.5);
  c.dropout = random.chance(0.7) ? 0 : random.pick({0.1, 0.5, 1.0});
  draw_rotary(c, random);
  if (c.gradients && random.chance(0.1)) {
    c.queries = random.pick<std::size_t>({63, 65, 130});
    c.keys = random.chance(0.5) ? c.keys : c.queries;
  }
  return settled(c);
}

Configuration with_random_history(Configuration c, std::uint64_t seed) {
  Random random(~seed);
  c.history = random.pick(
      {History::loaded, History::copied, History::moved, History::used, History::written});
  if (c.window && random.chance(0.1)) {
    c.window_left = c.window_right = std::numeric_limits<std::int64_t>::max();
  }
  using Type = RotaryScaling::Type;
  if (random.chance(0.5)) {
    c.rotary_scaling = random.pick({Type::linear, Type::llama3, Type::yarn});
  }
  c.pruned_groups = random.chance(0.6) ? 0 : random.below(std::size_t{2} << c.kv_heads);
  return settled(c);
}

namespace {

void settle_rotary(Configuration& c) {
  const Configuration none;
  c.rotary = c.rotary && c.call == Call::layer && c.head_size > 1;
  if (!c.rotary) {
    c.rotary_base = none.rotary_base;
    c.rotary_size = none.rotary_size;
    c.rotary_interleaved = false;
    c.rotary_scaling = none.rotary_scaling;
  } else if (c.rotary_size > c.head_size || (c.rotary_size == 0 && c.head_size % 2 != 0)) {
    c.rotary_size = c.head_size / 2 * 2;
  }
  if (c.rotary_base <= 1 && c.rotary_scaling == RotaryScaling::Type::yarn) {
    c.rotary_scaling = none.rotary_scaling;
  }
  if (!c.rotary) {
    c.positions = none.positions;
  }
  if (c.positions != none.positions && c.cache != CacheUse::fixed) {
    c.keys = c.queries;
  }
}

void settle_function(Configuration& c) {
  const Configuration none;
  c.batch_axis = true;
  c.pooling = none.pooling;
  c.projection = none.projection;
  c.output_size = none.output_size;
  c.output_projection = none.output_projection;
  c.bias = c.bias_kv = c.zero_attention = c.sizes_inferred = false;
  c.gate = none.gate;
  c.cache = none.cache;
  settle_rotary(c);
  if (c.causal == Causal::bottom_right) {
    c.query_offset = 0;
  }
  const bool additive = c.call == Call::additive_attention;
  if (additive) {
    c.attention_hiddens = std::max<std::size_t>(c.attention_hiddens, 1);
    c.scale = {};
    c.softcap = 0;
  } else {
    c.attention_hiddens = 0;
    c.query_size = c.key_size = c.head_size;
  }
  if (c.call != Call::scaled_dot_product_attention) {
    c.heads = c.kv_heads = 1;
    c.mask_missing_axes = std::min<std::size_t>(c.mask_missing_axes, 3);
  }
  if (c.call == Call::masked_softmax) {
    c.mask = none.mask;
    c.key_mask = none.key_mask;
    c.causal = none.causal;
    c.window = false;
    c.query_offset = 0;
    c.scale = {};
    c.softcap = 0;
    c.stage = none.stage;
    c.head_size = c.query_size = c.key_size = c.value_size = 1;
  }
}

void settle_layer(Configuration& c) {
  c.query_offset = 0;
  if (!c.batch_axis) {
    c.batch = 1;
  }
  if (c.projection == Projection::none) {
    c.query_size = c.key_size = c.value_size = c.heads * c.head_size;
    c.bias = c.bias_kv = c.output_projection = false;
  }
  if (c.projection == Projection::convolution) {
    for (std::size_t* size : {&c.query_size, &c.key_size, &c.value_size}) {
      *size = (*size + c.heads - 1) / c.heads * c.heads;
    }
  }
  if (c.projection != Projection::linear) {
    c.kv_heads = c.heads;
  }
  if (!c.output_projection) {
    c.output_size = 0;
  }
  if (c.pooling == Pooling::additive) {
    c.scale = {};
    c.softcap = 0;
  } else {
    c.attention_hiddens = 0;
  }
  if (c.cache != CacheUse::none) {
    c.batch = std::max<std::size_t>(c.batch, 1);
  }
  if (c.cache == CacheUse::fixed) {
    c.keys = 0;
  }
  settle_rotary(c);
}

}  // namespace

Configuration settled(Configuration c) {
  c.kv_heads = std::gcd(c.heads, c.kv_heads);
  c.gradients = c.gradients && c.call == Call::layer && c.cache == CacheUse::none;
  c.dropout = c.gradients ? c.dropout : 0;
  if (c.call == Call::layer) {
    settle_layer(c);
  } else {
    settle_function(c);
  }
  if (c.cache == CacheUse::none) {
    c.cached = 0;
  }
  if (c.call != Call::layer) {
    c.history = History::loaded;
  }
  const bool can_be_pruned =
      c.call == Call::layer && c.projection == Projection::linear && c.output_projection;
  c.pruned_groups = can_be_pruned ? c.pruned_groups % (std::size_t{2} << c.kv_heads) : 0;
  if (c.mask == MaskKind::none) {
    c.mask_missing_axes = c.mask_repeats = 0;
  }
  const bool has_head_axis = c.call == Call::layer || c.call == Call::scaled_dot_product_attention;
  if (has_head_axis && c.mask_missing_axes == 1 && c.batch == c.heads && c.batch > 1) {
    c.mask_repeats |= 4U;  // else it could be of samples or of heads
  }
  if (!c.window) {
    c.window_left = c.window_right = std::nullopt;
  }
  return c;
}

namespace {

template <typename Value>
void print(std::ostream& stream, std::string_view type, const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    stream << type << "{" << static_cast<int>(value) << "}";
  } else if constexpr (requires { value.has_value(); }) {
    value.has_value() ? print(stream, type, *value) : print(stream, type, "std::nullopt");
  } else {
    stream << std::boolalpha << value;
  }
}

}  // namespace

std::string to_code(const Configuration& configuration) {
  const Configuration smallest;
  std::ostringstream code;
#define HEADWISE_PRINT(type, name, value)                     \
  if (configuration.name != smallest.name) {                  \
    code << (code.tellp() == 0 ? "." : ", .") << #name " = "; \
    print(code, #type, configuration.name);                   \
  }
  HEADWISE_CONFIGURATION_FIELDS(HEADWISE_PRINT)
#undef HEADWISE_PRINT
  return "Configuration{" + code.str() + "}";
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);  // NOLINT(*-mt-unsafe): one thread
  return value != nullptr ? std::stoull(value) : otherwise;
}

}  // namespace headwise::test
