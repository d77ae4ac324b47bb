#include "function_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/attention/masked_softmax.hpp>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/attention/quantized_weights.hpp>
#include <headwise/core/io/number_types.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/random.hpp>

#include "mask_record.hpp"
#include "memory.hpp"

namespace headwise::bindings {
namespace {

PoolingArguments read_pooling(const PoolingRecord& record, const AttentionMask& mask) {
  PoolingArguments arguments;
  arguments.mask = &mask;
  arguments.num_heads = record.num_heads;
  arguments.num_kv_heads = record.num_kv_heads;
  arguments.query_size = record.query_size;
  arguments.key_size = record.key_size;
  arguments.value_size = record.value_size;
  arguments.pooled =
      separate_heads_view(record.output, record.num_heads, mask.num_queries, record.value_size);
  arguments.weights.front() = {.to = record.attention_weights,
                               .rows = {},
                               .stage = static_cast<WeightsStage>(record.weights_stage)};
  arguments.num_threads = parallel::num_threads();
  arguments.queries =
      separate_heads_view(record.queries, record.num_heads, mask.num_queries, record.query_size);
  arguments.keys =
      separate_heads_view(record.keys, record.num_kv_heads, mask.num_keys, record.key_size);
  arguments.values =
      separate_heads_view(record.values, record.num_kv_heads, mask.num_keys, record.value_size);
  return arguments;
}

}  // namespace

void masked_softmax(Address record, Address weights) {
  headwise::masked_softmax_into(read_mask(record_at<MaskRecord>(record)), at<float>(weights),
                                parallel::num_threads());
}

double pooling_workspace_size(double num_keys, double query_size, double key_size,
                              double value_size, double attention_hiddens) {
  const PoolingSizes sizes{.columns = size_of(num_keys),
                           .query_size = size_of(query_size),
                           .key_size = size_of(key_size),
                           .value_size = size_of(value_size),
                           .attention_hiddens = size_of(attention_hiddens)};
  return floats_of([&](Arena& arena) {
    static_cast<void>(PoolingMemory::lay_out(arena, sizes, parallel::num_threads()));
  });
}

void scaled_dot_product_attention(Address address, double scale, double softcap) {
  const auto& record = record_at<PoolingRecord>(address);
  const AttentionMask mask = read_mask(record.mask);
  Arena arena = working_arena(record.workspace);
  pool(
      read_pooling(record, mask),
      {.dot_product = {.scale = static_cast<float>(scale), .softcap = static_cast<float>(softcap)}},
      arena);
}

void additive_attention(Address address) {
  const auto& record = record_at<PoolingRecord>(address);
  const AttentionMask mask = read_mask(record.mask);
  Arena arena = working_arena(record.workspace);
  pool(read_pooling(record, mask),
       {.additive = {.W_q = record.W_q,
                     .W_k = record.W_k,
                     .w_v = record.w_v,
                     .hiddens = record.attention_hiddens}},
       arena);
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
