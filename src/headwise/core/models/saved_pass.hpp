#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/arena.hpp>
#include <headwise/core/models/activations.hpp>
#include <headwise/core/models/transformer_stack.hpp>
#include <vector>

namespace headwise {

/// What one forward pass of a model saves for its backward pass, beside what its attention layers
/// save.
class SavedPass {
 public:
  struct Tensors {
    float* patches;          ///< (batch, patches, patch width), of models that read images
    float* embedded;         ///< (batch, length, num_hiddens), before the embedding's norm
    float* source_embedded;  ///< likewise, of the encoder
    SavedStack encoder;
    float* source;  ///< (batch, source length, num_hiddens), the encoder's output
    SavedStack decoder;
    // What patched final norms divide by; (batch, length) and (batch, source length).
    float* norm_scales;
    float* source_norm_scales;
  };
  struct Sizes {
    std::size_t batch = 0;
    std::size_t length = 0;
    std::size_t source_length = 0;
    bool has_norm_scales = false;
    bool has_embeddings = false;  ///< given in place of tokens
    bool has_batch_axis = true;

    friend bool operator==(const Sizes&, const Sizes&) = default;
  };

  Sizes sizes;
  std::vector<std::int32_t> tokens;            ///< (batch, length)
  std::vector<std::int32_t> segments;          ///< likewise, or empty
  std::vector<std::int32_t> source;            ///< (batch, source length)
  std::vector<std::int32_t> positions;         ///< of the tokens
  std::vector<std::int32_t> source_positions;  ///< of the source
  AlignedFloats floats;
  KeptPatches patches;
  /// Version of the parameters during the pass.
  std::uint64_t version = 0;
  /// Number of the layers' passes at that time.
  std::uint64_t num_layer_passes = 0;
};

}  // namespace headwise
