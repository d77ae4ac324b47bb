#pragma once

#include <cstddef>

namespace headwise {

/// `positional_encoding` into `P` (length, num_hiddens).
void positional_encoding_into(std::size_t length, std::size_t num_hiddens, float* P) noexcept;

}  // namespace headwise
