#include <headwise/api/layer_outputs.hpp>
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

}  // namespace headwise
