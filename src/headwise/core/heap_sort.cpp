#include <headwise/core/heap_sort.hpp>

namespace headwise {
namespace {

/// Moves element `i` down until neither of its children, below `count`, is larger.
void sift_down(std::size_t i, std::size_t count, const SortedRange& range) {
  for (std::size_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && range.is_less(range.context, child, child + 1)) {
      ++child;
    }
    if (!range.is_less(range.context, i, child)) {
      return;
    }
    range.swap(range.context, i, child);
    i = child;
  }
}

}  // namespace

void heap_sort(std::size_t count, const SortedRange& range) {
  for (std::size_t i = count / 2; i-- > 0;) {
    sift_down(i, count, range);
  }
  for (std::size_t end = count; end-- > 1;) {
    range.swap(range.context, 0, end);
    sift_down(0, end, range);
  }
}

}  // namespace headwise
