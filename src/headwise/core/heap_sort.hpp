#pragma once

#include <algorithm>
#include <functional>

namespace headwise {

/// Sorts a range, by a heap: slower than std::sort, and a tenth of its code.
template <typename Range, typename Less = std::ranges::less>
void heap_sort(Range& range, Less is_less = {}) {
  std::ranges::make_heap(range, is_less);
  std::ranges::sort_heap(range, is_less);
}

}  // namespace headwise
