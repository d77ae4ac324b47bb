#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/layer_cache.hpp>
#include <vector>

namespace headwise {

/// The KV caches of all layers of a model, and of what they attend to in an encoder's output.
struct TransformerCache {
  std::vector<LayerCache> self;
  std::vector<LayerCache> cross;                ///< empty without an encoder
  std::vector<std::int32_t> source_valid_lens;  ///< (batch,), of the cached source
  bool has_source = false;                      ///< or an empty one

  [[nodiscard]] std::size_t batch_size() const noexcept { return self.front().batch_size(); }
  [[nodiscard]] Precision precision() const noexcept { return self.front().precision(); }
  [[nodiscard]] std::size_t max_length() const noexcept { return self.front().max_length(); }
  /// Positions held so far.
  [[nodiscard]] std::size_t length() const noexcept { return self.front().length(); }
  [[nodiscard]] std::size_t source_length() const noexcept {
    return cross.empty() ? 0 : cross.front().length();
  }
  /// Keeps the first positions, at most as many as are held.
  void truncate(std::size_t length) noexcept {
    for (LayerCache& cache : self) {
      cache.set_length(length);
    }
  }
  void remove_source() noexcept {
    for (LayerCache& cache : cross) {
      cache.set_length(0);
    }
    source_valid_lens.clear();
    has_source = false;
  }
};

}  // namespace headwise
