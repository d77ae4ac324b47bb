#pragma once

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "numbers.hpp"

namespace headwise::benchmarks {

/// A (rows, depth) · B (depth, columns)
struct ProductShape {
  std::size_t rows;
  std::size_t columns;
  std::size_t depth;
};

/// Projections of layers, a square one, and the single row of a decoding step.
inline constexpr std::array<ProductShape, 5> product_shapes = {
    {{.rows = 128, .columns = 384, .depth = 384},
     {.rows = 128, .columns = 768, .depth = 768},
     {.rows = 512, .columns = 768, .depth = 768},
     {.rows = 512, .columns = 512, .depth = 512},
     {.rows = 1, .columns = 768, .depth = 768}}};

/// What is measured, a slash, and who does it: benchmarks/native/kernels.mjs takes it apart.
[[nodiscard]] inline std::string product_name(const ProductShape& shape, const char* who) {
  const auto text = [](std::size_t number) { return std::to_string(number); };
  return "GEMM " + text(shape.rows) + "x" + text(shape.columns) + "x" + text(shape.depth) + "/" +
         who;
}

inline void count_operations(benchmark::State& state, double operations) {
  state.counters["flops"] = benchmark::Counter(operations);
}

inline void count_operations(benchmark::State& state, const ProductShape& shape) {
  const auto [rows, columns, depth] = shape;
  count_operations(state, 2 * static_cast<double>(rows) * static_cast<double>(columns) *
                              static_cast<double>(depth));
}

/// Times `multiply(a, b, c)`, a product of row-major matrices by a library whose interface knows no
/// packed matrix, so that it packs B within each call.
template <typename Multiply>
void multiply_unpacked(benchmark::State& state, const ProductShape& shape,
                       const Multiply& multiply) {
  const auto a = random_numbers(shape.rows * shape.depth, 1);
  const auto b = random_numbers(shape.depth * shape.columns, 2);
  std::vector<float> c(shape.rows * shape.columns);
  // A first call may compile.
  multiply(a.data(), b.data(), c.data());
  for (auto _ : state) {
    multiply(a.data(), b.data(), c.data());
    benchmark::ClobberMemory();
  }
  count_operations(state, shape);
}

}  // namespace headwise::benchmarks
