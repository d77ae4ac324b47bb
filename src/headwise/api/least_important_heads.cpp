#include <headwise/api/least_important_heads.hpp>
#include <headwise/api/validation_options.hpp>
#include <headwise/api/validation_tasks.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/core/heap_sort.hpp>
#include <tuple>
#include <vector>

namespace headwise {

HeadsByLayer select_least_important(const double* importance,
                                    std::span<const std::size_t> num_heads, double fraction,
                                    HeadMeasure measure, std::int64_t group_size) {
  if (!(fraction >= 0 && fraction <= 1)) {
    validation::fail_option("fraction: expected a number from 0 to 1, got #", {fraction});
  }
  validation::check_at_least("group_size", group_size, 1);
  const auto size = static_cast<std::size_t>(group_size);
  // The importance, the layer and the first head of each.
  std::vector<std::tuple<double, std::size_t, std::size_t>> groups;
  for (std::size_t layer = 0; layer < num_heads.size(); ++layer) {
    // A group size may exceed the sizes of WebAssembly.
    if (static_cast<std::int64_t>(num_heads[layer]) % group_size != 0) {
      validation::fail_option("group_size: expected a divisor of the layer's heads (#), got #",
                              {num_heads[layer], group_size});
    }
    for (std::size_t head = 0; head < num_heads[layer]; ++head, ++importance) {
      if (!validation::is_finite(*importance)) {
        validation::fail_text(ErrorCode::invalid_value,
                              "importance: expected finite numbers, got #", {*importance});
      }
      if (head % size == 0) {
        groups.emplace_back(0, layer, head);
      }
      std::get<double>(groups.back()) +=
          measure == HeadMeasure::entropy ? -*importance : *importance;
    }
  }
  // Less than a rounding error of the product must not cost a head.
  const double wanted = fraction * static_cast<double>(groups.size());
  auto left = static_cast<std::size_t>(wanted * (1 + 1e-12));
  heap_sort(groups);
  HeadsByLayer removed(num_heads.size());
  for (const auto& [number, layer, first] : groups) {
    if (left > 0 && removed[layer].size() + size < num_heads[layer]) {
      --left;
      for (std::size_t head = first; head < first + size; ++head) {
        removed[layer].push_back(head);
      }
    }
  }
  for (std::vector<std::size_t>& heads : removed) {
    heap_sort(heads);
  }
  return removed;
}

}  // namespace headwise
