#include "function_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/api/pooling_inputs.hpp>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/io/number_types.hpp>
#include <headwise/core/random.hpp>

#include "memory.hpp"
#include "records.hpp"
#include "results.hpp"

namespace headwise::bindings {

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

void split_heads(std::size_t batch, std::size_t length, std::size_t num_heads,
                 std::size_t head_size, Address from, Address to) {
  copy_heads(split_heads_view(at<const float>(from), length, num_heads, head_size),
             separate_heads_view(at<float>(to), num_heads, length, head_size), batch, num_heads,
             length, head_size);
}

void join_heads(std::size_t batch, std::size_t length, std::size_t num_heads, std::size_t head_size,
                Address from, Address to) {
  copy_heads(separate_heads_view(at<const float>(from), num_heads, length, head_size),
             split_heads_view(at<float>(to), length, num_heads, head_size), batch, num_heads,
             length, head_size);
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
