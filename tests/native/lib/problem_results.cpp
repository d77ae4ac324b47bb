#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "attention_reference.hpp"
#include "gradient_check.hpp"
#include "problem.hpp"
#include "transformer_call.hpp"

namespace headwise::test {
namespace {

using reference::Doubles;

std::vector<std::size_t> shape_of(const auto& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

std::vector<double> numbers(const auto& tensor) { return {tensor.begin(), tensor.end()}; }

/// A result of the library, or of the reference where `weights` always exist.
Result collect(const auto& output, const auto& weights, bool has_weights) {
  Result result{.output_shape = shape_of(output), .output = numbers(output)};
  if (has_weights) {
    result.weights_shape = shape_of(weights);
    result.weights = numbers(weights);
  }
  return result;
}

template <typename LibraryResult>
Result collect(const LibraryResult& result) {
  return result.attention_weights.has_value()
             ? collect(result.output, *result.attention_weights, true)
             : collect(result.output, result.output, false);
}

Doubles<3> without_head(const Doubles<4>& tensor) {
  Doubles<3> result(std::array{tensor.shape(0), tensor.shape(2), tensor.shape(3)}, 0.0);
  std::copy(tensor.begin(), tensor.end(), result.begin());
  return result;
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

/// The chosen indices, all of them if that is what absence says.
std::vector<std::size_t> indices_of(const std::optional<std::vector<std::int64_t>>& chosen,
                                    std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return chosen.has_value() ? std::vector<std::size_t>(chosen->begin(), chosen->end()) : indices;
}

template <typename Options>
Options with_weights(Options options, bool return_weights) {
  options.return_weights = return_weights;
  return options;
}

}  // namespace

Tensor<2> without_batch(const Tensor<3>& tensor) {
  Tensor<2> result(std::array{tensor.shape(1), tensor.shape(2)});
  std::copy(tensor.begin(), tensor.end(), result.begin());
  return result;
}

Tensor<3> positions(const xt::xarray<float>& tensor, std::size_t begin, std::size_t end) {
  const std::size_t size = tensor.shape(2);
  Tensor<3> result(std::array{tensor.shape(0), end - begin, size});
  for (std::size_t sample = 0; sample < tensor.shape(0); ++sample) {
    const float* first = tensor.data() + (sample * tensor.shape(1) + begin) * size;
    std::copy_n(first, (end - begin) * size, result.data() + sample * (end - begin) * size);
  }
  return result;
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
  options.capture = {.queries = true,
                     .keys = true,
                     .values = true,
                     .scores = true,
                     .pooled = true,
                     .dropped_weights = true};
  Inside inside{.chosen_heads = indices_of(options.return_weights.heads, c.heads),
                .chosen_queries = indices_of(options.return_weights.queries, c.queries)};
  if (options.return_weights.last_query_only) {
    inside.chosen_queries.assign(c.queries > 0 ? 1 : 0, c.queries - 1);
  }
  const auto take = [&](const auto& result) {
    inside.chosen_weights = numbers(*result.attention_weights);
    inside.tensors = {{"output", numbers(result.output)},
                      {"key_mass", numbers(*result.key_mass)},
                      {"queries", numbers(*result.captured.queries)},
                      {"keys", numbers(*result.captured.keys)},
                      {"values", numbers(*result.captured.values)},
                      {"scores", numbers(*result.captured.scores)},
                      {"pooled", numbers(*result.captured.pooled)},
                      {"dropped_weights", numbers(*result.captured.dropped_weights)}};
  };
  call_layer(problem, options, take, c.dropout > 0);
  return inside;
}

std::map<std::string, std::vector<double>> reference_inside(const Problem& problem) {
  const Configuration& c = problem.configuration;
  const Doubles<4> factors = dropout_factors(MultiHeadAttention(problem.layer).settings(), c.batch,
                                             c.queries, c.all_keys());
  ForwardOptions options = problem.options;
  options.weights_stage = WeightsStage::softmax;
  const auto [output, heads, pooled] =
      reference::multi_head_attention(problem.layer, problem.parameters, problem.queries,
                                      problem.keys, problem.values, options, c.cached, factors);
  const Doubles<4>& weights = pooled.weights;
  const auto [batch, num_heads, num_queries, columns] = weights.shape();
  Doubles<3> key_mass(std::array{batch, num_heads, columns}, 0.0);
  Doubles<4> dropped = weights;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    const std::size_t row = i / columns;
    key_mass.data()[row / num_queries * columns + i % columns] += weights.data()[i];
    const double factor = factors.data()[i];
    // What is dropped is 0 whatever it was.
    dropped.data()[i] = factor == 0 ? 0 : factor * weights.data()[i];
  }
  return {{"output", numbers(output)},
          {"key_mass", numbers(key_mass)},
          {"queries", numbers(heads.Q)},
          {"keys", numbers(reference::without_slots(heads.K, c.all_keys()))},
          {"values", numbers(reference::without_slots(heads.V, c.all_keys()))},
          {"scores", numbers(pooled.scores)},
          {"pooled", numbers(pooled.output)},
          {"dropped_weights", numbers(dropped)}};
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
  return collect(weights, weights, return_weights);
}

Result reference_result(const Problem& problem) {
  const Configuration& c = problem.configuration;
  const auto collect_functions = [&](const reference::Pooled& pooled) {
    return collect(without_head(pooled.output), without_head(pooled.weights), true);
  };
  switch (c.call) {
    case Call::layer: {
      const reference::Attention attention =
          reference::multi_head_attention(problem.layer, problem.parameters, problem.queries,
                                          problem.keys, problem.values, problem.options, c.cached);
      Result result = collect(attention.output, attention.pooled.weights, true);
      if (!c.batch_axis) {
        result.output_shape.erase(result.output_shape.begin());
        result.weights_shape.erase(result.weights_shape.begin());
      }
      return result;
    }
    case Call::scaled_dot_product_attention: {
      const reference::Pooled pooled = reference::scaled_dot_product_attention(
          problem.queries, problem.keys, problem.values, problem.dot_product_options());
      return collect(pooled.output, pooled.weights, true);
    }
    case Call::dot_product_attention:
      return collect_functions(reference::scaled_dot_product_attention(
          reference::with_head_axis(problem.queries), reference::with_head_axis(problem.keys),
          reference::with_head_axis(problem.values), problem.dot_product_options(), true));
    case Call::additive_attention:
      return collect_functions(reference::additive_attention(
          reference::with_head_axis(problem.queries), reference::with_head_axis(problem.keys),
          reference::with_head_axis(problem.values), problem.additive_parameters(),
          problem.pooling_options<AdditiveAttentionOptions>()));
    case Call::masked_softmax:
      break;
  }
  const Doubles<3> weights = reference::masked_softmax(problem.queries, problem.options.valid_lens,
                                                       problem.options.empty_rows);
  return collect(weights, weights, true);
}

}  // namespace headwise::test
