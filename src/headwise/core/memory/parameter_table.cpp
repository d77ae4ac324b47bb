#include <algorithm>
#include <functional>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <numeric>
#include <utility>

namespace headwise {

std::size_t ParameterTable::Entry::columns() const noexcept {
  return std::accumulate(shape.begin() + 1, shape.end(), std::size_t{1}, std::multiplies<>());
}

void ParameterTable::add(std::string name, std::initializer_list<std::size_t> shape) {
  entries_.push_back({.name = std::move(name), .shape = shape, .offset = size()});
}

std::size_t ParameterTable::size() const noexcept {
  if (entries_.empty()) {
    return 0;
  }
  const Entry& last = entries_.back();
  const bool is_empty = std::ranges::find(last.shape, std::size_t{0}) != last.shape.end();
  std::size_t floats = is_empty ? 0 : 1;
  for (const std::size_t size : last.shape) {
    floats = saturating_product(floats, size);
  }
  return saturating_sum(last.offset, floats);
}

std::size_t ParameterTable::index_of(const RemovedSlice& slice) const noexcept {
  const auto found = std::ranges::find(entries_, slice.name, &Entry::name);
  if (found == entries_.end()) {
    return entries_.size();
  }
  const bool is_of_rows = slice.axis == RemovedSlice::Axis::rows;
  const std::size_t length = is_of_rows ? found->rows() : found->columns();
  return slice.first + slice.count <= length ? static_cast<std::size_t>(found - entries_.begin())
                                             : entries_.size();
}

void ParameterTable::cut(const RemovedSlice& slice, float* floats,
                         std::size_t blocks) const noexcept {
  const std::size_t index = index_of(slice);
  if (index == entries_.size() || slice.count == 0) {
    return;
  }
  const Entry& entry = entries_[index];
  // The parameter as runs of floats, from each of which the same range is removed.
  const bool is_of_rows = slice.axis == RemovedSlice::Axis::rows;
  const std::size_t runs = is_of_rows ? 1 : entry.rows();
  const std::size_t stride = is_of_rows ? entry.columns() : 1;
  const std::size_t run = entry.size() / runs;
  const std::size_t first = slice.first * stride;
  const std::size_t last = first + slice.count * stride;
  const float* read = floats;
  float* write = floats;
  const auto keep = [&](std::size_t count) {
    write = std::copy_n(read, count, write);
    read += count;
  };
  for (std::size_t block = 0; block < blocks; ++block) {
    keep(entry.offset);
    for (std::size_t i = 0; i < runs; ++i) {
      keep(first);
      read += last - first;
      keep(run - last);
    }
    keep(size() - entry.offset - entry.size());
  }
}

void ParameterTable::remove(const RemovedSlice& slice) noexcept {
  const std::size_t index = index_of(slice);
  if (index == entries_.size()) {
    return;
  }
  std::vector<std::size_t>& shape = entries_[index].shape;
  (slice.axis == RemovedSlice::Axis::rows ? shape.front() : shape.back()) -= slice.count;
  for (std::size_t i = index + 1; i < entries_.size(); ++i) {
    entries_[i].offset = entries_[i - 1].offset + entries_[i - 1].size();
  }
}

}  // namespace headwise
