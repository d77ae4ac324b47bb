#include <headwise/api/layer_outputs.hpp>
#include <headwise/api/make_tensor.hpp>
#include <optional>

namespace headwise {
namespace {

/// Each index's place among the chosen ones, −1 for the others.
std::vector<std::int32_t> places_of(const std::vector<std::int64_t>& chosen, std::size_t count) {
  std::vector<std::int32_t> places(count, -1);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    places[static_cast<std::size_t>(chosen[i])] = static_cast<std::int32_t>(i);
  }
  return places;
}

}  // namespace

ChosenRows::ChosenRows(const ReturnedWeights& chosen, std::size_t num_heads,
                       std::size_t num_queries) {
  std::optional<std::vector<std::int64_t>> queries = chosen.queries;
  if (chosen.last_query_only) {
    queries.emplace();
    if (num_queries > 0) {
      queries->push_back(static_cast<std::int64_t>(num_queries) - 1);
    }
  }
  if (chosen.heads.has_value()) {
    head_places = places_of(*chosen.heads, num_heads);
    rows.head_places = head_places.data();
  }
  if (queries.has_value()) {
    query_places = places_of(*queries, num_queries);
    rows.query_places = query_places.data();
  }
  rows.num_heads = chosen.heads.has_value() ? chosen.heads->size() : num_heads;
  rows.num_queries = queries.has_value() ? queries->size() : num_queries;
}

CapturedActivations make_captured(const Capture& wanted, const HeadSizes& sizes,
                                  CapturedTensors<3>& captured) {
  const auto make = [&](bool is_wanted, auto& tensor, std::size_t heads, std::size_t length,
                        std::size_t size) -> float* {
    if (!is_wanted) {
      return nullptr;
    }
    tensor = make_tensor<4>({sizes.batch, heads, length, size});
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
