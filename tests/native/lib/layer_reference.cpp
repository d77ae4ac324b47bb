#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "attention_reference.hpp"

namespace headwise::test::reference {
namespace {

/// Keys, or values, followed by the slot `name` and the slot of zeros, as far as the layer has
/// them.
Doubles<4> with_slots(const Doubles<4>& X, const MultiHeadAttentionOptions& layer,
                      const StateDict& parameters, const std::string& name) {
  const auto [batch, heads, length, size] = X.shape();
  const std::size_t slots = (layer.bias_kv ? 1U : 0U) + (layer.zero_attention ? 1U : 0U);
  Doubles<4> result(std::array{batch, heads, length + slots, size}, 0.0);
  xt::view(result, xt::all(), xt::all(), xt::range(std::size_t{0}, length)) = X;
  if (layer.bias_kv) {
    xt::view(result, xt::all(), xt::all(), length) =
        xt::reshape_view(parameters.at(name), {heads, size});
  }
  return result;
}

/// The frequency of a pair, and the factor of what is rotated, as Transformers computes them.
std::pair<double, double> rotation_of(const RotaryOptions& rotary, std::size_t pair,
                                      std::size_t size) {
  const auto number = static_cast<double>(pair);
  const auto dim = static_cast<double>(size);
  const double frequency = std::pow(rotary.base, -2 * number / dim);
  if (!rotary.scaling) {
    return {frequency, 1};
  }
  const auto& [type, factor, length, slow, fast, truncate, attention_factor] = *rotary.scaling;
  const bool is_yarn = type == RotaryScaling::Type::yarn;
  double share = 0;
  if (type == RotaryScaling::Type::llama3) {
    const double wavelength = 2 * std::numbers::pi / frequency;
    const double high = fast.value_or(4);
    share = wavelength < length / high   ? 1
            : wavelength > length / slow ? 0
                                         : (length / wavelength - slow) / (high - slow);
  } else if (is_yarn) {
    const auto dimension = [&, of = length](double turns) {
      return dim * std::log(of / (turns * 2 * std::numbers::pi)) / (2 * std::log(rotary.base));
    };
    double low = dimension(fast.value_or(32));
    double high = dimension(slow);
    if (truncate) {
      low = std::floor(low);
      high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, dim - 1);
    high += low == high ? 0.001 : 0;
    share = 1 - std::clamp((number - low) / (high - low), 0.0, 1.0);
  }
  const double of_yarn = is_yarn && factor > 1 ? 0.1 * std::log(factor) + 1 : 1;
  return {frequency * share + frequency / factor * (1 - share), attention_factor.value_or(of_yarn)};
}

/// The heads divided by their root mean squares, if the layer does so.
Doubles<4> normalized_if_asked(Doubles<4> X, const MultiHeadAttentionOptions& layer,
                               const StateDict& parameters, const std::string& name) {
  const std::size_t size = X.shape(3);
  for (std::size_t head = 0; layer.qk_norm.has_value() && head < X.size() / size; ++head) {
    double* x = X.data() + head * size;
    double square = layer.qk_norm->epsilon;
    for (std::size_t e = 0; e < size; ++e) {
      square += x[e] * x[e] / static_cast<double>(size);
    }
    for (std::size_t e = 0; e < size; ++e) {
      x[e] *= static_cast<double>(parameters.at(name + ".weight")(e)) / std::sqrt(square);
    }
  }
  return X;
}

}  // namespace

HeadPositions positions_of(const ForwardOptions& options, std::size_t batch,
                           std::size_t num_queries, std::size_t num_keys, std::size_t num_cached) {
  const auto from = [&](std::size_t first, std::size_t count) {
    const auto begin = static_cast<double>(first);
    return xt::broadcast(xt::arange(begin, begin + static_cast<double>(count)),
                         std::array{batch, count});
  };
  HeadPositions result{.queries = from(num_cached, num_queries), .keys = from(0, num_keys)};
  if (options.positions.has_value()) {
    result.queries = xt::broadcast(*options.positions, std::array{batch, num_queries});
    if (num_keys > num_cached) {
      xt::view(result.keys, xt::all(), xt::range(num_cached, num_keys)) = *options.positions;
    }
  }
  return result;
}

Doubles<4> rotated(const Doubles<4>& X, const std::optional<RotaryOptions>& rotary,
                   const Doubles<2>& positions, bool inverse, bool magnitudes) {
  Doubles<4> result = X;
  const auto [batch, heads, length, head_size] = X.shape();
  const auto size =
      rotary ? static_cast<std::size_t>(rotary->size.value_or(static_cast<std::int64_t>(head_size)))
             : 0;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t i = 0; i < length; ++i) {
        for (std::size_t pair = 0; pair < size / 2; ++pair) {
          const auto [frequency, factor] = rotation_of(*rotary, pair, size);
          const double angle = positions(b, i) * frequency;
          double cosine = factor * std::cos(angle);
          double sine = factor * (inverse ? -std::sin(angle) : std::sin(angle));
          const std::size_t first = rotary->interleaved ? 2 * pair : pair;
          const std::size_t second = rotary->interleaved ? first + 1 : first + size / 2;
          const double x = X(b, h, i, first);
          const double y = X(b, h, i, second);
          if (magnitudes) {
            cosine = std::abs(cosine);
            sine = std::abs(sine);
          }
          result(b, h, i, first) = magnitudes ? cosine * x + sine * y : cosine * x - sine * y;
          result(b, h, i, second) = sine * x + cosine * y;
        }
      }
    }
  }
  return result;
}

Doubles<3> project(const StateDict& parameters, const std::string& name, const Doubles<3>& x) {
  const auto found = parameters.find(name + ".weight");
  if (found == parameters.end()) {
    return x;
  }
  const xt::xarray<float>& W = found->second;
  const auto bias = parameters.find(name + ".bias");
  const std::size_t out = W.shape(0);
  const std::size_t in = W.shape(1);
  const std::size_t groups = x.shape(2) / in;
  Doubles<3> y(std::array{x.shape(0), x.shape(1), out}, 0.0);
  for (std::size_t b = 0; b < x.shape(0); ++b) {
    for (std::size_t i = 0; i < x.shape(1); ++i) {
      for (std::size_t o = 0; o < out; ++o) {
        const std::size_t first = o / (out / groups) * in;
        double sum = bias != parameters.end() ? static_cast<double>(bias->second(o)) : 0;
        for (std::size_t e = 0; e < in; ++e) {
          sum += static_cast<double>(W.data()[o * in + e]) * x(b, i, first + e);
        }
        y(b, i, o) = sum;
      }
    }
  }
  return y;
}

Doubles<4> with_head_axis(const xt::xarray<float>& tensor) {
  return tensor.dimension() == 4 ? Doubles<4>(tensor) : Doubles<4>(xt::expand_dims(tensor, 1));
}

Doubles<4> split(const Doubles<3>& x, std::size_t num_heads) {
  const Doubles<4> parts =
      xt::reshape_view(x, {x.shape(0), x.shape(1), num_heads, x.shape(2) / num_heads});
  return xt::transpose(parts, {0, 2, 1, 3});
}

Doubles<3> join(const Doubles<4>& x, std::size_t length) {
  const Doubles<4> first = without_slots(x, length);
  const Doubles<4> rows = xt::transpose(first, {0, 2, 1, 3});
  return xt::reshape_view(rows, {rows.shape(0), length, rows.shape(2) * rows.shape(3)});
}

Heads project_heads(const MultiHeadAttentionOptions& layer, const StateDict& parameters,
                    const Doubles<3>& queries, const Doubles<3>& keys, const Doubles<3>& values,
                    const HeadPositions& positions, bool magnitudes) {
  const auto num_heads = static_cast<std::size_t>(layer.num_heads);
  const auto num_kv_heads = static_cast<std::size_t>(layer.num_kv_heads.value_or(layer.num_heads));
  const Doubles<4> Q = normalized_if_asked(split(project(parameters, "W_q", queries), num_heads),
                                           layer, parameters, "q_norm");
  const Doubles<4> K = normalized_if_asked(split(project(parameters, "W_k", keys), num_kv_heads),
                                           layer, parameters, "k_norm");
  const Doubles<4> V = split(project(parameters, "W_v", values), num_kv_heads);
  return {.Q = rotated(Q, layer.rotary, positions.queries, false, magnitudes),
          .K = with_slots(rotated(K, layer.rotary, positions.keys, false, magnitudes), layer,
                          parameters, "bias_k"),
          .V = with_slots(V, layer, parameters, "bias_v")};
}

Doubles<4> scores_of(const MultiHeadAttentionOptions& layer, const StateDict& parameters,
                     const Heads& heads) {
  if (layer.pooling == headwise::Pooling::additive) {
    return additive_scores(heads.Q, heads.K, parameters.at("attention.W_q.weight"),
                           parameters.at("attention.W_k.weight"),
                           parameters.at("attention.w_v.weight"));
  }
  return dot_product_scores(
      heads.Q, heads.K, layer.scale.value_or(1 / std::sqrt(static_cast<double>(heads.Q.shape(3)))));
}

Doubles<4> gate_factors(const HeadGate& head_gate, std::size_t batch, std::size_t heads) {
  Doubles<4> gates(std::array{batch, heads, std::size_t{1}, std::size_t{1}}, 1.0);
  if (head_gate.has_value()) {
    xt::view(gates, xt::all(), xt::all(), 0, 0) = *head_gate;
  }
  return gates;
}

Attention multi_head_attention(const MultiHeadAttentionOptions& layer, const StateDict& parameters,
                               const Doubles<3>& queries, const Doubles<3>& keys,
                               const Doubles<3>& values, const ForwardOptions& options,
                               std::size_t num_cached, const Doubles<4>& dropout_factors) {
  const Heads heads = project_heads(
      layer, parameters, queries, keys, values,
      positions_of(options, queries.shape(0), queries.shape(1), keys.shape(1), num_cached));
  const Pooled pooled =
      pool(scores_of(layer, parameters, heads), heads.V,
           {.masks = masks_of(options, static_cast<std::int64_t>(num_cached), false),
            .softcap = layer.softcap,
            .weights_stage = options.weights_stage,
            .num_extra_slots = heads.K.shape(2) - keys.shape(1),
            .dropout_factors = dropout_factors});
  const Doubles<4> gated =
      pooled.output * gate_factors(options.head_gate, queries.shape(0), heads.Q.shape(1));
  return {.output = project(parameters, "W_o", join(gated, queries.shape(1))),
          .heads = heads,
          .pooled = pooled};
}

}  // namespace headwise::test::reference
