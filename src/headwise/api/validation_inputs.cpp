#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/api/forward_inputs.hpp>
#include <headwise/api/pooling_inputs.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/multi_head_attention.hpp>
#include <limits>
#include <vector>

namespace headwise {

void fail_rank(std::size_t rank, std::span<const std::size_t> shape) {
  validation::fail_text(ErrorCode::invalid_shape, "tensor: expected # axes, got #", {rank, shape});
}

}  // namespace headwise

namespace headwise::validation {

namespace {

template <typename Number>
void check_either_shape(std::string_view argument, const Input<Number>& input, Shape one,
                        Shape other) {
  if (input.is_given() && !std::ranges::equal(input.shape, one) &&
      !std::ranges::equal(input.shape, other)) {
    fail_text(ErrorCode::invalid_shape, "#: expected # or #, got #",
              {argument, one, other, input.shape});
  }
}

/// The last axis of an input whose size is about to be inferred.
void check_inferred_size(const MultiHeadAttention& layer, std::string_view argument, Shape shape,
                         const char* name) {
  const bool convolution = layer.settings().projection == Projection::convolution;
  if (shape.back() == 0) {
    fail_text(ErrorCode::invalid_shape, "#: expected # of at least 1, got #",
              {argument, name, shape});
  }
  if (convolution && shape.back() % layer.num_heads() != 0) {
    fail_text(ErrorCode::invalid_shape, "#: expected # a multiple of num_heads (#), got #",
              {argument, name, layer.num_heads(), shape});
  }
}

/// Whether it is an integer from 0 to below `count`.
bool is_index(double number, std::uint64_t count) {
  return number >= 0 && number < static_cast<double>(count) && std::trunc(number) == number;
}

/// Numbers to add are finite or −∞. All of them 0 or 1 are more likely to be a boolean mask.
void check_added(std::span<const float> added) {
  bool has_ones = false;
  bool has_others = false;
  for (const float number : added) {
    if (std::isnan(number) || (std::isinf(number) && number > 0)) {
      fail_text(ErrorCode::invalid_value, "mask: expected numbers below infinity, got #", {number});
    }
    has_ones = has_ones || number == 1;
    has_others = has_others || (number != 0 && number != 1);
  }
  if (has_ones && !has_others) {
    fail_text(
        ErrorCode::invalid_value,
        "mask: expected booleans or an array of integers where 1 means may attend, or numbers "
        "to add to scores, got numbers that are all 0 or 1");
  }
}

void check_mask_shape(Shape shape, const MaskSizes& sizes, bool has_head_axis) {
  const auto& [batch, num_heads, num_queries, num_keys, slots, offset] = sizes;
  const std::array<std::size_t, 4> axes = {
      has_head_axis ? batch : 0, has_head_axis ? num_heads : batch, num_queries, num_keys};
  const Shape target = Shape(axes).last(has_head_axis ? 4 : 3);
  const auto repeats = [](std::size_t size, std::size_t wanted) {
    return size == 1 || size == wanted;
  };
  if (shape.size() > target.size() ||
      !std::equal(shape.rbegin(), shape.rend(), target.rbegin(), repeats)) {
    const std::array<std::size_t, 2> of_keys = {batch, num_keys};
    fail_text(ErrorCode::invalid_shape, "mask: expected a shape that broadcasts to ##, got #",
              {target, std::ranges::equal(shape, of_keys) ? ", or key_mask for (batch, keys)" : "",
               shape});
  }
  constexpr std::size_t rank_without_batch = 3;
  if (has_head_axis && shape.size() == rank_without_batch && batch == num_heads && batch > 1 &&
      shape[0] == batch) {
    const std::array<std::size_t, 4> by_sample = {batch, 1, shape[1], shape[2]};
    const std::array<std::size_t, 4> by_head = {1, num_heads, shape[1], shape[2]};
    fail_text(ErrorCode::invalid_shape, "mask: expected rank 4, # by sample or # by head, got #",
              {Shape(by_sample), Shape(by_head), shape});
  }
}

void check_rules(const MaskRules& rules) {
  check_window(Window{.left = rules.window_left, .right = rules.window_right});
}

void check_masks(const MaskInputs& masks, const MaskSizes& sizes, bool has_head_axis = true) {
  check_rules(masks.rules);
  check_valid_lens(masks.valid_lens, sizes);
  if (masks.allowed.is_given()) {
    check_mask_shape(masks.allowed.shape, sizes, has_head_axis);
  }
  if (masks.added.is_given()) {
    check_mask_shape(masks.added.shape, sizes, has_head_axis);
    check_added(masks.added.numbers());
  }
  check_key_mask("key_mask", masks.key_mask, sizes.batch, sizes.num_keys);
}

void check_query_offset(const PoolingInputs& inputs) {
  if (const double offset = inputs.query_offset;
      !(offset >= 0 && offset <= std::numeric_limits<std::int32_t>::max())) {
    fail_option("query_offset: expected an integer from 0 to 2147483647, got #", {offset});
  }
  if (inputs.query_offset > 0 && inputs.masks.rules.causal == Causal::bottom_right) {
    fail_option("query_offset: expected causal other than 'bottom-right' beside it, got both", {});
  }
}

void check_cache(const MultiHeadAttention& layer, const KeyValueCache& cache, std::size_t batch,
                 std::size_t num_new_keys) {
  check_in_use(cache.in_use(), "cache");
  check_made_by(&cache, layer, "layer");
  check_room(batch, num_new_keys, cache.batch_size(), cache.length(), cache.max_length());
}

void check_positions(const MultiHeadAttention& layer, const ForwardInputs& inputs,
                     const MaskSizes& sizes) {
  if (!inputs.positions.is_given()) {
    return;
  }
  if (!layer.settings().rotary) {
    fail_option("positions: expected a layer with rotary positions, got one without", {});
  }
  const std::array<std::size_t, 2> by_sample = {sizes.batch, sizes.num_queries};
  check_either_shape("positions", inputs.positions, Shape(by_sample).last(1), by_sample);
  if (inputs.keys.is_given() && inputs.keys.length() != sizes.num_queries) {
    fail_text(ErrorCode::invalid_shape,
              "positions: expected as many keys as queries (#) beside them, got #",
              {sizes.num_queries, inputs.keys.length()});
  }
  check_up_to("positions", inputs.positions, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

void check_in_use(bool in_use, std::string_view what) {
  if (!in_use) {
    fail_text(ErrorCode::disposed, "#: expected one in use, got one that was moved from", {what});
  }
}

void check_sizes_known(const MultiHeadAttention& layer, std::string_view what) {
  check_in_use(layer.in_use(), "layer");
  if (!layer.query_size() || !layer.key_size() || !layer.value_size()) {
    fail_text(ErrorCode::sizes_unknown,
              "#: expected known sizes, got none yet; give query_size, key_size and value_size, or "
              "call forward or load_state_dict first",
              {what});
  }
}

void check_made_by(const LayerCache* cache, const AttentionLayer& layer, std::string_view what) {
  if (cache == nullptr || cache->layer() != layer.identity()) {
    fail_text(ErrorCode::invalid_cache, "cache: expected one that this # made, got another #'s",
              {what, what});
  }
  if (cache->width() != layer.settings().key_value_width()) {
    fail_text(ErrorCode::invalid_cache,
              "cache: expected one made since heads were pruned, got an older one");
  }
}

void check_room(std::size_t batch, std::size_t num_new, std::size_t batch_size, std::size_t length,
                std::size_t max_length) {
  if (batch_size != batch) {
    fail_text(ErrorCode::invalid_cache, "cache: expected a batch size of #, got #",
              {batch, batch_size});
  }
  const std::size_t left = max_length - length;
  if (num_new > left) {
    fail_text(ErrorCode::cache_full, "cache: expected room for # positions, got # of #",
              {num_new, left, max_length});
  }
}

void check_cache_options(const MultiHeadAttention& layer, const CacheOptions& options) {
  check_sizes_known(layer, "create_cache");
  check_cache_sizes(options.batch_size, options.max_length);
  check_cache_precision(options.precision);
}

void check_indices(std::string_view argument, const Input<double>& indices, std::size_t count) {
  for (const double index : indices.numbers()) {
    if (!is_index(index, count)) {
      if (count == 0) {
        fail_option("#: expected none, got #", {argument, index});
      }
      fail_option("#: expected integers from 0 to #, got #", {argument, count - 1, index});
    }
  }
}

void fail_twice(std::string_view argument, std::string_view one, double index) {
  fail_option("#: expected each # once, got # twice", {argument, one, index});
}

void check_between(std::string_view argument, const Input<double>& integers, std::int64_t min,
                   std::int64_t max) {
  for (const double integer : integers.numbers()) {
    if (!(integer >= static_cast<double>(min) && integer <= static_cast<double>(max) &&
          std::trunc(integer) == integer)) {
      fail_text(ErrorCode::invalid_value, "#: expected integers from # to #, got #",
                {argument, min, max, integer});
    }
  }
}

void check_up_to(std::string_view argument, const Input<double>& integers, std::uint64_t max) {
  check_between(argument, integers, 0, static_cast<std::int64_t>(max));
}

void check_head_gate(std::string_view argument, const Input<float>& head_gate, std::size_t batch,
                     std::size_t num_heads) {
  const std::array<std::size_t, 2> by_sample = {batch, num_heads};
  check_either_shape(argument, head_gate, Shape(by_sample).last(1), by_sample);
}

void check_valid_lens(const Input<double>& valid_lens, const MaskSizes& sizes) {
  const std::array<std::size_t, 2> by_query = {sizes.batch, sizes.num_queries};
  check_either_shape("valid_lens", valid_lens, Shape(by_query).first(1), by_query);
  // They are stored in 32 bits.
  check_up_to("valid_lens", valid_lens,
              std::min<std::uint64_t>(sizes.num_keys, std::numeric_limits<std::int32_t>::max()));
}

void check_key_mask(std::string_view argument, const Input<std::uint8_t>& mask, std::size_t batch,
                    std::size_t num_keys) {
  const std::array<std::size_t, 2> expected = {batch, num_keys};
  if (mask.is_given() && !std::ranges::equal(mask.shape, expected) &&
      !(batch == 1 && std::ranges::equal(mask.shape, Shape(expected).last(1)))) {
    fail_text(ErrorCode::invalid_shape, "#: expected (batch, keys), here #, got #",
              {argument, Shape(expected), mask.shape});
  }
}

MaskSizes check_forward(const MultiHeadAttention& layer, const ForwardInputs& inputs) {
  check_in_use(layer.in_use(), "layer");
  const auto& [queries, keys, values, masks, head_gate, positions, requires_grad, cache,
               return_weights, weight_heads, weight_queries, key_mass, weights_stage, capture] =
      inputs;
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
    if (cache == nullptr) {
      fail_text(ErrorCode::invalid_cache,
                "cache: expected one beside null keys and values, got none");
    }
    check_sizes_known(layer, "forward");
  }
  MaskSizes sizes{.batch = batched ? queries.shape.front() : 1,
                  .num_heads = layer.num_heads(),
                  .num_queries = queries.length(),
                  .num_keys = keys.length(),
                  .num_extra_slots = layer.settings().num_extra_slots()};
  if (cache != nullptr) {
    if (requires_grad) {
      fail_option("requires_grad: expected no cache beside it, got both", {});
    }
    check_cache(layer, *cache, sizes.batch, sizes.num_keys);
    sizes.query_offset = static_cast<std::int64_t>(cache->length());
    sizes.num_keys += cache->length();
  }
  check_masks(masks, sizes);
  check_head_gate("head_gate", head_gate, sizes.batch, sizes.num_heads);
  check_indices("return_weights.heads", weight_heads, sizes.num_heads);
  check_indices("return_weights.queries", weight_queries, sizes.num_queries);
  check_positions(layer, inputs, sizes);
  return sizes;
}

void check_backward(const MultiHeadAttention& layer, Shape grad_output) {
  check_in_use(layer.in_use(), "layer");
  if (layer.pending_backward() != PendingBackward::ready) {
    const bool outdated = layer.pending_backward() == PendingBackward::outdated;
    fail_text(ErrorCode::no_pending_backward,
              "backward: expected a forward with requires_grad since the last backward, got #",
              {outdated ? "one whose parameters have changed since" : "none"});
  }
  const AttentionMask& sizes = layer.pending_sizes();
  const std::array<Axis, 3> axes = {sizes.batch, sizes.num_queries, layer.settings().output_size};
  check_shape("grad_output", grad_output,
              std::span(axes).last(layer.pending_has_batch_axis() ? 3 : 2));
}

MaskSizes check_pooling(const PoolingInputs& inputs, bool has_head_axis) {
  const InputTensor& queries = inputs.queries;
  const InputTensor& keys = inputs.keys;
  // The expected shape of an input, without the axis of heads if there is none.
  const auto check = [&](std::string_view argument, Shape shape, const Axis& batch,
                         const Axis& heads, const Axis& length, const Axis& size) {
    const std::array<Axis, 4> axes = {batch, has_head_axis ? heads : batch, length, size};
    check_shape(argument, shape, std::span(axes).last(has_head_axis ? 4 : 3));
  };
  check("queries", queries.shape, "batch", "heads", "queries",
        inputs.is_additive ? "query_size" : "head_size");
  // With a head size of 0 there is no scale 1/√d.
  if (!inputs.is_additive && queries.size() == 0) {
    fail_text(ErrorCode::invalid_shape, "queries: expected a head size of at least 1, got #",
              {queries.shape});
  }
  const std::size_t batch = queries.shape.front();
  check("keys", keys.shape, batch, "kv_heads", "keys",
        inputs.is_additive ? Axis("key_size") : Axis(queries.size()));
  const MaskSizes sizes{.batch = batch,
                        .num_heads = has_head_axis ? queries.shape[1] : 1,
                        .num_queries = queries.length(),
                        .num_keys = keys.length(),
                        .query_offset = static_cast<std::int64_t>(inputs.query_offset)};
  const std::size_t num_kv_heads = has_head_axis ? keys.shape[1] : 1;
  check("values", inputs.values.shape, batch, num_kv_heads, sizes.num_keys, "value_size");
  if (num_kv_heads == 0 ? sizes.num_heads != 0 : sizes.num_heads % num_kv_heads != 0) {
    fail_text(ErrorCode::invalid_shape,
              "keys: expected a number of heads that divides that of the queries (#), got #",
              {sizes.num_heads, keys.shape});
  }
  if (inputs.is_additive) {
    check_shape("W_q", inputs.W_q.shape, std::array<Axis, 2>{"hiddens", queries.size()});
    const std::size_t hiddens = inputs.W_q.shape.front();
    check_shape("W_k", inputs.W_k.shape, std::array<Axis, 2>{hiddens, keys.size()});
    check_shape("w_v", inputs.w_v.shape, std::array<Axis, 2>{std::size_t{1}, hiddens});
  }
  check_scale(inputs.scale);
  check_softcap(inputs.softcap);
  check_query_offset(inputs);
  check_masks(inputs.masks, sizes, has_head_axis);
  return sizes;
}

}  // namespace headwise::validation
