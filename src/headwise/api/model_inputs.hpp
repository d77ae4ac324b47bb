#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/caller_memory.hpp>
#include <headwise/core/models/activations.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <limits>
#include <span>

/// The arguments of a model's calls as both languages give them. Integers are doubles, as in
/// JavaScript, which writes the members as words: see bindings/records/table.mjs.
namespace headwise {

class ModelCache;

/// As `Patch`.
struct PatchInputs {
  ActivationName at{};
  alignas(std::int32_t) Side side{};
  std::int64_t layer = 0;
  PatchKind kind{};
  InputTensor value = {};
  Input<double> heads = {};
  Input<double> positions = {};
};

/// The arguments of a pass, as in `TransformerForwardOptions`. Without a batch axis if tokens,
/// pixels or embeddings have none.
struct ModelInputs {
  /// One of the three.
  Input<double> tokens;
  InputTensor pixels;
  InputTensor embeddings;
  /// Of a pass with a loss.
  Input<double> targets;
  Input<double> segments;
  Input<double> valid_lens;
  Input<std::uint8_t> key_mask;
  Input<double> source;
  Input<double> source_valid_lens;
  Input<std::uint8_t> source_key_mask;
  /// By side: one for each layer, or none. Some of them may be missing.
  std::array<std::span<const InputTensor>, all_sides.size()> head_gates;
  ModelCache* cache = nullptr;
  bool return_weights = false;
  Input<double> weight_heads;
  Input<double> weight_queries;
  std::span<const ActivationName> capture;
  Input<double> capture_layers;
  Input<double> capture_positions;
  std::span<const PatchInputs> patches;
  bool requires_grad = false;
};

/// As `GenerateOptions`, of one sequence.
struct GenerateInputs {
  Input<double> tokens;
  Input<double> source;
  Input<std::uint8_t> key_mask;
  Input<double> stop;
  double max_new_tokens = 0;
  double temperature = 0;
  std::int64_t top_k = std::numeric_limits<std::int32_t>::max();
  double top_p = 1;
  Precision cache_precision = Precision::float32;
  std::uint64_t seed = 0;
  bool return_weights = false;
  Input<double> weight_heads;
};

}  // namespace headwise
