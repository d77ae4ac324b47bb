// The same products by oneDNN. ONEDNN_MAX_CPU_ISA chooses its instruction set.
#include <benchmark/benchmark.h>
#include <dnnl.h>

#include <stdexcept>
#include <string>

#include "benchmarks.hpp"
#include "products.hpp"

namespace headwise::benchmarks {
namespace {

void multiply(benchmark::State& state, const ProductShape& shape) {
  const auto rows = static_cast<dnnl_dim_t>(shape.rows);
  const auto columns = static_cast<dnnl_dim_t>(shape.columns);
  const auto depth = static_cast<dnnl_dim_t>(shape.depth);
  multiply_unpacked(state, shape, [&](const float* a, const float* b, float* c) {
    if (dnnl_sgemm('N', 'N', rows, columns, depth, 1, a, depth, b, columns, 0, c, columns) !=
        dnnl_success) {
      throw std::runtime_error("oneDNN refused a product");
    }
  });
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
