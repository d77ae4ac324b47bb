#pragma once

#include <cstddef>
#include <headwise/headwise.hpp>
#include <string>
#include <vector>

/// Attention in float64, written as the formula has it: what the library's results are held against
/// where there is no oracle.
namespace headwise::test {

using Doubles = std::vector<double>;

struct PoolingSizes {
  std::size_t batch, heads, queries, keys, head_size, value_size;
};

struct Mask {
  ValidLens valid_lens = {};
  EmptyRows empty_rows = EmptyRows::zero;
};

struct Pooled {
  Doubles output;   ///< (batch, heads, queries, value size)
  Doubles weights;  ///< (batch, heads, queries, keys), before dropout
};

/// How many keys a query may attend to.
std::size_t valid_len(const ValidLens& valid_lens, std::size_t sample, std::size_t query,
                      std::size_t num_keys);

/// softmax over the first `count` scores; the rest weigh 0. A row without any is uniform or zero.
Doubles masked_softmax_row(const Doubles& scores, std::size_t count, EmptyRows empty_rows);

/// q (batch, heads, queries, d), k (batch, heads, keys, d), v (batch, heads, keys, dv). Weights are
/// multiplied by `factors`, of their shape, before they sum values, unless it is empty.
Pooled pool(const PoolingSizes& sizes, const Doubles& q, const Doubles& k, const Doubles& v,
            const Mask& mask, const Doubles& factors = {});

/// x Wᵀ + b for the parameters `name`.weight (out, in) and, if the dict has it, `name`.bias.
Doubles project(const StateDict& parameters, const std::string& name, const Doubles& x);

/// The whole layer: output (batch, queries, num_hiddens), weights (batch, heads, queries, keys).
Pooled multi_head_attention(const StateDict& parameters, std::size_t num_heads,
                            const Tensor<3>& queries, const Tensor<3>& keys,
                            const Tensor<3>& values, const Mask& mask, const Doubles& factors = {});

}  // namespace headwise::test
