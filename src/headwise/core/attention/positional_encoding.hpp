#pragma once

#include <cstddef>

namespace headwise {

/// `positional_encoding` into `P` (length, num_hiddens). With `halves`, all sines stand before all
/// cosines. Source: Junczys-Dowmunt et al. 2018, Marian.
void positional_encoding_into(std::size_t length, std::size_t num_hiddens, float* P,
                              bool halves = false) noexcept;

}  // namespace headwise
