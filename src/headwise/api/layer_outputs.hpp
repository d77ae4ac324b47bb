#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/api/make_tensor.hpp>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/multi_head_attention.hpp>
#include <vector>

/// What a forward of a layer writes beside its output. Internal to layers and models.
namespace headwise {

/// The rows of the weights that are returned, and what `rows` points to.
struct ChosenRows {
  /// The indices were checked.
  ChosenRows(const ReturnedWeights& chosen, std::size_t num_heads, std::size_t num_queries);
  ChosenRows(const ChosenRows&) = delete;
  ChosenRows(ChosenRows&&) = default;
  ChosenRows& operator=(const ChosenRows&) = delete;
  ChosenRows& operator=(ChosenRows&&) = default;
  ~ChosenRows() = default;

  std::vector<std::int32_t> head_places;
  std::vector<std::int32_t> query_places;
  WeightRows rows;
};

struct HeadSizes {
  std::size_t batch;
  std::size_t num_heads;
  std::size_t num_kv_heads;
  std::size_t num_queries;
  std::size_t num_keys;
  std::size_t num_extra_slots;
  std::size_t head_size;
};

/// (batch, heads, length, size), without the batch axis for inputs that have none.
template <std::size_t Rank>
[[nodiscard]] Tensor<Rank + 1> make_heads(std::size_t batch, std::size_t heads, std::size_t length,
                                          std::size_t size) {
  std::array<std::size_t, Rank + 1> shape{};
  shape.front() = batch;
  shape[Rank - 2] = heads;
  shape[Rank - 1] = length;
  shape[Rank] = size;
  return make_tensor<Rank + 1>(shape);
}

/// Makes the tensors that are wanted; returns what a pass is to write.
template <std::size_t Rank>
[[nodiscard]] CapturedActivations make_captured(const Capture& wanted, const HeadSizes& sizes,
                                                CapturedTensors<Rank>& captured) {
  const auto make = [&](bool is_wanted, auto& tensor, std::size_t heads, std::size_t length,
                        std::size_t size) -> float* {
    if (!is_wanted) {
      return nullptr;
    }
    tensor = make_heads<Rank>(sizes.batch, heads, length, size);
    return tensor->data();
  };
  const std::size_t heads = sizes.num_heads;
  const std::size_t kv_heads = sizes.num_kv_heads;
  const std::size_t columns = sizes.num_keys + sizes.num_extra_slots;
  return {
      .queries = make(wanted.queries, captured.queries, heads, sizes.num_queries, sizes.head_size),
      .keys = make(wanted.keys, captured.keys, kv_heads, sizes.num_keys, sizes.head_size),
      .values = make(wanted.values, captured.values, kv_heads, sizes.num_keys, sizes.head_size),
      .scores = make(wanted.scores, captured.scores, heads, sizes.num_queries, columns),
      .pooled = make(wanted.pooled, captured.pooled, heads, sizes.num_queries, sizes.head_size),
      .dropped_weights = make(wanted.dropped_weights, captured.dropped_weights, heads,
                              sizes.num_queries, columns)};
}

}  // namespace headwise
