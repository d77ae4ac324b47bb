#pragma once

#include <array>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <memory>
#include <string>
#include <vector>

#include "records.hpp"

/// What records of tests/data say, as arguments of the library.
namespace headwise::test {

/// The layer's options, with 8 hidden units and 2 heads where the record says nothing.
MultiHeadAttentionOptions options_of(const Record& record);

/// Lengths by sample, or of the shape that valid_lens_shape tells, or none.
ValidLens valid_lens_of(const Record& record);

/// Of zeros, the last one mask_value, or key_mask_value; or none.
Mask mask_of(const Record& record, const std::string& key);

Causal causal_of(const Record& record);

std::optional<Window> window_of(const Record& record);

/// All mask options, for whichever call takes them.
template <typename Options>
Options mask_options_of(const Record& record) {
  Options options;
  options.valid_lens = valid_lens_of(record);
  options.mask = mask_of(record, "mask");
  options.key_mask = mask_of(record, "key_mask");
  options.causal = causal_of(record);
  options.window = window_of(record);
  return options;
}

/// The words from `first` on as sizes.
std::vector<std::size_t> sizes_in(const std::vector<std::string>& words, std::size_t first);

/// The shape under this key.
template <std::size_t Rank>
std::array<std::size_t, Rank> shape_of(const Record& record, const std::string& key) {
  const auto numbers = record.numbers<std::size_t>(key);
  std::array<std::size_t, Rank> shape{};
  for (std::size_t axis = 0; axis < Rank; ++axis) {
    shape.at(axis) = numbers.at(axis);
  }
  return shape;
}

std::unique_ptr<Task> task_of(const Record& record);

/// Numbers of the shape that key_shape tells.
Tokens tokens_of(const Record& record, const std::string& key);

}  // namespace headwise::test
