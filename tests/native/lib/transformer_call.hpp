#pragma once

#include <cstdint>
#include <headwise/headwise.hpp>
#include <string>
#include <vector>

#include "configuration.hpp"

/// Small models: some that tests choose by name, and any number with random options.
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

/// A model and what one of its passes is given.
struct TransformerCall {
  std::string name;
  TransformerOptions options;
  Tokens tokens = {};     ///< (batch, length), unless the model reads images
  Tensor<4> pixels = {};  ///< of a model that does
  Tokens targets = {};    ///< as many as tokens, some of them -1
  TransformerForwardOptions pass = {};
  /// (batch, length, num_hiddens), given in place of the tokens.
  std::optional<Tensor<3>> embeddings = {};

  [[nodiscard]] bool has_images() const { return options.patches.has_value(); }
  [[nodiscard]] bool has_logits() const { return options.head && !has_images(); }
  [[nodiscard]] std::size_t batch() const {
    return has_images() ? pixels.shape(0) : tokens.shape(0);
  }
};

/// Elements from 0 on of a head count or a length, some of them, in any order.
std::vector<std::int64_t> some_below(Random& random, std::size_t end);

/// Of integers, 1 where a key may be seen.
Mask random_key_mask(Random& random, std::size_t batch, std::size_t keys);

/// What a pass is given beside its tokens or pixels: lengths, masks, gates, segments and a source,
/// as far as the model takes them.
TransformerForwardOptions random_pass(Random& random, const Transformer& model, std::size_t batch,
                                      std::size_t length, std::size_t source_length);

TransformerCall random_call(const SmallTransformer& small, std::uint64_t seed);

/// One call of each small model, and then some whose options are drawn at random, too.
std::vector<TransformerCall> all_calls(std::size_t random_models);

/// The model with noise added to its parameters: new norms are all alike, which would hide faults.
Transformer model_of(const TransformerCall& call);

TransformerResult forward(Transformer& model, const TransformerCall& call,
                          const TransformerForwardOptions& pass);

std::vector<HeadGate>& gates_of(TransformerForwardOptions& pass, Side side);
const std::vector<Tensor<4>>& weights_of(const TransformerResult& result, Side side);
const ModelCaptures& captured_of(const TransformerResult& result, Side side);

/// The part of a pass that positions [begin, end) of the tokens take with a cache.
TransformerForwardOptions part_of(const TransformerForwardOptions& pass, std::size_t begin,
                                  std::size_t end, ModelCache& cache);

/// What the pass is given beside gates, to measure the importance of heads by.
ModelMeasureBatch measured_batch(const TransformerCall& call);

/// Columns [begin, end) of tokens.
Tokens columns(const Tokens& tokens, std::size_t begin, std::size_t end);

}  // namespace headwise::test
