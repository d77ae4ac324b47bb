#include <algorithm>
#include <headwise/io/sorted_order.hpp>
#include <numeric>

namespace headwise::io {

std::vector<std::size_t> sorted_order(std::size_t count, const void* things,
                                      ComesBefore comes_before) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [=](std::size_t a, std::size_t b) { return comes_before(things, a, b); };
  // The smallest of the standard library's sorts.
  std::make_heap(order.begin(), order.end(), before);
  std::sort_heap(order.begin(), order.end(), before);
  return order;
}

}  // namespace headwise::io
