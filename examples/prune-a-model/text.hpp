#pragma once

#include <cstdint>
#include <headwise/headwise.hpp>
#include <vector>

/// The text that heads are measured on, and pruned models are tested on.
namespace example {

struct TextOptions {
  std::int64_t length = 0;     ///< tokens of a sequence
  std::int64_t sequences = 0;  ///< to measure on, and as many others to test on
  std::int64_t batch = 0;      ///< sequences at a time
};

using Batches = std::vector<headwise::ModelMeasureBatch>;

/// Sequences of tokens, each with those that follow it as targets.
struct Text {
  Batches measuring;  ///< the first half
  Batches testing;    ///< the second
};

/// Cuts the tokens into sequences. Throws `std::runtime_error` for fewer than two of them.
Text cut(const std::vector<std::int64_t>& tokens, const TextOptions& options);

/// Sequences that the model draws at temperature 1, each behind the token `start`.
Text draw(headwise::Transformer& model, std::int64_t start, std::uint64_t seed,
          const TextOptions& options);

/// The mean loss of a text's targets.
double loss_of(headwise::Transformer& model, const Batches& batches);

}  // namespace example
