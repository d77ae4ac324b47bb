// Matrix product, softmax and exp of the kernels that HEADWISE_ARCHITECTURE names.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <headwise/core/kernels/dispatch.hpp>

#include "benchmarks.hpp"
#include "numbers.hpp"
#include "products.hpp"

namespace headwise::benchmarks {
namespace {

/// B is packed beforehand, as a layer's weights are.
void multiply(benchmark::State& state, const ProductShape& shape) {
  const auto [rows, columns, depth] = shape;
  const auto a = random_numbers(rows * depth, 1);
  const auto b = random_numbers(depth * columns, 2);
  std::vector<float> packed(kernels::packed_size(depth, columns));
  kernels::pack_rows(b.data(), columns, depth, columns, packed.data());
  const kernels::PackedMatrix panels = {.panels = packed.data(),
                                        .panel_stride = depth * kernels::panel_width()};
  std::vector<float> c(rows * columns);
  for (auto _ : state) {
    kernels::gemm(rows, columns, depth, {a.data(), depth}, panels, 1.0F, {}, c.data(), columns);
    benchmark::ClobberMemory();
  }
  count_operations(state, shape);
}

/// `run` works in place on rows of `length`. That it works on its own results changes no times: it
/// has no branch that depends on a number.
template <typename Run>
void in_place(benchmark::State& state, std::size_t rows, std::size_t length, Run run) {
  auto numbers = random_numbers(rows * length, 3);
  for (auto _ : state) {
    for (std::size_t row = 0; row < rows; ++row) {
      run(numbers.data() + row * length, length);
    }
    benchmark::ClobberMemory();
  }
  state.counters["elements"] = benchmark::Counter(static_cast<double>(numbers.size()));
}

void exponentiate_by_standard_library(float* values, std::size_t count) noexcept {
  std::transform(values, values + count, values, [](float value) { return std::exp(value); });
}

}  // namespace

void register_kernels() {
  for (const ProductShape& shape : product_shapes) {
    benchmark::RegisterBenchmark(product_name(shape, "headwise").c_str(),
                                 [shape](benchmark::State& state) { multiply(state, shape); });
  }
  for (const std::size_t length : {33, 128, 512, 2048}) {
    const std::string name = "softmax 16x" + std::to_string(length) + "/headwise";
    benchmark::RegisterBenchmark(name.c_str(), [length](benchmark::State& state) {
      in_place(state, 16, length, kernels::softmax);
    });
  }
  benchmark::RegisterBenchmark("exp 4096/headwise", [](benchmark::State& state) {
    in_place(state, 1, 4096, kernels::exponential);
  });
  benchmark::RegisterBenchmark("exp 4096/standard library", [](benchmark::State& state) {
    in_place(state, 1, 4096, exponentiate_by_standard_library);
  });
}

}  // namespace headwise::benchmarks
