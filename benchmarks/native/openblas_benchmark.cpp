// The same products by OpenBLAS. OPENBLAS_CORETYPE chooses its instruction set.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include "benchmarks.hpp"
#include "numbers.hpp"
#include "products.hpp"

namespace headwise::benchmarks {
namespace {

/// OpenBLAS packs B within each call: its interface knows no packed matrix.
void multiply(benchmark::State& state, const ProductShape& shape) {
  const auto a = random_numbers(shape.rows * shape.depth, 1);
  const auto b = random_numbers(shape.depth * shape.columns, 2);
  std::vector<float> c(shape.rows * shape.columns);
  const auto rows = static_cast<blasint>(shape.rows);
  const auto columns = static_cast<blasint>(shape.columns);
  const auto depth = static_cast<blasint>(shape.depth);
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, depth, 1, a.data(), depth,
                b.data(), columns, 0, c.data(), columns);
    benchmark::ClobberMemory();
  }
  count_operations(state, shape);
}

}  // namespace

void register_openblas() {
  openblas_set_num_threads(1);
  benchmark::AddCustomContext("OpenBLAS", openblas_get_config());
  for (const ProductShape& shape : product_shapes) {
    benchmark::RegisterBenchmark(product_name(shape, "OpenBLAS").c_str(),
                                 [shape](benchmark::State& state) { multiply(state, shape); });
  }
}

}  // namespace headwise::benchmarks
