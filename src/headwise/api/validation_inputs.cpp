#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/attention_pooling.hpp>
#include <headwise/multi_head_attention.hpp>
#include <limits>
#include <vector>

namespace headwise {

void fail_rank(std::size_t rank, std::span<const std::size_t> shape) {
  validation::fail(ErrorCode::invalid_shape, "tensor", {rank, " axes"}, {shape});
}

}  // namespace headwise

namespace headwise::validation {

namespace {

Shape shape_of(const auto& tensor) { return {tensor.shape().data(), tensor.dimension()}; }

void check_either_shape(std::string_view argument, Shape shape, Shape one, Shape other) {
  if (!std::ranges::equal(shape, one) && !std::ranges::equal(shape, other)) {
    fail(ErrorCode::invalid_shape, argument, {one, " or ", other}, {shape});
  }
}

/// The last axis of an input whose size is about to be inferred.
void check_inferred_size(const MultiHeadAttention& layer, std::string_view argument, Shape shape,
                         const std::string& name) {
  const bool convolution = layer.settings().projection == Projection::convolution;
  if (shape.back() == 0) {
    fail(ErrorCode::invalid_shape, argument, {name, " of at least 1"}, {shape});
  }
  if (convolution && shape.back() % layer.num_heads() != 0) {
    fail(ErrorCode::invalid_shape, argument,
         {name, " a multiple of num_heads (", layer.num_heads(), ")"}, {shape});
  }
}

/// With a head size of 0 there is no scale 1/√d.
void check_head_size(Shape queries) {
  if (queries.back() == 0) {
    fail(ErrorCode::invalid_shape, "queries", {"a head size of at least 1"}, {queries});
  }
}

/// Numbers to add are finite or −∞. All of them 0 or 1 are more likely to be a boolean mask.
void check_added(std::span<const float> added) {
  bool has_ones = false;
  bool has_others = false;
  for (const float number : added) {
    if (std::isnan(number) || (std::isinf(number) && number > 0)) {
      fail(ErrorCode::invalid_value, "mask", {"numbers below infinity"}, {number});
    }
    has_ones = has_ones || number == 1;
    has_others = has_others || (number != 0 && number != 1);
  }
  if (has_ones && !has_others) {
    fail(ErrorCode::invalid_value, "mask",
         {"booleans or an array of integers where 1 means may attend, or numbers to add to scores"},
         {"numbers that are all 0 or 1"});
  }
}

void check_mask_shape(Shape shape, const MaskSizes& sizes, bool has_head_axis) {
  const auto& [batch, num_heads, num_queries, num_keys, slots, offset] = sizes;
  std::vector<std::size_t> target = {batch, num_heads, num_queries, num_keys};
  if (!has_head_axis) {
    target.erase(target.begin() + 1);
  }
  const auto repeats = [](std::size_t size, std::size_t wanted) {
    return size == 1 || size == wanted;
  };
  if (shape.size() > target.size() ||
      !std::equal(shape.rbegin(), shape.rend(), target.rbegin(), repeats)) {
    const std::array<std::size_t, 2> of_keys = {batch, num_keys};
    fail(ErrorCode::invalid_shape, "mask",
         {"a shape that broadcasts to ", Shape(target),
          std::ranges::equal(shape, of_keys) ? ", or key_mask for (batch, keys)" : ""},
         {shape});
  }
  constexpr std::size_t rank_without_batch = 3;
  if (has_head_axis && shape.size() == rank_without_batch && batch == num_heads && batch > 1 &&
      shape[0] == batch) {
    const std::array<std::size_t, 4> by_sample = {batch, 1, shape[1], shape[2]};
    const std::array<std::size_t, 4> by_head = {1, num_heads, shape[1], shape[2]};
    fail(ErrorCode::invalid_shape, "mask",
         {"rank 4, ", Shape(by_sample), " by sample or ", Shape(by_head), " by head"}, {shape});
  }
}

void check_mask(const Mask& mask, const MaskSizes& sizes, bool has_head_axis) {
  if (!mask.has_value()) {
    return;
  }
  check_mask_shape(mask.shape(), sizes, has_head_axis);
  if (mask.added() != nullptr) {
    check_added({mask.added(), mask.size()});
  }
  if (mask.wrong_integer().has_value()) {
    fail(ErrorCode::invalid_value, "mask", {"integers 0 and 1"}, {*mask.wrong_integer()});
  }
}

template <typename Options>
void check_mask_options(const Options& options, const MaskSizes& sizes, bool has_head_axis) {
  check_valid_lens(options.valid_lens, sizes);
  check_mask(options.mask, sizes, has_head_axis);
  check_key_mask("key_mask", options.key_mask, sizes.batch, sizes.num_keys);
  check_window(options.window);
}

template <typename Options>
void check_query_offset(const Options& options) {
  if (options.query_offset < 0 || options.query_offset > std::numeric_limits<std::int32_t>::max()) {
    fail(ErrorCode::invalid_option, "query_offset", {"an integer from 0 to 2147483647"},
         {options.query_offset});
  }
  if (options.query_offset > 0 && options.causal == Causal::bottom_right) {
    fail(ErrorCode::invalid_option, "query_offset", {"causal other than 'bottom-right' beside it"},
         {"both"});
  }
}

void check_cache(const MultiHeadAttention& layer, const KeyValueCache& cache, std::size_t batch,
                 std::size_t num_new_keys) {
  check_in_use(cache.in_use(), "cache");
  if (cache.layer() != layer.identity()) {
    fail(ErrorCode::invalid_cache, "cache", {"one that this layer made"}, {"another layer's"});
  }
  if (cache.width() != layer.settings().key_value_width()) {
    fail(ErrorCode::invalid_cache, "cache", {"one made since heads were pruned"}, {"an older one"});
  }
  if (cache.batch_size() != batch) {
    fail(ErrorCode::invalid_cache, "cache", {"a batch size of ", batch}, {cache.batch_size()});
  }
  const std::size_t left = cache.max_length() - cache.length();
  if (num_new_keys > left) {
    fail(ErrorCode::cache_full, "cache", {"room for ", num_new_keys, " positions"},
         {left, " of ", cache.max_length()});
  }
}

void check_positions(const MultiHeadAttention& layer, const RotaryPositions& positions,
                     const MaskSizes& sizes, const std::optional<std::size_t>& num_new_keys) {
  if (!positions.has_value()) {
    return;
  }
  if (!layer.settings().rotary) {
    fail(ErrorCode::invalid_option, "positions", {"a layer with rotary positions"},
         {"one without"});
  }
  const std::array<std::size_t, 2> by_sample = {sizes.batch, sizes.num_queries};
  check_either_shape("positions", shape_of(*positions), Shape(by_sample).last(1), by_sample);
  if (num_new_keys.value_or(sizes.num_queries) != sizes.num_queries) {
    fail(ErrorCode::invalid_shape, "positions",
         {"as many keys as queries (", sizes.num_queries, ") beside them"}, {*num_new_keys});
  }
  check_up_to("positions", *positions, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

void check_in_use(bool in_use, std::string_view what) {
  if (!in_use) {
    fail(ErrorCode::disposed, what, {"one in use"}, {"one that was moved from"});
  }
}

void check_sizes_known(const MultiHeadAttention& layer, std::string_view what) {
  check_in_use(layer.in_use(), "layer");
  if (!layer.query_size() || !layer.key_size() || !layer.value_size()) {
    fail(ErrorCode::sizes_unknown, what, {"known sizes"},
         {"none yet; give query_size, key_size and value_size, or call forward or load_state_dict "
          "first"});
  }
}

void check_cache_options(const MultiHeadAttention& layer, const CacheOptions& options) {
  check_sizes_known(layer, "create_cache");
  check_cache_sizes(options.batch_size, options.max_length);
  check_cache_precision(options.precision);
}

/// `one` is what the list holds: heads or queries.
void check_chosen(std::string_view argument, std::string_view one,
                  const std::optional<std::vector<std::int64_t>>& chosen, std::size_t count) {
  if (!chosen.has_value()) {
    return;
  }
  std::vector<bool> seen(count, false);
  for (const std::int64_t index : *chosen) {
    if (index < 0 || static_cast<std::uint64_t>(index) >= count) {
      if (count == 0) {
        fail(ErrorCode::invalid_option, argument, {"none"}, {index});
      }
      fail(ErrorCode::invalid_option, argument, {"integers from 0 to ", count - 1}, {index});
    }
    if (seen[static_cast<std::size_t>(index)]) {
      fail(ErrorCode::invalid_option, argument, {"each ", one, " once"}, {index, " twice"});
    }
    seen[static_cast<std::size_t>(index)] = true;
  }
}

void check_up_to(std::string_view argument, const xt::xarray<std::int64_t>& integers,
                 std::uint64_t max) {
  for (const std::int64_t integer : integers) {
    if (integer < 0 || static_cast<std::uint64_t>(integer) > max) {
      fail(ErrorCode::invalid_value, argument, {"integers from 0 to ", max}, {integer});
    }
  }
}

void check_returned_weights(const ReturnedWeights& weights, std::size_t num_heads,
                            std::size_t num_queries) {
  check_chosen("return_weights.heads", "head", weights.heads, num_heads);
  check_chosen("return_weights.queries", "query", weights.queries, num_queries);
}

void check_head_gate(std::string_view argument, const HeadGate& head_gate, std::size_t batch,
                     std::size_t num_heads) {
  if (!head_gate.has_value()) {
    return;
  }
  const std::array<std::size_t, 2> by_sample = {batch, num_heads};
  check_either_shape(argument, shape_of(*head_gate), Shape(by_sample).last(1), by_sample);
}

void check_valid_lens(const ValidLens& valid_lens, const MaskSizes& sizes) {
  if (!valid_lens.has_value()) {
    return;
  }
  const std::array<std::size_t, 2> by_query = {sizes.batch, sizes.num_queries};
  check_either_shape("valid_lens", shape_of(*valid_lens), Shape(by_query).first(1), by_query);
  // They are stored in 32 bits.
  check_up_to("valid_lens", *valid_lens,
              std::min<std::uint64_t>(sizes.num_keys, std::numeric_limits<std::int32_t>::max()));
}

void check_key_mask(std::string_view argument, const Mask& mask, std::size_t batch,
                    std::size_t num_keys) {
  if (!mask.has_value()) {
    return;
  }
  const std::array<std::size_t, 2> expected = {batch, num_keys};
  if (!std::ranges::equal(mask.shape(), expected) &&
      !(batch == 1 && std::ranges::equal(mask.shape(), Shape(expected).last(1)))) {
    fail(ErrorCode::invalid_shape, argument, {"(batch, keys), here ", Shape(expected)},
         {mask.shape()});
  }
  const auto fail_for = [&](Part number) {
    fail(ErrorCode::invalid_value, argument, {"booleans or 0 and 1"}, {number});
  };
  if (mask.wrong_integer().has_value()) {
    fail_for(*mask.wrong_integer());
  }
  for (std::size_t i = 0; mask.added() != nullptr && i < mask.size(); ++i) {
    if (const float number = mask.added()[i]; number != 0 && number != 1) {
      fail_for(static_cast<double>(number));
    }
  }
}

MaskSizes check_forward(const MultiHeadAttention& layer, const InputTensor& queries,
                        const InputTensor& keys, const InputTensor& values,
                        const ForwardOptions& options) {
  check_in_use(layer.in_use(), "layer");
  const bool batched = queries.shape.size() != 2;
  // The expected shape of an input, without the batch axis if the queries have none.
  const auto check = [&](std::string_view argument, Shape shape, const Axis& batch,
                         const Axis& length, const std::optional<std::size_t>& size,
                         const char* size_name) {
    const std::array<Axis, 3> axes = {batch, length, axis_of(size, size_name)};
    check_shape(argument, shape, std::span(axes).last(batched ? 3 : 2));
    check_inferred_size(layer, argument, shape, size_name);
  };
  check("queries", queries.shape, "batch", "queries", layer.query_size(), "query_size");
  if (keys.is_given()) {
    const Axis batch = queries.shape.front();
    check("keys", keys.shape, batch, "keys", layer.key_size(), "key_size");
    check("values", values.shape, batch, keys.length(), layer.value_size(), "value_size");
  } else {
    if (options.cache == nullptr) {
      fail(ErrorCode::invalid_cache, "cache", {"one beside null keys and values"}, {"none"});
    }
    check_sizes_known(layer, "forward");
  }
  const std::size_t num_new_keys = keys.length();
  MaskSizes sizes{.batch = batched ? queries.shape.front() : 1,
                  .num_heads = layer.num_heads(),
                  .num_queries = queries.length(),
                  .num_keys = num_new_keys,
                  .num_extra_slots = layer.settings().num_extra_slots()};
  if (options.cache != nullptr && options.requires_grad) {
    fail(ErrorCode::invalid_option, "requires_grad", {"no cache beside it"}, {"both"});
  }
  if (options.cache != nullptr) {
    check_cache(layer, *options.cache, sizes.batch, num_new_keys);
    sizes.query_offset = static_cast<std::int64_t>(options.cache->length());
    sizes.num_keys += options.cache->length();
  }
  check_mask_options(options, sizes, true);
  check_head_gate("head_gate", options.head_gate, sizes.batch, sizes.num_heads);
  check_returned_weights(options.return_weights, sizes.num_heads, sizes.num_queries);
  check_positions(layer, options.positions, sizes,
                  keys.is_given() ? std::optional(num_new_keys) : std::nullopt);
  return sizes;
}

void check_backward(const MultiHeadAttention& layer, Shape grad_output) {
  check_in_use(layer.in_use(), "layer");
  if (layer.pending_backward() != PendingBackward::ready) {
    const bool outdated = layer.pending_backward() == PendingBackward::outdated;
    fail(ErrorCode::no_pending_backward, "backward",
         {"a forward with requires_grad since the last backward"},
         {outdated ? "one whose parameters have changed since" : "none"});
  }
  const AttentionMask& sizes = layer.pending_sizes();
  const std::array<Axis, 3> axes = {sizes.batch, sizes.num_queries, layer.settings().output_size};
  check_shape("grad_output", grad_output,
              std::span(axes).last(layer.pending_has_batch_axis() ? 3 : 2));
}

void check_dot_product_attention(Shape queries, Shape keys, Shape values,
                                 const DotProductAttentionOptions& options) {
  check_head_size(queries);
  check_shape("keys", keys, std::array<Axis, 3>{queries[0], "keys", queries[2]});
  check_shape("values", values, std::array<Axis, 3>{queries[0], keys[1], "value_size"});
  check_scale(options.scale);
  check_softcap(options.softcap);
  check_query_offset(options);
  check_mask_options(
      options,
      {.batch = queries[0], .num_heads = 1, .num_queries = queries[1], .num_keys = keys[1]}, false);
}

void check_scaled_dot_product_attention(Shape queries, Shape keys, Shape values,
                                        const DotProductAttentionOptions& options) {
  check_shape("queries", queries, std::array<Axis, 4>{"batch", "heads", "queries", "head_size"});
  check_head_size(queries);
  check_shape("keys", keys, std::array<Axis, 4>{queries[0], "kv_heads", "keys", queries[3]});
  check_shape("values", values, std::array<Axis, 4>{queries[0], keys[1], keys[2], "value_size"});
  if (keys[1] == 0 ? queries[1] != 0 : queries[1] % keys[1] != 0) {
    fail(ErrorCode::invalid_shape, "keys",
         {"a number of heads that divides that of the queries (", queries[1], ")"}, {keys});
  }
  check_scale(options.scale);
  check_softcap(options.softcap);
  check_query_offset(options);
  check_mask_options(options,
                     {.batch = queries[0],
                      .num_heads = queries[1],
                      .num_queries = queries[2],
                      .num_keys = keys[2]},
                     true);
}

void check_additive_attention(Shape queries, Shape keys, Shape values,
                              const AdditiveAttentionInputs& parameters,
                              const AdditiveAttentionOptions& options) {
  check_shape("queries", queries, std::array<Axis, 3>{"batch", "queries", "query_size"});
  check_shape("keys", keys, std::array<Axis, 3>{queries[0], "keys", "key_size"});
  check_shape("values", values, std::array<Axis, 3>{queries[0], keys[1], "value_size"});
  check_shape("W_q", parameters.W_q.shape, std::array<Axis, 2>{"hiddens", queries[2]});
  const std::size_t hiddens = parameters.W_q.shape.front();
  check_shape("W_k", parameters.W_k.shape, std::array<Axis, 2>{hiddens, keys[2]});
  check_shape("w_v", parameters.w_v.shape, std::array<Axis, 2>{std::size_t{1}, hiddens});
  check_query_offset(options);
  check_mask_options(
      options,
      {.batch = queries[0], .num_heads = 1, .num_queries = queries[1], .num_keys = keys[1]}, false);
}

}  // namespace headwise::validation
