// The same products by oneDNN. ONEDNN_MAX_CPU_ISA chooses its instruction set.
#include <benchmark/benchmark.h>
#include <dnnl.h>

#include <stdexcept>

#include "benchmarks.hpp"
#include "numbers.hpp"
#include "products.hpp"

namespace headwise::benchmarks {
namespace {

/// oneDNN packs B within each call, as OpenBLAS does.
void multiply(benchmark::State& state, const ProductShape& shape) {
  const auto a = random_numbers(shape.rows * shape.depth, 1);
  const auto b = random_numbers(shape.depth * shape.columns, 2);
  std::vector<float> c(shape.rows * shape.columns);
  const auto rows = static_cast<dnnl_dim_t>(shape.rows);
  const auto columns = static_cast<dnnl_dim_t>(shape.columns);
  const auto depth = static_cast<dnnl_dim_t>(shape.depth);
  for (auto _ : state) {
    if (dnnl_sgemm('N', 'N', rows, columns, depth, 1, a.data(), depth, b.data(), columns, 0,
                   c.data(), columns) != dnnl_success) {
      throw std::runtime_error("oneDNN refused a product");
    }
    benchmark::ClobberMemory();
  }
  count_operations(state, shape);
}

}  // namespace

void register_onednn() {
  const dnnl_version_t* version = dnnl_version();
  benchmark::AddCustomContext("oneDNN", std::to_string(version->major) + "." +
                                            std::to_string(version->minor) + "." +
                                            std::to_string(version->patch));
  for (const ProductShape& shape : product_shapes) {
    benchmark::RegisterBenchmark(product_name(shape, "oneDNN").c_str(),
                                 [shape](benchmark::State& state) { multiply(state, shape); });
  }
}

}  // namespace headwise::benchmarks
