#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "compare.hpp"

namespace headwise::test {
namespace {

/// Some of the groups of heads that are left, at least one and not all.
std::vector<std::int64_t> random_groups(std::mt19937& random, std::size_t left, std::size_t size) {
  std::vector<std::int64_t> heads;
  const std::size_t groups = left / size;
  const std::size_t kept = random() % groups;
  const std::size_t surely = (kept + 1 + random() % (groups - 1)) % groups;
  for (std::size_t group = groups; group-- > 0;) {
    if (group != kept && (group == surely || random() % 3 == 0)) {
      for (std::size_t i = 0; i < size; ++i) {
        heads.push_back(static_cast<std::int64_t>(group * size + i));
      }
    }
  }
  return heads;
}

TEST_CASE("Removed heads are those that are gone of a list of all") {
  std::mt19937 random(1);
  std::size_t removals = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = 1 + random() % 3;
    const std::size_t groups = 2 + random() % 7;
    const auto num_heads = static_cast<std::int64_t>(size * groups);
    const auto num_hiddens = 2 * num_heads;
    const bool extra = random() % 2 == 0;
    MultiHeadAttention layer({.num_hiddens = num_hiddens,
                              .num_heads = num_heads,
                              .bias = random() % 2 == 0,
                              .query_size = 3,
                              .key_size = 3,
                              .value_size = 3,
                              .num_kv_heads = static_cast<std::int64_t>(groups),
                              .bias_kv = extra,
                              .seed = 1});
    std::vector<std::size_t> left(static_cast<std::size_t>(num_heads));
    for (std::size_t head = 0; head < left.size(); ++head) {
      left[head] = head;
    }
    CHECK(layer.removed_heads().empty());
    while (left.size() > size) {
      const std::vector<std::int64_t> heads = random_groups(random, left.size(), size);
      layer.prune_heads(heads);
      std::vector<bool> is_gone(left.size(), false);
      for (const std::int64_t head : heads) {
        is_gone[static_cast<std::size_t>(head)] = true;
      }
      std::vector<std::size_t> next;
      for (std::size_t head = 0; head < left.size(); ++head) {
        if (!is_gone[head]) {
          next.push_back(left[head]);
        }
      }
      left = next;
      std::vector<std::size_t> expected;
      for (std::size_t head = 0; head < static_cast<std::size_t>(num_heads); ++head) {
        if (std::ranges::find(left, head) == left.end()) {
          expected.push_back(head);
        }
      }
      CHECK(layer.removed_heads() == expected);
      CHECK(MultiHeadAttention(layer).removed_heads() == expected);
      CHECK(layer.num_heads() == left.size());
      ++removals;
    }
  }
  CHECK(removals > 400);
}

}  // namespace
}  // namespace headwise::test
