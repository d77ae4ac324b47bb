// Google Benchmark's program: its options, with the instruction set among the facts that it writes.
#include <benchmark/benchmark.h>

#include <exception>
#include <iostream>
#include <string>

#include "architecture.hpp"
#include "benchmarks.hpp"
#include "threads.hpp"

int main(int argc, char** argv) {
  using namespace headwise::benchmarks;
  try {
    benchmark::AddCustomContext("architecture", std::string(architecture()));
    use_threads(1);
    register_kernels();
    register_layers();
#if defined(HEADWISE_HAS_OPENBLAS)
    register_openblas();
#endif
#if defined(HEADWISE_HAS_ONEDNN)
    register_onednn();
#endif
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
      return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
