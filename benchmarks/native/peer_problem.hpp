#pragma once

#include <functional>
#include <istream>
#include <span>

namespace headwise::benchmarks {

/// A problem ready to be called; what a call returns lasts until the next one.
using Call = std::function<std::span<const float>()>;

/// Reads a problem of benchmarks/web/shapes.mjs: a line "kind batch queries keys num_hiddens
/// num_heads valid_len…", where a softmax has zeros for the sizes that it lacks, then float32
/// numbers: the scores of a softmax; else the queries, the keys unless the kind is "self", and
/// W_q, W_k, W_v and W_o. Throws `std::runtime_error` if they end too early.
[[nodiscard]] Call read_problem(std::istream& in);

}  // namespace headwise::benchmarks
