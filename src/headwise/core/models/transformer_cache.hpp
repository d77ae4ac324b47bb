#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/layer_cache.hpp>
#include <limits>
#include <vector>

namespace headwise {

/// The KV caches of all layers of a model, and of what they attend to in an encoder's output.
struct TransformerCache {
  std::vector<LayerCache> self;
  std::vector<LayerCache> cross;  ///< empty without an encoder
  /// (batch,), of the cached source, all of it where none were given; empty without an encoder.
  std::vector<std::int32_t> source_valid_lens;
  KeptKeys source_keys;     ///< likewise, its key mask
  bool has_source = false;  ///< or an empty one
  /// Of all samples, the first position that a key mask called padding.
  std::size_t first_padding = no_padding;

  static constexpr std::size_t no_padding = std::numeric_limits<std::size_t>::max();

  // Without layers, of a cache that was moved from, sizes are 0.
  [[nodiscard]] std::size_t batch_size() const noexcept {
    return self.empty() ? 0 : self.front().batch_size();
  }
  [[nodiscard]] Precision precision() const noexcept { return self.front().precision(); }
  [[nodiscard]] std::size_t max_length() const noexcept {
    return self.empty() ? 0 : self.front().max_length();
  }
  /// Positions held so far.
  [[nodiscard]] std::size_t length() const noexcept {
    return self.empty() ? 0 : self.front().length();
  }
  /// Positions of the source; 0 without one.
  [[nodiscard]] std::size_t source_length() const noexcept {
    return cross.empty() ? 0 : cross.front().length();
  }
  /// Whether positions that it holds are padding.
  [[nodiscard]] bool has_padding() const noexcept { return first_padding < length(); }
  /// Takes the key mask of a pass, of `num_keys` cached and new positions.
  void set_padding(const AllowedKeys& key_mask, std::size_t num_keys) noexcept {
    first_padding = no_padding;
    for (std::size_t sample = 0; sample < batch_size(); ++sample) {
      for (std::size_t key = 0; key < std::min(first_padding, num_keys); ++key) {
        if (!key_mask.allow(sample, key, num_keys)) {
          first_padding = key;
        }
      }
    }
  }
  /// Keeps the first positions, at most as many as are held.
  void truncate(std::size_t length) noexcept {
    if (first_padding >= length) {
      first_padding = no_padding;
    }
    for (LayerCache& cache : self) {
      cache.set_length(length);
    }
  }
  /// Keeps the lengths of a source whose keys a pass appends; null are all of it.
  void add_source(const std::int32_t* valid_lens, std::size_t length) noexcept {
    for (std::size_t sample = 0; sample < source_valid_lens.size(); ++sample) {
      source_valid_lens[sample] =
          valid_lens != nullptr ? valid_lens[sample] : static_cast<std::int32_t>(length);
    }
    has_source = true;
  }
  void remove_source() noexcept {
    for (LayerCache& cache : cross) {
      cache.set_length(0);
    }
    source_keys = {};
    has_source = false;
  }
};

}  // namespace headwise
