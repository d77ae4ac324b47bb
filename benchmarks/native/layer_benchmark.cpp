// The layer's forward pass, weights drawn and inputs at random, as a program would call it.
#include <benchmark/benchmark.h>

#include <array>
#include <headwise/headwise.hpp>
#include <string>

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

void forward(benchmark::State& state, const LayerShape& shape) {
  const auto [length, num_hiddens, num_heads] = shape;
  MultiHeadAttention attention({.num_hiddens = num_hiddens, .num_heads = num_heads, .seed = 1});
  const auto X = randn<3>({1, length, static_cast<std::size_t>(num_hiddens)}, 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(attention.forward(X, X, X));
  }
  const auto L = static_cast<double>(length);
  const auto D = static_cast<double>(num_hiddens);
  count_operations(state, 8 * L * D * D + 4 * L * L * D);
}

}  // namespace

void register_layers() {
  for (const LayerShape& shape : layer_shapes) {
    const std::string name = "layer L" + std::to_string(shape.length) + " D" +
                             std::to_string(shape.num_hiddens) + " h" +
                             std::to_string(shape.num_heads) + "/headwise";
    benchmark::RegisterBenchmark(name.c_str(),
                                 [shape](benchmark::State& state) { forward(state, shape); });
  }
}

}  // namespace headwise::benchmarks
