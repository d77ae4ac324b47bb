#pragma once

#include <cstddef>
#include <headwise/core/kernels/target.hpp>

/// Rotary positions of the heads of one row. Source: Su et al. 2021.
namespace headwise::kernels::HEADWISE_TARGET {

/// Rotates pairs of the first `size` of each head's `head_size` floats, in place; the others stay.
/// `rotation` is size/2 cosines, then size/2 sines. Pair i, (x, y) = (head[i], head[size/2 + i]),
/// or (head[2i], head[2i + 1]) if `interleaved`, becomes (c x − s y, s x + c y) with the cosine c
/// and the sine s of its number; `inverse` rotates back. `size` is even and at most `head_size`.
void rotate(float* row, std::size_t num_heads, std::size_t head_size, const float* rotation,
            std::size_t size, bool interleaved, bool inverse) noexcept;

}  // namespace headwise::kernels::HEADWISE_TARGET
