#include "decoding.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace headwise::test {
namespace {

/// A chunk's part of a mask, along the axes that repeat nothing.
template <typename Number>
xt::xarray<Number> first_positions(const xt::xarray<Number>& mask, const Chunk& chunk) {
  const std::size_t first_query = chunk.begin;
  const std::size_t num_queries = chunk.end - chunk.begin;
  const std::size_t num_keys = chunk.end;
  std::vector<std::size_t> shape(mask.shape().begin(), mask.shape().end());
  const std::size_t rank = shape.size();
  const bool by_query = rank >= 2 && shape[rank - 2] != 1;
  const bool by_key = rank >= 1 && shape[rank - 1] != 1;
  const std::size_t all_queries = rank >= 2 ? shape[rank - 2] : 1;
  const std::size_t all_keys = rank >= 1 ? shape[rank - 1] : 1;
  if (by_query) {
    shape[rank - 2] = num_queries;
  }
  if (by_key) {
    shape[rank - 1] = num_keys;
  }
  auto part = xt::xarray<Number>::from_shape(shape);
  const std::size_t queries = by_query ? num_queries : 1;
  const std::size_t keys = by_key ? num_keys : 1;
  std::size_t index = 0;
  for (Number& entry : part) {
    const std::size_t key = index % keys;
    const std::size_t query = index / keys % queries;
    const std::size_t outer = index / keys / queries;
    entry =
        mask.data()[(outer * all_queries + (by_query ? first_query : 0) + query) * all_keys + key];
    ++index;
  }
  return part;
}

}  // namespace

std::vector<Chunk> chunks_of(const Configuration& c) {
  Random random(c.numbers);
  std::vector<Chunk> chunks;
  for (std::size_t begin = 0; begin < c.keys; begin = chunks.back().end) {
    const std::size_t end = begin + random.pick<std::size_t>({1, 1, 2, 3, 8});
    chunks.push_back({.begin = begin, .end = std::min(c.keys, end)});
  }
  return chunks;
}

ForwardOptions options_of(const ForwardOptions& options, const Chunk& chunk) {
  const auto [begin, end] = chunk;
  ForwardOptions part = options;
  const auto limit = static_cast<std::int64_t>(end);
  if (auto* by_sample = std::get_if<1>(&part.valid_lens)) {
    for (std::int64_t& length : *by_sample) {
      length = std::min(length, limit);
    }
  }
  if (const auto* all = std::get_if<2>(&options.valid_lens)) {
    auto lens = xt::xtensor<std::int64_t, 2>::from_shape({all->shape(0), end - begin});
    for (std::size_t sample = 0; sample < lens.shape(0); ++sample) {
      for (std::size_t query = 0; query < lens.shape(1); ++query) {
        lens(sample, query) = std::min((*all)(sample, begin + query), limit);
      }
    }
    part.valid_lens = lens;
  }
  std::visit(
      [&](const auto& mask) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(mask)>, std::monostate>) {
          part.mask = first_positions(mask, chunk);
        }
      },
      options.mask);
  return part;
}

}  // namespace headwise::test
