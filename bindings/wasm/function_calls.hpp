#pragma once

#include <cstddef>

#include "record.hpp"

/// Functions without a layer: softmax, pooling, heads, random numbers, number formats.
namespace headwise::bindings {

/// Of `samples` samples from `first` on, in place.
void masked_softmax(Address record, std::size_t first, std::size_t samples, Address scores);

void pool(Address inputs);

/// Check that `num_heads` divides `size`, or `rows`, and move numbers.
void split_heads(double batch, double length, double size, double num_heads, Address from,
                 Address to);
void join_heads(double rows, double length, double head_size, double num_heads, Address from,
                Address to);

/// Returns the address of the sinusoids, 0 if memory does not suffice.
Address positional_encoding(double length, double num_hiddens);

void fill_normal(Address numbers, std::size_t count, double seed);

/// Rounds a row of weights to float16 or int8; returns the factor of the latter.
double round_row(std::size_t precision, Address from, double count, Address to);
void to_floats(std::size_t type, std::size_t size, std::size_t big_endian, Address from,
               std::size_t count, Address to);
void to_row_major(Address shape, std::size_t rank, Address from, Address to);

}  // namespace headwise::bindings
