#pragma once

#include <cstdint>
#include <headwise/tensor.hpp>

namespace headwise {

/// Sinusoids of positions 0 … length − 1, (length, num_hiddens): P[i, 2j] = sin(i / 10000^(2j /
/// num_hiddens)), P[i, 2j + 1] = cos of the same angle. Source: Vaswani et al. 2017; d2l,
/// Self-Attention and Positional Encoding, `PositionalEncoding`. Throws `Error` (invalid-option)
/// for a negative length or num_hiddens below 1.
[[nodiscard]] Tensor<2> positional_encoding(std::int64_t length, std::int64_t num_hiddens);

}  // namespace headwise
