#pragma once

/// What main.cpp has Google Benchmark run; a file each.
namespace headwise::benchmarks {

void register_kernels();
void register_layers();
/// There where OpenBLAS is.
void register_openblas();
/// There where oneDNN is.
void register_onednn();

}  // namespace headwise::benchmarks
