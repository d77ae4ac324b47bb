#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <limits>
#include <random>
#include <vector>

namespace headwise::test {
namespace {

constexpr std::size_t batch = 2;
constexpr std::size_t num_heads = 3;
constexpr std::size_t num_queries = 4;
constexpr std::size_t num_keys = 37;

/// As `mark_read_keys` says it, key by key.
std::vector<std::uint8_t> read_keys(const AttentionMask& mask, std::size_t sample) {
  std::vector<std::uint8_t> read(num_keys, 0);
  for (std::size_t head = 0; head < num_heads; ++head) {
    for (std::size_t query = 0; query < num_queries; ++query) {
      const KeyRange keys = mask.range(sample, query);
      for (std::size_t key = 0; key < num_keys; ++key) {
        const bool is_read =
            keys.begin <= key && key < keys.end && mask.allows(sample, head, query, key);
        const bool is_uniform =
            mask.empty_rows == EmptyRows::uniform && mask.row_is_empty(sample, head, query);
        read[key] |= static_cast<std::uint8_t>(is_read || is_uniform);
      }
    }
  }
  return read;
}

/// Masks inside the ranges whose axes are there or repeat, from hidden to open.
TEST_CASE("mark_read_keys marks what some query of some head reads") {
  std::mt19937 generator(1);
  std::vector<std::uint8_t> allowed(batch * num_heads * num_queries * num_keys);
  std::vector<float> added(allowed.size());
  const std::array<std::int32_t, batch * num_queries> lens = {37, 9, 0, 21, 36, 1, 30, 30};
  for (int trial = 0; trial < 400; ++trial) {
    const bool has_axis[] = {trial % 2 == 0, trial / 2 % 2 == 0, trial / 4 % 2 == 0,  // NOLINT
                             trial / 8 % 8 != 0};
    const std::size_t share = generator() % 4 == 0 ? 0 : generator() % 60;
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      allowed[i] = generator() % 60 < share ? 1 : 0;
      added[i] = allowed[i] != 0 ? -2.0F : -std::numeric_limits<float>::infinity();
    }
    AttentionMask mask{.batch = batch, .num_queries = num_queries, .num_keys = num_keys};
    mask.empty_rows = generator() % 3 == 0 ? EmptyRows::uniform : EmptyRows::zero;
    mask.causal = generator() % 3 == 0;
    mask.first_position = static_cast<std::int64_t>(generator() % num_keys);
    if (generator() % 3 == 0) {
      mask.window_left = static_cast<std::int64_t>(generator() % 9);
    }
    if (generator() % 3 == 0) {
      mask.valid_lens = lens.data();
      mask.valid_lens_sample_stride = num_queries;
      mask.valid_lens_query_stride = 1;
    }
    std::size_t stride = 1;
    for (std::size_t axis = 4; axis-- > 0;) {
      const std::array<std::size_t, 4> sizes = {batch, num_heads, num_queries, num_keys};
      mask.mask_strides[axis] = has_axis[axis] ? stride : 0;
      stride *= has_axis[axis] ? sizes[axis] : 1;
    }
    if (generator() % 8 == 0) {
      mask.mask_strides = {};
    } else if (generator() % 2 == 0) {
      mask.allowed = allowed.data();
    } else {
      mask.added = added.data();
    }
    for (std::size_t sample = 0; sample < batch; ++sample) {
      CAPTURE(trial, sample);
      std::vector<std::uint8_t> read(num_keys, 7);
      mask.mark_read_keys(sample, num_heads, read.data());
      CHECK(read == read_keys(mask, sample));
    }
  }
}

}  // namespace
}  // namespace headwise::test
