#pragma once

#include <headwise/headwise.hpp>
#include <string>
#include <vector>

/// Small models: some that tests choose by name, and as many as are asked for of options drawn at
/// random.
namespace headwise::test {

/// Of each that reads tokens; their maximum length is 10.
inline constexpr std::int64_t vocabulary_size = 13;

struct SmallTransformer {
  std::string name;
  TransformerOptions options;
};

std::vector<SmallTransformer> small_transformers();

/// The one of this name; throws if there is none.
SmallTransformer small_transformer(const std::string& name);

/// One whose options are drawn at random, all crossed.
SmallTransformer random_transformer(std::uint64_t seed);

/// (batch, length) of the vocabulary's tokens.
Tokens random_tokens(std::size_t batch, std::size_t length, std::uint64_t seed);

}  // namespace headwise::test
