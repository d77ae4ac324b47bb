// The same products by OpenBLAS. OPENBLAS_CORETYPE chooses its instruction set.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include "benchmarks.hpp"
#include "products.hpp"

namespace headwise::benchmarks {
namespace {

void multiply(benchmark::State& state, const ProductShape& shape) {
  const auto rows = static_cast<blasint>(shape.rows);
  const auto columns = static_cast<blasint>(shape.columns);
  const auto depth = static_cast<blasint>(shape.depth);
  multiply_unpacked(state, shape, [&](const float* a, const float* b, float* c) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, depth, 1, a, depth, b,
                columns, 0, c, columns);
  });
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
