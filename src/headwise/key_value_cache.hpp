#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/layer_cache.hpp>
#include <headwise/error.hpp>

namespace headwise {

/// KV cache: projected keys and values of earlier positions, for decoding. Made by
/// `MultiHeadAttention::create_cache` and valid for that layer only, until heads of it are pruned.
class KeyValueCache : public LayerCache {
 public:
  using LayerCache::LayerCache;
  /// Throws `Error` (out-of-memory), as assignment does, which then changes nothing.
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
  /// Keeps the first `length` positions only. Throws `Error` (invalid-value) for more than it
  /// holds, (disposed).
  void truncate(std::int64_t length);
};

}  // namespace headwise
