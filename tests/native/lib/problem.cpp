#include "problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "compare.hpp"

namespace headwise::test {
namespace {

using Shape = std::vector<std::size_t>;

/// Every tensor draws from a stream of its own, so that an option left out changes no other.
enum Stream : std::uint64_t {
  queries,
  keys,
  values,
  lens,
  mask,
  gate,
  poisoning,
  parameters,
  standing = 40,  ///< after those of the parameters
  key_masks
};

std::uint64_t seed_of(const Configuration& c, std::uint64_t stream) {
  return c.numbers * 64 + stream;
}

xt::xarray<float> normal(const Shape& shape, std::uint64_t seed, double deviation) {
  auto tensor = xt::xarray<float>::from_shape(shape);
  fill_normal(tensor.data(), tensor.size(), seed);
  for (float& number : tensor) {
    number *= static_cast<float>(deviation);
  }
  return tensor;
}

std::optional<RotaryScaling> scaling_of(const Configuration& c) {
  return c.rotary_scaling ? std::optional(RotaryScaling{.type = *c.rotary_scaling,
                                                        .factor = 3,
                                                        .original_length = 60,
                                                        .slow_turns = 0.25,
                                                        .fast_turns = 5})
                          : std::nullopt;
}

MultiHeadAttentionOptions layer_options(const Configuration& c) {
  const auto size = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  const auto optional_size = [&](std::size_t value) {
    return value == 0 ? std::nullopt : std::optional(size(value));
  };
  return {.num_hiddens = size(c.heads * c.head_size),
          .num_heads = size(c.heads),
          .dropout = c.dropout,
          .bias = c.bias,
          .query_size = size(c.query_size),
          .key_size = size(c.key_size),
          .value_size = size(c.value_size),
          .output_size = optional_size(c.output_size),
          .output_projection = c.output_projection,
          .num_kv_heads = size(c.kv_heads),
          .pooling = c.pooling,
          .attention_hiddens = optional_size(c.attention_hiddens),
          .projection = c.projection,
          .scale = c.scale,
          .softcap = c.softcap,
          .rotary = c.rotary ? std::optional(RotaryOptions{.base = c.rotary_base,
                                                           .size = optional_size(c.rotary_size),
                                                           .interleaved = c.rotary_interleaved,
                                                           .scaling = scaling_of(c)})
                             : std::nullopt,
          .bias_kv = c.bias_kv,
          .zero_attention = c.zero_attention,
          .seed = c.numbers};
}

/// Weights that keep the size of numbers, or let them grow a little: scores then differ enough to
/// tell one rule from another.
StateDict draw_parameters(const Configuration& c, const StateDict& like) {
  StateDict result;
  std::uint64_t stream = parameters;
  for (const auto& [name, tensor] : like) {
    const Shape shape(tensor.shape().begin(), tensor.shape().end());
    const bool is_weight = name.ends_with(".weight");
    const double deviation = is_weight ? 1.5 / std::sqrt(static_cast<double>(shape.at(1))) : 0.5;
    result[name] = normal(shape, seed_of(c, stream++), deviation);
  }
  return result;
}

/// What an option is given as: nothing, or numbers of one of two shapes.
template <typename Number>
Numbers<Number> draw_option(auto kind, const Shape& one_axis, const Shape& two_axes,
                            const auto& draw) {
  if (static_cast<int>(kind) == 0) {
    return {};
  }
  auto tensor = xt::xarray<Number>::from_shape(static_cast<int>(kind) == 1 ? one_axis : two_axes);
  std::generate(tensor.begin(), tensor.end(), [&] { return static_cast<Number>(draw()); });
  return tensor;
}

ValidLens draw_lens(const Configuration& c) {
  Random random(seed_of(c, lens));
  return draw_option<std::int64_t>(c.lens, {c.batch}, {c.batch, c.queries}, [&] {
    const std::size_t any = random.below(c.all_keys() + 1);
    return random.pick<std::size_t>({any, any, any, any, 0, c.all_keys()});
  });
}

Mask draw_mask(const Configuration& c) {
  if (c.mask == MaskKind::none) {
    return {};
  }
  Random random(seed_of(c, mask));
  Shape shape = {c.batch, c.heads, c.queries, c.all_keys()};
  if (c.call == Call::dot_product_attention || c.call == Call::additive_attention) {
    shape.erase(shape.begin() + 1);
  }
  shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(c.mask_missing_axes));
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::size_t& size = shape[shape.size() - 1 - axis];
    size = (c.mask_repeats >> axis & 1U) != 0 ? 1 : size;
  }
  const double kept = random.pick({0.2, 0.6, 0.9});
  if (c.mask != MaskKind::added) {
    auto booleans = xt::xarray<bool>::from_shape(shape);
    for (bool& allowed : booleans) {
      allowed = random.chance(kept);
    }
    return c.mask == MaskKind::boolean ? Mask(booleans) : Mask(xt::cast<std::uint8_t>(booleans));
  }
  auto added = normal(shape, seed_of(c, mask), 2);
  // What many programs write for minus infinity; it leaves the row in being when all keys have it.
  const bool has_large = random.chance(0.1);
  for (float& addend : added) {
    addend = random.chance(kept) ? addend : has_large && random.chance(0.5) ? -1e4F : -infinity;
  }
  return added;
}

Mask draw_keys(const Configuration& c) {
  if (c.key_mask == KeyMaskKind::none) {
    return {};
  }
  Random random(seed_of(c, key_masks));
  const auto mask = draw_key_mask(c.key_mask, c.batch, c.all_keys(), random);
  return random.pick({Mask(mask), Mask(xt::cast<std::int64_t>(mask)), Mask(xt::cast<float>(mask))});
}

HeadGate draw_gate(const Configuration& c) {
  Random random(seed_of(c, gate));
  return draw_option<float>(c.gate, {c.heads}, {c.batch, c.heads},
                            [&] { return random.pick({0.0F, 1.0F, -0.5F, 2.0F, 0.3F}); });
}

RotaryPositions draw_positions(const Configuration& c) {
  Random random(seed_of(c, standing));
  return draw_option<std::int64_t>(c.positions, {c.queries}, {c.batch, c.queries}, [&] {
    return random.below(random.pick<std::size_t>({10, 100, 5000}));
  });
}

void draw_inputs(Problem& problem) {
  const Configuration& c = problem.configuration;
  const bool by_head = c.call == Call::scaled_dot_product_attention;
  const auto draw = [&](Stream stream, std::size_t heads, std::size_t length, std::size_t size) {
    const Shape shape =
        by_head ? Shape{c.batch, heads, length, size} : Shape{c.batch, length, size};
    return normal(shape, seed_of(c, stream), 1);
  };
  if (c.call == Call::masked_softmax) {
    problem.queries = draw(queries, 1, c.queries, c.keys);
    return;
  }
  problem.queries = draw(queries, c.heads, c.queries, c.query_size);
  problem.keys = draw(keys, c.kv_heads, c.all_keys(), c.key_size);
  problem.values = draw(values, c.kv_heads, c.all_keys(), c.value_size);
}

}  // namespace

xt::xtensor<bool, 2> draw_key_mask(KeyMaskKind kind, std::size_t batch, std::size_t num_keys,
                                   Random& random) {
  auto mask = xt::xtensor<bool, 2>::from_shape({batch, num_keys});
  for (std::size_t sample = 0; sample < batch; ++sample) {
    std::size_t begin = random.below(num_keys + 1);
    std::size_t end = std::min(begin + random.below(num_keys + 2), num_keys);
    begin = kind == KeyMaskKind::behind ? 0 : begin;
    end = kind == KeyMaskKind::before ? num_keys : end;
    for (std::size_t key = 0; key < num_keys; ++key) {
      mask(sample, key) =
          kind == KeyMaskKind::among ? random.chance(0.6) : begin <= key && key < end;
    }
  }
  return mask;
}

Problem make_problem(const Configuration& c) {
  Problem problem{.configuration = c};
  draw_inputs(problem);
  if (c.call == Call::layer) {
    problem.layer = layer_options(c);
    problem.parameters = draw_parameters(c, MultiHeadAttention(problem.layer).state_dict());
  } else if (c.call == Call::additive_attention) {
    const auto parameter = [&](std::size_t rows, std::size_t columns) {
      return xt::xarray<float>::from_shape({rows, columns});
    };
    problem.parameters =
        draw_parameters(c, {{"W_q.weight", parameter(c.attention_hiddens, c.query_size)},
                            {"W_k.weight", parameter(c.attention_hiddens, c.key_size)},
                            {"w_v.weight", parameter(1, c.attention_hiddens)}});
  }
  problem.options = {
      .valid_lens = draw_lens(c),
      .mask = draw_mask(c),
      .key_mask = draw_keys(c),
      .causal = c.causal,
      .window = c.window ? std::optional(Window{.left = c.window_left, .right = c.window_right})
                         : std::nullopt,
      .head_gate = draw_gate(c),
      .positions = draw_positions(c),
      .empty_rows = c.empty_rows,
      .weights_stage = c.stage};
  return problem;
}

void poison(Problem& problem) {
  Random random(seed_of(problem.configuration, poisoning));
  const auto spoil = [&](xt::xarray<float>& tensor, double probability) {
    const std::size_t size = tensor.shape().back();
    for (std::size_t row = 0; size > 0 && row < tensor.size() / size; ++row) {
      const float bad = random.pick({std::numeric_limits<float>::quiet_NaN(), infinity, -infinity});
      const std::size_t element = random.below(size);
      if (random.chance(probability)) {
        tensor.data()[row * size + element] = bad;
      }
    }
  };
  const double probability = random.pick({0.05, 0.3});
  spoil(problem.queries, 0.05);
  if (problem.configuration.call != Call::masked_softmax) {
    spoil(problem.keys, probability);
    spoil(problem.values, probability);
  }
}

namespace {

/// The tensor with random numbers before each of the blocks along `axis` that `inserted` names.
xt::xarray<float> with_blocks(const xt::xarray<float>& tensor, std::size_t axis, std::size_t block,
                              std::size_t inserted) {
  Shape shape(tensor.shape().begin(), tensor.shape().end());
  const std::size_t num_blocks = shape.at(axis) / block;
  shape.at(axis) += static_cast<std::size_t>(std::popcount(inserted)) * block;
  std::size_t size = block;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) {
    size *= shape[i];
  }
  xt::xarray<float> result = normal(shape, inserted, 1);
  float* to = result.data();
  for (const float* from = tensor.data(); from != tensor.data() + tensor.size();) {
    for (std::size_t i = 0; i <= num_blocks; ++i) {
      to += (inserted >> i & 1U) * size;
      const std::size_t count = i < num_blocks ? size : 0;
      to = std::copy_n(from, count, to);
      from += count;
    }
  }
  return result;
}

/// The parameters with those of the heads that are pruned later.
StateDict whole_parameters(const Problem& problem) {
  const Configuration& c = problem.configuration;
  const std::size_t group = c.heads / c.kv_heads * c.head_size;
  StateDict result = problem.parameters;
  for (auto& [name, tensor] : result) {
    if (name.starts_with("W_q.")) {
      tensor = with_blocks(tensor, 0, group, c.pruned_groups);
    } else if (name.starts_with("W_k.") || name.starts_with("W_v.")) {
      tensor = with_blocks(tensor, 0, c.head_size, c.pruned_groups);
    } else if (name == "W_o.weight") {
      tensor = with_blocks(tensor, 1, group, c.pruned_groups);
    } else if (name.starts_with("bias_")) {
      tensor = with_blocks(tensor, 2, c.head_size, c.pruned_groups);
    }
  }
  return result;
}

/// A forward and a backward that leave no trace but an inferred size.
void use(MultiHeadAttention& layer, const Configuration& c) {
  const Tensor<3> queries = randn<3>({2, 3, c.query_size}, 1);
  const Tensor<3> output = layer
                               .forward(queries, randn<3>({2, 4, c.key_size}, 2),
                                        randn<3>({2, 4, c.value_size}, 3), {.requires_grad = true})
                               .output;
  layer.backward(output);
  layer.zero_gradients();
}

}  // namespace

std::vector<std::int64_t> pruned_heads(const Configuration& c) {
  std::vector<std::int64_t> heads;
  const std::size_t group_size = c.heads / c.kv_heads;
  std::int64_t head = 0;
  for (std::size_t group = 0; group <= c.kv_heads; ++group) {
    if ((c.pruned_groups >> group & 1U) != 0) {
      for (std::size_t i = 0; i < group_size; ++i) {
        heads.push_back(head++);
      }
    }
    head += static_cast<std::int64_t>(group_size);
  }
  return heads;
}

MultiHeadAttention make_whole_layer(const Problem& problem) {
  const Configuration& c = problem.configuration;
  MultiHeadAttentionOptions options = problem.layer;
  if (c.pruned_groups != 0) {
    options.output_size = options.output_size.value_or(options.num_hiddens);
    const auto added = static_cast<std::int64_t>(std::popcount(c.pruned_groups));
    options.num_heads += added * static_cast<std::int64_t>(c.heads / c.kv_heads);
    options.num_hiddens = options.num_heads * static_cast<std::int64_t>(c.head_size);
    options.num_kv_heads = options.num_kv_heads.value() + added;
  }
  if (c.sizes_inferred) {
    options.query_size = options.key_size = options.value_size = std::nullopt;
  }
  MultiHeadAttention layer(options);
  const StateDict parameters = whole_parameters(problem);
  if (c.history == History::used || c.history == History::written) {
    use(layer, c);
  }
  if (c.history == History::written) {
    const std::vector<TrainableParameter> places = layer.trainable_parameters();
    use(layer, c);
    for (const TrainableParameter& place : places) {
      std::copy_n(parameters.at(std::string(place.name)).data(), place.size(), place.values);
    }
    layer.parameters_changed();
  } else {
    layer.load_state_dict(parameters);
  }
  return layer;
}

MultiHeadAttention make_layer(const Problem& problem) {
  const Configuration& c = problem.configuration;
  MultiHeadAttention layer = make_whole_layer(problem);
  if (c.pruned_groups != 0) {
    // One group first, in another order and a head of it twice; the others have other indices then.
    std::vector<std::int64_t> first = pruned_heads(c);
    const std::size_t group_size = c.heads / c.kv_heads;
    std::vector<std::int64_t> others(first.begin() + static_cast<std::ptrdiff_t>(group_size),
                                     first.end());
    first.resize(group_size);
    std::reverse(first.begin(), first.end());
    first.push_back(first.front());
    layer.prune_heads(first);
    for (std::int64_t& head : others) {
      head -= static_cast<std::int64_t>(group_size);
    }
    layer.prune_heads(others);
  }
  return with_history(std::move(layer), c.history);
}

MultiHeadAttention with_history(MultiHeadAttention layer, History history) {
  if (history == History::copied) {
    MultiHeadAttention copy = layer;
    StateDict zeros = layer.state_dict();
    for (auto& [name, tensor] : zeros) {
      tensor.fill(0);
    }
    layer.load_state_dict(zeros);
    return copy;
  }
  if (history == History::moved) {
    MultiHeadAttention other({.num_hiddens = 1, .num_heads = 1});
    other = std::move(layer);
    layer = std::move(other);
  }
  return layer;
}

DotProductAttentionOptions Problem::dot_product_options() const {
  auto result = pooling_options<DotProductAttentionOptions>();
  result.scale = configuration.scale;
  result.softcap = configuration.softcap;
  return result;
}

HeadMeasureBatch Problem::measured_batch() const {
  return {.queries = queries,
          .keys = keys,
          .values = values,
          .valid_lens = options.valid_lens,
          .mask = options.mask,
          .key_mask = options.key_mask,
          .causal = options.causal,
          .window = options.window};
}

AdditiveAttentionParameters Problem::additive_parameters() const {
  return {.W_q = parameters.at("W_q.weight"),
          .W_k = parameters.at("W_k.weight"),
          .w_v = parameters.at("w_v.weight")};
}

}  // namespace headwise::test
