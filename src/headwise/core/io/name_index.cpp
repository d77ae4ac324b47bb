#include <algorithm>
#include <headwise/core/heap_sort.hpp>
#include <headwise/core/io/name_index.hpp>
#include <numeric>
#include <utility>

namespace headwise::io {

NameIndex::NameIndex(std::vector<std::string_view> names)
    : names_(std::move(names)), order_(names_.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  heap_sort(order_, [this](std::size_t a, std::size_t b) {
    return names_[a] != names_[b] ? names_[a] < names_[b] : a < b;
  });
}

std::size_t NameIndex::lower_bound(std::string_view name) const noexcept {
  const auto place = std::ranges::lower_bound(
      order_, name, {}, [this](std::size_t number) { return names_[number]; });
  return static_cast<std::size_t>(place - order_.begin());
}

std::size_t NameIndex::find(std::string_view name) const noexcept {
  const std::size_t place = lower_bound(name);
  return place < order_.size() && names_[order_[place]] == name ? order_[place] : none;
}

bool NameIndex::has_prefix(std::string_view prefix) const noexcept {
  const std::size_t place = lower_bound(prefix);
  return place < order_.size() && names_[order_[place]].starts_with(prefix);
}

}  // namespace headwise::io
