#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/layer_cache.hpp>
#include <headwise/error.hpp>

namespace headwise {

/// KV cache: projected keys and values of earlier positions, for decoding. Made by
/// `MultiHeadAttention::create_cache`, and valid for that layer until its heads are pruned.
class KeyValueCache : public LayerCache {
 public:
  using LayerCache::LayerCache;
  /// Copying and assignment throw `Error` (out-of-memory) and then change nothing.
  KeyValueCache(const KeyValueCache& other)
      : LayerCache(copied(static_cast<const LayerCache&>(other))) {}
  KeyValueCache(KeyValueCache&&) = default;
  KeyValueCache& operator=(const KeyValueCache& other) {
    if (this != &other) {
      *this = KeyValueCache(other);
    }
    return *this;
  }
  KeyValueCache& operator=(KeyValueCache&&) = default;
  ~KeyValueCache() = default;

  /// Removes all positions. Throws `Error` (disposed) if the cache was moved from.
  void reset() { truncate(0); }
  /// Keeps only the first `length` positions. Throws `Error` (invalid-value) if the cache holds
  /// fewer, (disposed).
  void truncate(std::int64_t length);
};

}  // namespace headwise
