#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "activations.hpp"
#include "attention_reference.hpp"
#include "gradient_check.hpp"
#include "problem.hpp"

namespace headwise::test {
namespace {

using reference::Doubles;

Result collect(const auto& result) {
  return {.output = result.output, .weights = result.attention_weights};
}

/// Fills a cache with the first positions, in chunks.
void fill_cache(MultiHeadAttention& layer, const Problem& problem, KeyValueCache& cache) {
  const Configuration& c = problem.configuration;
  Random random(c.numbers);
  const auto append = [&](const Tensor<3>& keys, const Tensor<3>& values) {
    const Tensor<3> queries(std::array{c.batch, random.below(2), c.query_size}, 1.0F);
    if (c.batch_axis) {
      layer.forward(queries, keys, values, {.cache = &cache});
    } else {
      layer.forward(without_batch(queries), without_batch(keys), without_batch(values),
                    {.cache = &cache});
    }
  };
  for (std::size_t begin = 0; begin < c.cached;) {
    if (c.history == History::used) {
      // What is truncated leaves nothing behind.
      const float bad = std::numeric_limits<float>::quiet_NaN();
      append(Tensor<3>(std::array{c.batch, std::size_t{1}, c.key_size}, bad),
             Tensor<3>(std::array{c.batch, std::size_t{1}, c.value_size}, bad));
      cache.truncate(static_cast<std::int64_t>(begin));
    }
    const std::size_t end = std::min(c.cached, begin + 1 + random.below(5));
    append(positions(problem.keys, begin, end), positions(problem.values, begin, end));
    begin = end;
  }
  if (c.history == History::copied) {
    const KeyValueCache copy = cache;
    cache.reset();
    cache = copy;
  } else if (c.history == History::moved) {
    layer = with_history(std::move(layer), c.history);
    KeyValueCache other = std::move(cache);
    cache = std::move(other);
  }
}

/// Makes the layer's call and hands its result, of either rank, to `take`.
template <typename Take>
void call_layer(const Problem& problem, ForwardOptions options, const Take& take,
                bool training = false) {
  const Configuration& c = problem.configuration;
  MultiHeadAttention layer = make_layer(problem);
  if (training) {
    layer.train();
  }
  std::optional<KeyValueCache> cache;
  if (c.cache != CacheUse::none) {
    cache = layer.create_cache({.batch_size = static_cast<std::int64_t>(c.batch),
                                .max_length = static_cast<std::int64_t>(c.all_keys() + 1)});
    fill_cache(layer, problem, *cache);
    options.cache = &*cache;
  }
  const Tensor<3> queries = problem.queries;
  const Tensor<3> keys = positions(problem.keys, c.cached, c.all_keys());
  const Tensor<3> values = positions(problem.values, c.cached, c.all_keys());
  if (c.cache == CacheUse::fixed) {
    c.batch_axis ? take(layer.forward(queries, options))
                 : take(layer.forward(without_batch(queries), options));
  } else {
    c.batch_axis ? take(layer.forward(queries, keys, values, options))
                 : take(layer.forward(without_batch(queries), without_batch(keys),
                                      without_batch(values), options));
  }
  if (cache.has_value() && cache->length() != c.all_keys()) {
    throw std::runtime_error("the cache holds " + std::to_string(cache->length()) + " of " +
                             std::to_string(c.all_keys()));
  }
}

Result layer_result(const Problem& problem, const ForwardOptions& options) {
  Result result;
  call_layer(problem, options, [&](const auto& given) { result = collect(given); });
  return result;
}

template <typename Options>
Options with_weights(Options options, bool return_weights) {
  options.return_weights = return_weights;
  return options;
}

}  // namespace

xt::xarray<double> with_own_rank(const xt::xarray<double>& tensor, const Configuration& c) {
  return c.batch_axis ? tensor : xt::xarray<double>(xt::view(tensor, 0));
}

Tensor<2> without_batch(const Tensor<3>& tensor) { return xt::view(tensor, 0); }

Tensor<3> positions(const xt::xarray<float>& tensor, std::size_t begin, std::size_t end) {
  return xt::view(tensor, xt::all(), xt::range(begin, end));
}

Inside library_inside(const Problem& problem) {
  const Configuration& c = problem.configuration;
  Random random(c.numbers + 5);
  ForwardOptions options = problem.options;
  options.return_weights = true;
  if (random.chance(0.7)) {
    options.return_weights.heads = some_below(random, c.heads);
  }
  if (random.chance(0.7)) {
    options.return_weights.queries = some_below(random, c.queries);
  } else if (random.chance(0.5)) {
    options.return_weights = ReturnedWeights::last_query(options.return_weights.heads);
  }
  options.key_mass = true;
  for_each_capture(options.capture, [](const char*, bool& asked) { asked = true; });
  Inside inside{.chosen_heads = options.return_weights.heads.value_or(first_of(c.heads)),
                .chosen_queries = options.return_weights.queries.value_or(first_of(c.queries))};
  if (options.return_weights.last_query_only) {
    inside.chosen_queries.assign(c.queries > 0 ? 1 : 0, static_cast<std::int64_t>(c.queries) - 1);
  }
  const auto take = [&](const auto& result) {
    inside.chosen_weights = *result.attention_weights;
    inside.tensors = {{"output", result.output}, {"keyMass", *result.key_mass}};
    for_each_capture(result.captured,
                     [&](const char* name, const auto& tensor) { inside.tensors[name] = *tensor; });
  };
  call_layer(problem, options, take, c.dropout > 0);
  return inside;
}

NamedTensors reference_inside(const Problem& problem) {
  const Configuration& c = problem.configuration;
  const Doubles<4> factors = dropout_factors(MultiHeadAttention(problem.layer).settings(), c.batch,
                                             c.queries, c.all_keys());
  ForwardOptions options = problem.options;
  options.weights_stage = WeightsStage::softmax;
  const auto [output, heads, pooled] =
      reference::multi_head_attention(problem.layer, problem.parameters, problem.queries,
                                      problem.keys, problem.values, options, c.cached, factors);
  const Doubles<4>& weights = pooled.weights;
  const Doubles<3> key_mass = xt::sum(weights, {2});
  // What is dropped is 0 whatever it was.
  const Doubles<4> dropped = xt::where(xt::equal(factors, 0.0), 0.0, factors * weights);
  NamedTensors result = {{"output", output},
                         {"keyMass", key_mass},
                         {"queries", heads.Q},
                         {"keys", reference::without_slots(heads.K, c.all_keys())},
                         {"values", reference::without_slots(heads.V, c.all_keys())},
                         {"scores", pooled.scores},
                         {"pooled", pooled.output},
                         {"droppedWeights", dropped}};
  for (auto& [name, tensor] : result) {
    tensor = with_own_rank(tensor, c);
  }
  return result;
}

Result library_result(const Problem& problem, bool return_weights) {
  switch (problem.configuration.call) {
    case Call::layer:
      return layer_result(problem, with_weights(problem.options, return_weights));
    case Call::scaled_dot_product_attention:
      return collect(scaled_dot_product_attention(
          problem.queries, problem.keys, problem.values,
          with_weights(problem.dot_product_options(), return_weights)));
    case Call::dot_product_attention:
      return collect(
          dot_product_attention(problem.queries, problem.keys, problem.values,
                                with_weights(problem.dot_product_options(), return_weights)));
    case Call::additive_attention:
      return collect(additive_attention(
          problem.queries, problem.keys, problem.values, problem.additive_parameters(),
          with_weights(problem.pooling_options<AdditiveAttentionOptions>(), return_weights)));
    case Call::masked_softmax:
      break;
  }
  const Tensor<3> weights = masked_softmax(problem.queries, problem.options.valid_lens,
                                           {.empty_rows = problem.options.empty_rows});
  return {.output = weights, .weights = return_weights ? std::optional(weights) : std::nullopt};
}

Result reference_result(const Problem& problem) {
  const Configuration& c = problem.configuration;
  const auto without_head = [](const reference::Pooled& pooled) -> Result {
    return {.output = xt::view(pooled.output, xt::all(), 0),
            .weights = xt::view(pooled.weights, xt::all(), 0)};
  };
  switch (c.call) {
    case Call::layer: {
      const reference::Attention attention =
          reference::multi_head_attention(problem.layer, problem.parameters, problem.queries,
                                          problem.keys, problem.values, problem.options, c.cached);
      return {.output = with_own_rank(attention.output, c),
              .weights = with_own_rank(attention.pooled.weights, c)};
    }
    case Call::scaled_dot_product_attention: {
      const reference::Pooled pooled = reference::scaled_dot_product_attention(
          problem.queries, problem.keys, problem.values, problem.dot_product_options());
      return {.output = pooled.output, .weights = pooled.weights};
    }
    case Call::dot_product_attention:
      return without_head(reference::scaled_dot_product_attention(
          reference::with_head_axis(problem.queries), reference::with_head_axis(problem.keys),
          reference::with_head_axis(problem.values), problem.dot_product_options(), true));
    case Call::additive_attention:
      return without_head(reference::additive_attention(
          reference::with_head_axis(problem.queries), reference::with_head_axis(problem.keys),
          reference::with_head_axis(problem.values), problem.additive_parameters(),
          problem.pooling_options<AdditiveAttentionOptions>()));
    case Call::masked_softmax:
      break;
  }
  const Doubles<3> weights = reference::masked_softmax(problem.queries, problem.options.valid_lens,
                                                       problem.options.empty_rows);
  return {.output = weights, .weights = weights};
}

}  // namespace headwise::test
