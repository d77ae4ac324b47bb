#include "text.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

namespace example {
namespace {

using namespace headwise;

/// `rows` have a token more than a sequence, of which the first is no target and the last no input.
Batches batches_of(std::span<const std::vector<std::int64_t>> rows, std::size_t batch_size) {
  Batches batches;
  for (std::size_t first = 0; first < rows.size(); first += batch_size) {
    const std::size_t count = std::min(batch_size, rows.size() - first);
    const std::size_t length = rows.front().size() - 1;
    ModelMeasureBatch batch{.tokens = Tokens::from_shape({count, length}),
                            .targets = Tokens::from_shape({count, length})};
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<std::int64_t>& row = rows[first + i];
      std::copy(row.begin(), row.end() - 1, &batch.tokens(i, 0));
      std::copy(row.begin() + 1, row.end(), &batch.targets(i, 0));
    }
    batches.push_back(std::move(batch));
  }
  return batches;
}

Text halves(const std::vector<std::vector<std::int64_t>>& rows, const TextOptions& options) {
  const auto batch = static_cast<std::size_t>(options.batch);
  const std::size_t half = rows.size() / 2;
  const std::span all = rows;
  return {.measuring = batches_of(all.first(half), batch),
          .testing = batches_of(all.subspan(half), batch)};
}

}  // namespace

Text cut(const std::vector<std::int64_t>& tokens, const TextOptions& options) {
  const auto length = static_cast<std::size_t>(options.length);
  const std::size_t there = tokens.empty() ? 0 : (tokens.size() - 1) / length;
  const std::size_t half = std::min(there / 2, static_cast<std::size_t>(options.sequences));
  if (half == 0) {
    throw std::runtime_error("the text has " + std::to_string(tokens.size()) +
                             " tokens; two sequences of " + std::to_string(length) + " need " +
                             std::to_string(2 * length + 1));
  }
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t i = 0; i < 2 * half; ++i) {
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(i * length);
    rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(length + 1));
  }
  return halves(rows, options);
}

Text draw(Transformer& model, std::int64_t start, std::uint64_t seed, const TextOptions& options) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::uint64_t i = 0; i < 2 * static_cast<std::uint64_t>(options.sequences); ++i) {
    std::vector<std::int64_t> row = {start};
    const std::vector<std::int64_t> drawn =
        model.generate(row, {.max_new_tokens = options.length, .temperature = 1, .seed = seed + i});
    row.insert(row.end(), drawn.begin(), drawn.end());
    rows.push_back(std::move(row));
  }
  return halves(rows, options);
}

double loss_of(Transformer& model, const Batches& batches) {
  double sum = 0;
  double count = 0;
  for (const auto& batch : batches) {
    const auto targets = static_cast<double>(batch.targets.size());
    sum += targets * model.loss(batch.tokens, batch.targets);
    count += targets;
  }
  return sum / count;
}

}  // namespace example
