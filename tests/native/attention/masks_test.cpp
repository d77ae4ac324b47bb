#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "compare.hpp"

namespace headwise::test {
namespace {

using Rows = std::vector<std::string>;
using Options = DotProductAttentionOptions;

/// Which keys each query sees, a line a query: x for seen, . for masked. Queries are zero, so that
/// what is seen weighs the same; values are rows of the identity, so that the output must repeat
/// the weights.
Rows seen(std::size_t num_queries, std::size_t num_keys, Options options) {
  const auto queries = full<4>({1, 1, num_queries, 2}, 0);
  const auto keys = randn<4>({1, 1, num_keys, 2}, 1);
  auto values = full<4>({1, 1, num_keys, num_keys}, 0);
  for (std::size_t key = 0; key < num_keys; ++key) {
    values(0, 0, key, key) = 1;
  }
  options.return_weights = true;
  const auto [output, weights] = scaled_dot_product_attention(queries, keys, values, options);
  options.weights_stage = WeightsStage::masked;
  const auto masked = scaled_dot_product_attention(queries, keys, values, options);
  CHECK(max_difference(output, *weights) == 0);
  CHECK(max_difference(output, masked.output) == 0);
  Rows rows;
  for (std::size_t i = 0; i < num_queries; ++i) {
    std::string row;
    for (std::size_t j = 0; j < num_keys; ++j) {
      row += (*weights)(0, 0, i, j) > 0 ? 'x' : '.';
    }
    const auto count = static_cast<double>(std::count(row.begin(), row.end(), 'x'));
    for (std::size_t j = 0; j < num_keys; ++j) {
      CHECK(std::abs((*weights)(0, 0, i, j) - (row[j] == 'x' ? 1 / count : 0)) <= 1e-7);
      if (options.empty_rows == EmptyRows::zero) {
        CHECK(((*masked.attention_weights)(0, 0, i, j) == -infinity) == (row[j] == '.'));
      }
    }
    rows.push_back(row);
  }
  return rows;
}

/// Masks written as rows are read: x for allowed.
xt::xarray<bool> boolean_mask(const Rows& rows) {
  xt::xarray<bool> mask = xt::xarray<bool>::from_shape({rows.size(), rows.at(0).size()});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      mask(i, j) = rows[i][j] == 'x';
    }
  }
  return mask;
}

/// The float mask that says the same.
xt::xarray<float> float_mask(const xt::xarray<bool>& allowed) {
  std::vector<std::size_t> shape(allowed.shape().begin(), allowed.shape().end());
  xt::xarray<float> mask = xt::xarray<float>::from_shape(shape);
  std::transform(allowed.begin(), allowed.end(), mask.begin(),
                 [](bool is_allowed) { return is_allowed ? 0.0F : -infinity; });
  return mask;
}

Options masked(const Mask& mask, EmptyRows empty_rows = EmptyRows::zero) {
  return {.mask = mask, .empty_rows = empty_rows};
}

TEST_CASE("Lengths leave a prefix, by sample or by query") {
  CHECK(seen(2, 4, {}) == Rows{"xxxx", "xxxx"});
  CHECK(seen(2, 4, {.valid_lens = LensBySample{3}}) == Rows{"xxx.", "xxx."});
  CHECK(seen(3, 4, {.valid_lens = LensByQuery{{4, 1, 0}}}) == Rows{"xxxx", "x...", "...."});
}

TEST_CASE("Causal queries see keys up to their own position, from the top left") {
  const Options causal{.causal = Causal::top_left};
  CHECK(seen(3, 3, causal) == Rows{"x..", "xx.", "xxx"});
  CHECK(seen(2, 4, causal) == Rows{"x...", "xx.."});
  CHECK(seen(4, 2, causal) == Rows{"x.", "xx", "xx", "xx"});
  CHECK(seen(2, 5, {.causal = Causal::top_left, .query_offset = 2}) == Rows{"xxx..", "xxxx."});
  CHECK(seen(2, 3, {.causal = Causal::top_left, .query_offset = 9}) == Rows{"xxx", "xxx"});
}

TEST_CASE(
    "Bottom-right puts the last query at the last key; queries before the first see nothing") {
  const Options causal{.causal = Causal::bottom_right};
  CHECK(seen(3, 3, causal) == Rows{"x..", "xx.", "xxx"});
  CHECK(seen(2, 4, causal) == Rows{"xxx.", "xxxx"});
  CHECK(seen(5, 2, causal) == Rows{"..", "..", "..", "x.", "xx"});
  CHECK(seen(3, 2, {.causal = Causal::bottom_right, .empty_rows = EmptyRows::uniform}) ==
        Rows{"xx", "x.", "xx"});
}

TEST_CASE("A window limits the distance from a query's own position") {
  const auto window = [](std::optional<std::int64_t> left, std::optional<std::int64_t> right) {
    return Options{.window = Window{.left = left, .right = right}};
  };
  CHECK(seen(4, 5, window(1, 1)) == Rows{"xx...", "xxx..", ".xxx.", "..xxx"});
  CHECK(seen(3, 3, window(0, 0)) == Rows{"x..", ".x.", "..x"});
  // Without limit on one side or both
  CHECK(seen(3, 4, window({}, 0)) == Rows{"x...", "xx..", "xxx."});
  CHECK(seen(3, 4, window(0, {})) == Rows{"xxxx", ".xxx", "..xx"});
  CHECK(seen(3, 4, window({}, {})) == Rows{"xxxx", "xxxx", "xxxx"});
  CHECK(seen(3, 4, window(std::numeric_limits<std::int64_t>::max(), 1'000'000'000'000)) ==
        Rows{"xxxx", "xxxx", "xxxx"});
  // Past the last key
  CHECK(seen(4, 2, window(1, 0)) == Rows{"x.", "xx", ".x", ".."});
}

TEST_CASE("A window stands where causality puts the query") {
  const Window window{.left = 1, .right = 2};
  CHECK(seen(3, 5, {.causal = Causal::top_left, .window = window}) ==
        Rows{"x....", "xx...", ".xx.."});
  CHECK(seen(3, 5, {.causal = Causal::bottom_right, .window = window}) ==
        Rows{".xx..", "..xx.", "...xx"});
  CHECK(seen(2, 6, {.window = window, .query_offset = 2}) == Rows{".xxxx.", "..xxxx"});
  CHECK(seen(4, 2, {.causal = Causal::bottom_right, .window = Window{.left = 0, .right = 0}}) ==
        Rows{"..", "..", "x.", ".x"});
}

TEST_CASE("A boolean mask says what may be attended to, and −∞ added to a score masks alike") {
  const Rows rows = {"x.x", ".x.", "...", "xxx"};
  CHECK(seen(4, 3, masked(boolean_mask(rows))) == rows);
  CHECK(seen(4, 3, masked(float_mask(boolean_mask(rows)))) == rows);
  CHECK(seen(4, 3, masked(boolean_mask(rows), EmptyRows::uniform)) ==
        Rows{"x.x", ".x.", "xxx", "xxx"});
}

TEST_CASE("All masks apply together") {
  const Options all{.valid_lens = LensBySample{5},
                    .mask = boolean_mask({"xx.xxx"}),
                    .causal = Causal::top_left,
                    .window = Window{.left = 3, .right = 7},
                    .query_offset = 1};
  CHECK(seen(6, 6, all) == Rows{"xx....",  // causality
                                "xx....",  // the mask
                                "xx.x..",
                                ".x.xx.",  // the window
                                "...xx.",  // the length
                                "...xx."});
  CHECK(seen(2, 4,
             {.valid_lens = LensByQuery{{2, 4}},
              .mask = float_mask(boolean_mask({"..xx", "..xx"})),
              .causal = Causal::bottom_right}) == Rows{"....", "..xx"});
}

TEST_CASE("A row that any kind of mask empties is zero, or uniform over every key") {
  const std::vector<Options> each = {
      {.valid_lens = LensBySample{0}},
      {.valid_lens = LensByQuery{{0, 0}}},
      masked(boolean_mask({"...", "..."})),
      masked(float_mask(boolean_mask({"..."}))),
      {.window = Window{.left = 1, .right = 1}, .query_offset = 9},
      // Together only: the length leaves key 0, the mask the others.
      {.valid_lens = LensBySample{1}, .mask = boolean_mask({".xx"})},
  };
  for (Options options : each) {
    CHECK(seen(2, 3, options) == Rows{"...", "..."});
    options.empty_rows = EmptyRows::uniform;
    CHECK(seen(2, 3, options) == Rows{"xxx", "xxx"});
  }
  CHECK(seen(2, 0, {}) == Rows{"", ""});
  CHECK(seen(2, 0, {.empty_rows = EmptyRows::uniform}) == Rows{"", ""});
}

}  // namespace
}  // namespace headwise::test
