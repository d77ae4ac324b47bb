#pragma once

#include <cstddef>
#include <vector>

namespace headwise::io {

/// Whether the thing of index `a` comes before that of index `b`.
using ComesBefore = bool (*)(const void* things, std::size_t a, std::size_t b);

/// The indexes of `count` things, sorted. One function for all things, since a sort of its own for
/// each would be most of the code here.
[[nodiscard]] std::vector<std::size_t> sorted_order(std::size_t count, const void* things,
                                                    ComesBefore comes_before);

/// The indexes of things, sorted by what `key` tells of each.
template <typename Things, typename Key>
std::vector<std::size_t> sorted_order(const Things& things, Key) {
  return sorted_order(things.size(), &things, [](const void* all, std::size_t a, std::size_t b) {
    const Things& known = *static_cast<const Things*>(all);
    return Key{}(known[a]) < Key{}(known[b]);
  });
}

}  // namespace headwise::io
