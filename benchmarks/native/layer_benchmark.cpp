// The layer's forward and backward passes, weights drawn and inputs at random, as a program would
// call them.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks.hpp"
#include "products.hpp"

namespace headwise::benchmarks {
namespace {

struct LayerShape {
  std::size_t length;
  std::int64_t num_hiddens;
  std::int64_t num_heads;
};

constexpr std::array<LayerShape, 4> layer_shapes = {
    {{.length = 128, .num_hiddens = 384, .num_heads = 12},
     {.length = 128, .num_hiddens = 768, .num_heads = 12},
     {.length = 512, .num_hiddens = 768, .num_heads = 12},
     {.length = 2048, .num_hiddens = 512, .num_heads = 8}}};

constexpr std::array<LayerShape, 2> trained_shapes = {layer_shapes[1], layer_shapes[2]};

std::string name_of(const char* work, const LayerShape& shape, const char* who) {
  return std::string(work) + " L" + std::to_string(shape.length) + " D" +
         std::to_string(shape.num_hiddens) + " h" + std::to_string(shape.num_heads) + "/" + who;
}

MultiHeadAttention layer_of(const LayerShape& shape, Precision weights = Precision::float32) {
  return MultiHeadAttention({.num_hiddens = shape.num_hiddens,
                             .num_heads = shape.num_heads,
                             .query_size = shape.num_hiddens,
                             .key_size = shape.num_hiddens,
                             .value_size = shape.num_hiddens,
                             .weights = weights,
                             .seed = 1});
}

Tensor<3> inputs_of(const LayerShape& shape) {
  return randn<3>({1, shape.length, static_cast<std::size_t>(shape.num_hiddens)}, 1);
}

/// Of `projections` products with a (D, D) matrix, and `poolings` with all scores.
void count_layer_operations(benchmark::State& state, const LayerShape& shape, double projections,
                            double poolings) {
  const auto L = static_cast<double>(shape.length);
  const auto D = static_cast<double>(shape.num_hiddens);
  count_operations(state, 2 * projections * L * D * D + 2 * poolings * L * L * D);
}

void forward(benchmark::State& state, const LayerShape& shape, const ForwardOptions& options,
             Precision weights = Precision::float32) {
  MultiHeadAttention attention = layer_of(shape, weights);
  const Tensor<3> X = inputs_of(shape);
  attention.forward(X, X, X, options);  // allocates what later calls use again
  for (auto _ : state) {
    benchmark::DoNotOptimize(attention.forward(X, X, X, options));
  }
  count_layer_operations(state, shape, 4, 2);
}

/// The forward before each, since a record serves once, is not in the time.
void backward(benchmark::State& state, const LayerShape& shape) {
  MultiHeadAttention attention = layer_of(shape);
  const Tensor<3> X = inputs_of(shape);
  const auto run_forward = [&] {
    return attention.forward(X, X, X, {.requires_grad = true}).output;
  };
  attention.backward(run_forward());
  for (auto _ : state) {
    state.PauseTiming();
    const Tensor<3> output = run_forward();
    state.ResumeTiming();
    benchmark::DoNotOptimize(attention.backward(output));
  }
  count_layer_operations(state, shape, 8, 5);
}

/// Half of the heads are gone.
void forward_pruned(benchmark::State& state, const LayerShape& shape) {
  MultiHeadAttention attention = layer_of(shape);
  std::vector<std::int64_t> heads(static_cast<std::size_t>(shape.num_heads / 2));
  std::iota(heads.begin(), heads.end(), 0);
  attention.prune_heads(heads);
  const Tensor<3> X = inputs_of(shape);
  for (auto _ : state) {
    benchmark::DoNotOptimize(attention.forward(X, X, X));
  }
  count_layer_operations(state, shape, 2, 1);
}

/// As a tensor, the mask of a causal pass: nothing in its shape tells that it is a triangle.
xt::xarray<bool> triangle(std::size_t length) {
  xt::xarray<bool> mask = xt::xarray<bool>::from_shape({length, length});
  for (std::size_t query = 0; query < length; ++query) {
    for (std::size_t key = 0; key < length; ++key) {
      mask(query, key) = key <= query;
    }
  }
  return mask;
}

}  // namespace

void register_layers() {
  const auto add = [](const std::string& name, const auto& run) {
    benchmark::RegisterBenchmark(name.c_str(), run);
  };
  for (const LayerShape& shape : layer_shapes) {
    add(name_of("layer", shape, "headwise"),
        [shape](benchmark::State& state) { forward(state, shape, {}); });
  }
  for (const LayerShape& shape : trained_shapes) {
    add(name_of("backward", shape, "headwise"),
        [shape](benchmark::State& state) { backward(state, shape); });
    add(name_of("backward", shape, "its forward"),
        [shape](benchmark::State& state) { forward(state, shape, {.requires_grad = true}); });
    add(name_of("int8", shape, "headwise"),
        [shape](benchmark::State& state) { forward(state, shape, {}, Precision::int8); });
    add(name_of("int8", shape, "float32"),
        [shape](benchmark::State& state) { forward(state, shape, {}); });
  }
  const LayerShape shape = trained_shapes.front();
  add(name_of("tensor mask", shape, "headwise"), [shape](benchmark::State& state) {
    forward(state, shape, {.mask = triangle(shape.length)});
  });
  add(name_of("tensor mask", shape, "no mask"),
      [shape](benchmark::State& state) { forward(state, shape, {}); });
  add(name_of("half the heads", shape, "headwise"),
      [shape](benchmark::State& state) { forward_pruned(state, shape); });
  add(name_of("half the heads", shape, "all heads"),
      [shape](benchmark::State& state) { forward(state, shape, {}); });
  const LayerShape longest = layer_shapes.back();
  const auto add_beside_plain = [&](const char* work, const ForwardOptions& options) {
    add(name_of(work, longest, "headwise"),
        [=](benchmark::State& state) { forward(state, longest, options); });
    add(name_of(work, longest, "plain pass"),
        [=](benchmark::State& state) { forward(state, longest, {}); });
  };
  add_beside_plain("the last query's weights", {.return_weights = ReturnedWeights::last_query()});
  add_beside_plain("a head's weights",
                   {.return_weights = {std::vector<std::int64_t>{3}, std::nullopt}});
  add_beside_plain("mass on keys", {.key_mass = true});
}

}  // namespace headwise::benchmarks
