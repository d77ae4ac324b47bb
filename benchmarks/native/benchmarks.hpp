#pragma once

/// Benchmarks that main.cpp registers with Google Benchmark, each in its own file.
namespace headwise::benchmarks {

void register_kernels();
void register_layers();
/// Defined if OpenBLAS is installed.
void register_openblas();
/// Defined if oneDNN is installed.
void register_onednn();

}  // namespace headwise::benchmarks
