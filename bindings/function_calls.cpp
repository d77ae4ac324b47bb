#include "function_calls.hpp"

#include <cstdint>
#include <headwise/core/attention/pooling.hpp>
#include <headwise/core/io/number_types.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/heads.hpp>
#include <headwise/masked_softmax.hpp>
#include <headwise/core/random.hpp>

#include "mask_record.hpp"

namespace headwise::bindings {
namespace {

/// What a pooling function is given. The order of the numbers is that of `pool` in
/// pooling-functions.ts.
struct PoolingCall {
  PoolingArguments arguments;
  float* workspace;
  AdditiveScoring additive;
};

PoolingCall read_pooling(Address address, const AttentionMask& mask) {
  Record record(address);
  PoolingArguments arguments;
  arguments.mask = &mask;
  arguments.num_heads = record.size();
  arguments.num_kv_heads = record.size();
  arguments.query_size = record.size();
  arguments.key_size = record.size();
  arguments.value_size = record.size();
  arguments.pooled = separate_heads_view(record.pointer<float>(), arguments.num_heads,
                                         mask.num_queries, arguments.value_size);
  arguments.attention_weights = record.pointer<float>();
  arguments.weights_stage = static_cast<WeightsStage>(record.integer());
  arguments.num_threads = parallel::num_threads();
  auto* const workspace = record.pointer<float>();
  AdditiveScoring additive;
  additive.hiddens = record.size();
  arguments.queries = separate_heads_view(record.pointer<const float>(), arguments.num_heads,
                                          mask.num_queries, arguments.query_size);
  arguments.keys = separate_heads_view(record.pointer<const float>(), arguments.num_kv_heads,
                                       mask.num_keys, arguments.key_size);
  arguments.values = separate_heads_view(record.pointer<const float>(), arguments.num_kv_heads,
                                         mask.num_keys, arguments.value_size);
  if (additive.hiddens > 0) {
    additive.W_q = record.pointer<const float>();
    additive.W_k = record.pointer<const float>();
    additive.w_v = record.pointer<const float>();
  }
  return {.arguments = arguments, .workspace = workspace, .additive = additive};
}

}  // namespace

void masked_softmax(Address mask_record, Address weights) {
  Record record(mask_record);
  headwise::masked_softmax_into(read_mask(record), at<float>(weights), parallel::num_threads());
}

double pooling_workspace_size(double num_keys, double query_size, double key_size,
                              double value_size, double attention_hiddens) {
  return static_cast<double>(parallel::num_threads()) *
         headwise::pooling_workspace_size(num_keys, query_size, key_size, value_size,
                                          attention_hiddens);
}

void scaled_dot_product_attention(Address mask_record, Address pooling_record, double scale,
                                  double softcap) {
  Record record(mask_record);
  const AttentionMask mask = read_mask(record);
  const PoolingCall call = read_pooling(pooling_record, mask);
  const DotProductScoring scoring{.scale = static_cast<float>(scale),
                                  .softcap = static_cast<float>(softcap)};
  pool(call.arguments, scoring, call.workspace);
}

void additive_attention(Address mask_record, Address pooling_record) {
  Record record(mask_record);
  const AttentionMask mask = read_mask(record);
  const PoolingCall call = read_pooling(pooling_record, mask);
  pool(call.arguments, call.additive, call.workspace);
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
