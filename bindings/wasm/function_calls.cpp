#include "function_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/api/pooling_inputs.hpp>
#include <headwise/api/validation_options.hpp>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/attention/positional_encoding.hpp>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/io/number_types.hpp>
#include <headwise/core/random.hpp>
#include <string_view>

#include "memory.hpp"
#include "records.hpp"
#include "results.hpp"

namespace headwise::bindings {
namespace {

/// `size` / `num_heads`. `what` names the size in the error.
std::size_t divided(double size, std::string_view what, double num_heads) {
  validation::check_divides(static_cast<std::int64_t>(num_heads), what,
                            static_cast<std::uint64_t>(size));
  return size_of(size / num_heads);
}

}  // namespace

void masked_softmax(Address address, std::size_t first, std::size_t samples, Address scores) {
  const auto& [batch, num_queries, num_keys, masks] = record_at<SoftmaxRecord>(address);
  const MaskSizes sizes{
      .batch = batch, .num_heads = 1, .num_queries = num_queries, .num_keys = num_keys};
  softmax_samples(masks, sizes, first, samples, at<float>(scores));
}

void pool(Address address) {
  const auto& inputs = record_at<PoolingInputs>(address);
  Results results;
  pool_inputs(inputs, !inputs.is_additive, results);
}

void split_heads(double batch, double length, double size, double num_heads, Address from,
                 Address to) {
  const std::size_t each = divided(size, "the last axis of X", num_heads);
  const std::size_t heads = size_of(num_heads);
  const std::size_t rows = size_of(length);
  copy_heads(split_heads_view(at<const float>(from), rows, heads, each),
             separate_heads_view(at<float>(to), heads, rows, each), size_of(batch), heads, rows,
             each);
}

void join_heads(double rows, double length, double head_size, double num_heads, Address from,
                Address to) {
  const std::size_t batch = divided(rows, "the first axis of X", num_heads);
  const std::size_t heads = size_of(num_heads);
  const std::size_t each = size_of(head_size);
  copy_heads(separate_heads_view(at<const float>(from), heads, size_of(length), each),
             split_heads_view(at<float>(to), size_of(length), heads, each), batch, heads,
             size_of(length), each);
}

Address positional_encoding(double length, double num_hiddens) {
  validation::check_positional_encoding(static_cast<std::int64_t>(length),
                                        static_cast<std::int64_t>(num_hiddens));
  // A request for nothing may get no address.
  const Address P = reserve(std::max(length * num_hiddens, 1.0));
  if (P != 0) {
    positional_encoding_into(size_of(length), size_of(num_hiddens), at<float>(P));
  }
  return P;
}

void fill_normal(Address numbers, std::size_t count, double seed) {
  headwise::fill_normal(at<float>(numbers), count, static_cast<std::uint64_t>(seed));
}

double round_row(std::size_t precision, Address from, double count, Address to) {
  const auto* const row = at<const float>(from);
  const std::size_t size = size_of(count);
  if (static_cast<Precision>(precision) == Precision::int8) {
    return to_int8(row, size, at<std::int8_t>(to));
  }
  std::transform(row, row + size, at<std::uint16_t>(to), headwise::io::float_to_half);
  return 1;
}

void to_floats(std::size_t type, std::size_t size, std::size_t big_endian, Address from,
               std::size_t count, Address to) {
  headwise::io::to_floats(
      {.type = static_cast<io::NumberType>(type), .size = size, .big_endian = big_endian != 0},
      at<const std::byte>(from), count, at<float>(to));
}

void to_row_major(Address shape, std::size_t rank, Address from, Address to) {
  headwise::io::to_row_major(at<const std::size_t>(shape), rank, at<const float>(from),
                             at<float>(to));
}

}  // namespace headwise::bindings
