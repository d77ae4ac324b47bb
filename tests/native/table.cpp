#include "table.hpp"

#include <algorithm>

namespace headwise::test {
namespace {

std::optional<std::int64_t> size_of(const Record& record, const std::string& key) {
  return record.has(key) ? std::optional(record.number<std::int64_t>(key)) : std::nullopt;
}

}  // namespace

MultiHeadAttentionOptions options_of(const Record& record) {
  return {.num_hiddens = record.number<std::int64_t>("num_hiddens", 8),
          .num_heads = record.number<std::int64_t>("num_heads", 2),
          .dropout = record.number<double>("dropout"),
          .bias = record.number<int>("bias") != 0,
          .query_size = size_of(record, "query_size"),
          .key_size = size_of(record, "key_size"),
          .value_size = size_of(record, "value_size"),
          .seed = record.number<std::uint64_t>("seed", 7)};
}

ValidLens valid_lens_of(const Record& record) {
  if (!record.has("valid_lens")) {
    return {};
  }
  const auto lengths = record.numbers<std::int64_t>("valid_lens");
  const auto shaped = [&](auto tensor) {
    std::copy(lengths.begin(), lengths.end(), tensor.begin());
    return ValidLens(tensor);
  };
  if (record.has("valid_lens_shape") &&
      record.numbers<std::size_t>("valid_lens_shape").size() == 2) {
    return shaped(
        xt::xtensor<std::int64_t, 2>::from_shape(shape_of<2>(record, "valid_lens_shape")));
  }
  return shaped(xt::xtensor<std::int64_t, 1>::from_shape({lengths.size()}));
}

}  // namespace headwise::test
