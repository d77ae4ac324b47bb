#include <algorithm>
#include <stdexcept>

#include "attention_reference.hpp"
#include "problem.hpp"

namespace headwise::test {
namespace {

using reference::Doubles;

std::vector<std::size_t> shape_of(const auto& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

/// A result of the library, or of the reference where `weights` always exist.
Result collect(const auto& output, const auto& weights, bool has_weights) {
  Result result{.output_shape = shape_of(output), .output = {output.begin(), output.end()}};
  if (has_weights) {
    result.weights_shape = shape_of(weights);
    result.weights = std::vector<double>(weights.begin(), weights.end());
  }
  return result;
}

template <typename LibraryResult>
Result collect(const LibraryResult& result) {
  return result.attention_weights.has_value()
             ? collect(result.output, *result.attention_weights, true)
             : collect(result.output, result.output, false);
}

Tensor<2> without_batch(const Tensor<3>& tensor) {
  Tensor<2> result(std::array{tensor.shape(1), tensor.shape(2)});
  std::copy(tensor.begin(), tensor.end(), result.begin());
  return result;
}

/// (batch, length, size) → (batch, 1, length, size)
Doubles<4> as_one_head(const xt::xarray<float>& tensor) {
  Doubles<4> result(std::array{tensor.shape(0), std::size_t{1}, tensor.shape(1), tensor.shape(2)},
                    0.0);
  std::copy(tensor.begin(), tensor.end(), result.begin());
  return result;
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
  for (std::size_t begin = 0; begin < c.cached;) {
    const std::size_t end = std::min(c.cached, begin + 1 + random.below(5));
    const Tensor<3> queries(std::array{c.batch, random.below(2), c.query_size}, 1.0F);
    const Tensor<3> keys = positions(problem.keys, begin, end);
    const Tensor<3> values = positions(problem.values, begin, end);
    if (c.batch_axis) {
      layer.forward(queries, keys, values, {.cache = &cache});
    } else {
      layer.forward(without_batch(queries), without_batch(keys), without_batch(values),
                    {.cache = &cache});
    }
    begin = end;
  }
}

Result layer_result(const Problem& problem, ForwardOptions options) {
  const Configuration& c = problem.configuration;
  MultiHeadAttention layer = make_layer(problem);
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
  Result result;
  if (c.cache == CacheUse::fixed) {
    result = c.batch_axis ? collect(layer.forward(queries, options))
                          : collect(layer.forward(without_batch(queries), options));
  } else {
    result = c.batch_axis ? collect(layer.forward(queries, keys, values, options))
                          : collect(layer.forward(without_batch(queries), without_batch(keys),
                                                  without_batch(values), options));
  }
  if (cache.has_value() && cache->length() != c.all_keys()) {
    throw std::runtime_error("the cache holds " + std::to_string(cache->length()) + " of " +
                             std::to_string(c.all_keys()));
  }
  return result;
}

template <typename Options>
Options with_weights(Options options, bool return_weights) {
  options.return_weights = return_weights;
  return options;
}

}  // namespace

Tensor<3> positions(const xt::xarray<float>& tensor, std::size_t begin, std::size_t end) {
  const std::size_t size = tensor.shape(2);
  Tensor<3> result(std::array{tensor.shape(0), end - begin, size});
  for (std::size_t sample = 0; sample < tensor.shape(0); ++sample) {
    const float* first = tensor.data() + (sample * tensor.shape(1) + begin) * size;
    std::copy_n(first, (end - begin) * size, result.data() + sample * (end - begin) * size);
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
      return collect(additive_attention(problem.queries, problem.keys, problem.values,
                                        problem.additive_parameters(),
                                        with_weights(problem.additive_options(), return_weights)));
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
      const auto [output, weights] =
          reference::multi_head_attention(problem.layer, problem.parameters, problem.queries,
                                          problem.keys, problem.values, problem.options, c.cached);
      Result result = collect(output, weights, true);
      if (!c.batch_axis) {
        result.output_shape.erase(result.output_shape.begin());
        result.weights_shape.erase(result.weights_shape.begin());
      }
      return result;
    }
    case Call::scaled_dot_product_attention: {
      const auto [output, weights] = reference::scaled_dot_product_attention(
          problem.queries, problem.keys, problem.values, problem.dot_product_options());
      return collect(output, weights, true);
    }
    case Call::dot_product_attention:
      return collect_functions(reference::scaled_dot_product_attention(
          as_one_head(problem.queries), as_one_head(problem.keys), as_one_head(problem.values),
          problem.dot_product_options(), true));
    case Call::additive_attention:
      return collect_functions(reference::additive_attention(
          as_one_head(problem.queries), as_one_head(problem.keys), as_one_head(problem.values),
          problem.additive_parameters(), problem.additive_options()));
    case Call::masked_softmax:
      break;
  }
  const Doubles<3> weights = reference::masked_softmax(problem.queries, problem.options.valid_lens,
                                                       problem.options.empty_rows);
  return collect(weights, weights, true);
}

}  // namespace headwise::test
