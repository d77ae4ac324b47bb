#pragma once

#include <cstddef>
#include <functional>
#include <ranges>
#include <utility>

namespace headwise {

/// What is sorted: `is_less(i, j)` compares elements by their numbers, `swap(i, j)` exchanges them.
struct SortedRange {
  void* context;
  bool (*is_less)(void* context, std::size_t i, std::size_t j);
  void (*swap)(void* context, std::size_t i, std::size_t j);
};

void heap_sort(std::size_t count, const SortedRange& range);

/// Sorts a range, by a heap that is compiled once: the standard library's is, for each type that is
/// sorted, 0.6 KB of a WebAssembly module, std::sort ten times that. For what is sorted seldom.
template <typename Range, typename Less = std::ranges::less>
void heap_sort(Range& range, Less is_less = {}) {
  struct Context {
    Range& range;
    Less is_less;
  } context{range, is_less};
  heap_sort(std::ranges::size(range), {.context = &context,
                                       .is_less =
                                           [](void* at, std::size_t i, std::size_t j) {
                                             auto& [elements, less] = *static_cast<Context*>(at);
                                             return less(elements[i], elements[j]);
                                           },
                                       .swap =
                                           [](void* at, std::size_t i, std::size_t j) {
                                             auto& elements = static_cast<Context*>(at)->range;
                                             std::swap(elements[i], elements[j]);
                                           }});
}

}  // namespace headwise
