#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/core/kernels/packed_matrix.hpp>

/// Weights (out, in) of less than 32 bits, packed as integers with a factor for each output.
namespace headwise {

/// Rounds numbers to float16, as IEEE 754 says; doing so again changes nothing.
void round_to_float16(float* numbers, std::size_t count) noexcept;

/// Rounds the weights of an output to int8: multiples, up to 127, of a factor of 17 bits, so that
/// multiples are exact and rounding them again changes nothing. Returns the factor, NaN where a
/// weight is not finite.
float to_int8(const float* row, std::size_t in, std::int8_t* integers) noexcept;

/// Floats of the memory for packed weights, saturated.
[[nodiscard]] std::size_t quantized_size(Precision precision, std::size_t out,
                                         std::size_t in) noexcept;

/// Packs weights of float16 with an error of 2⁻¹⁵ of an output's largest. The weights of an output
/// that has one that is not finite become NaN.
void pack_float16(std::size_t out, std::size_t in, const float* weight, float* packed) noexcept;

/// Packs the weights of one output, rounded to int8; all are NaN if one of them is not finite.
void pack_int8(const float* row, std::size_t column, std::size_t out, std::size_t in,
               float* packed) noexcept;
/// The weights [first, first + count) of an output, as `pack_int8` rounded them.
void unpack_int8(const float* packed, std::size_t column, std::size_t out, std::size_t in,
                 std::size_t first, std::size_t count, float* row) noexcept;

/// Rounds up to 32 weights of an output to multiples, from −8 to 7, of their largest / −8, or of a
/// factor that makes all of them exact, so that rounding them again changes nothing. Returns the
/// factor, NaN where a weight is not finite. Source: Q4_0 of llama.cpp.
float to_int4(const float* weights, std::size_t count, std::int8_t* integers) noexcept;
/// Packs the weights of one output, rounded to int4; a block that has one that is not finite
/// becomes NaN.
void pack_int4(const float* row, std::size_t column, std::size_t in, float* packed) noexcept;
/// The weights [first, first + count) of an output, as `pack_int4` rounded them.
void unpack_int4(const float* packed, std::size_t column, std::size_t in, std::size_t first,
                 std::size_t count, float* row) noexcept;
/// Packed weights, from a column on where a panel begins.
[[nodiscard]] kernels::Int4Matrix int4_weights(std::size_t in, const float* packed,
                                               std::size_t first_column) noexcept;

/// Packed weights of float16 or int8, from a column on where a panel begins.
[[nodiscard]] kernels::QuantizedMatrix quantized_weights(Precision precision, std::size_t out,
                                                         std::size_t in, const float* packed,
                                                         std::size_t first_column) noexcept;

/// The largest magnitude of these numbers, NaN where one is not finite.
[[nodiscard]] float largest_magnitude(const float* numbers, std::size_t count) noexcept;

/// The integer nearest to number / largest · `max_integer`, 0 for a `largest` of 0 or NaN.
[[nodiscard]] std::int16_t to_integer(float number, float largest, int max_integer) noexcept;

}  // namespace headwise
