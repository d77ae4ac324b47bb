#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/core/kernels/packed_matrix.hpp>

/// Weights (out, in) of less than 32 bits: rounded to what such a precision holds, and packed as
/// integers with a factor for each output.
namespace headwise {

/// Rounds the weights in place; doing so again changes nothing. float16: as IEEE 754 says. int8: to
/// multiples, up to 127, of a factor for each output, which has 17 bits, so that multiples are
/// exact. An output with a weight that is not finite keeps its int8 weights.
void round_weights(Precision precision, std::size_t out, std::size_t in, float* weight) noexcept;

/// The integers of rounded int8 weights of an output; returns their factor, NaN where a weight is
/// not finite.
float to_int8(const float* row, std::size_t in, std::int8_t* integers) noexcept;

/// Floats of the memory that `quantize_weights` writes, saturated.
[[nodiscard]] std::size_t quantized_size(Precision precision, std::size_t out,
                                         std::size_t in) noexcept;

/// Packs rounded weights, int8 exactly, float16 with an error of 2⁻¹⁵ of an output's largest. The
/// weights of an output that has one that is not finite become NaN.
void quantize_weights(Precision precision, std::size_t out, std::size_t in, const float* weight,
                      float* packed) noexcept;

/// What `quantize_weights` packed, from a column on where a panel begins.
[[nodiscard]] kernels::QuantizedMatrix quantized_weights(Precision precision, std::size_t out,
                                                         std::size_t in, const float* packed,
                                                         std::size_t first_column) noexcept;

/// The largest magnitude of these numbers, NaN where one is not finite.
[[nodiscard]] float largest_magnitude(const float* numbers, std::size_t count) noexcept;

/// The integer of 15 bits nearest to number / largest · `kernels::max_int16`, 0 for a `largest` of
/// 0 or NaN.
[[nodiscard]] std::int16_t to_int16(float number, float largest) noexcept;

}  // namespace headwise
