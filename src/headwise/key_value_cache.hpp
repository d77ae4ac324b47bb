#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/api/in_use.hpp>
#include <headwise/heads.hpp>
#include <headwise/tensor.hpp>

namespace headwise {

/// Tells layers apart: a copy of a layer is another layer.
class LayerIdentity {
 public:
  LayerIdentity() noexcept : value_(next()) {}
  LayerIdentity(const LayerIdentity& /*other*/) noexcept : value_(next()) {}
  LayerIdentity(LayerIdentity&& other) noexcept = default;
  LayerIdentity& operator=(const LayerIdentity& other) noexcept {
    value_ = this == &other ? value_ : next();
    return *this;
  }
  LayerIdentity& operator=(LayerIdentity&& other) noexcept = default;
  ~LayerIdentity() = default;

  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  static std::uint64_t next() noexcept;

  std::uint64_t value_;
};

/// Projected keys and values of earlier positions, for decoding. Made by
/// `MultiHeadAttention::create_cache` and of use to that layer only, until heads of it are pruned.
/// Each head lies in one piece, so that pooling reads memory front to back.
class KeyValueCache {
 public:
  KeyValueCache(std::uint64_t layer, std::size_t batch_size, std::size_t max_length,
                std::size_t num_heads, std::size_t head_size);
  /// Throws `Error` (out-of-memory), as assignment does, which then changes nothing.
  KeyValueCache(const KeyValueCache& other);
  KeyValueCache(KeyValueCache&&) = default;
  KeyValueCache& operator=(const KeyValueCache& other);
  KeyValueCache& operator=(KeyValueCache&&) = default;
  ~KeyValueCache() = default;

  [[nodiscard]] std::size_t batch_size() const noexcept { return keys_.shape(0); }
  [[nodiscard]] std::size_t max_length() const noexcept { return keys_.shape(2); }
  /// Positions held so far.
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

  /// Forgets everything. Throws `Error` (disposed) if the cache was moved from.
  void reset() { truncate(0); }
  /// Forgets all but the first `length` positions. Throws `Error` (invalid-value) for more than it
  /// holds, (disposed).
  void truncate(std::int64_t length);

  // What follows is for the layer.

  [[nodiscard]] bool in_use() const noexcept { return static_cast<bool>(in_use_); }
  [[nodiscard]] std::uint64_t layer() const noexcept { return layer_; }
  /// Floats of a position's keys. Pruning makes the layer's smaller, so an older cache shows.
  [[nodiscard]] std::size_t width() const noexcept { return keys_.shape(1) * keys_.shape(3); }
  /// (batch, key-value heads, max_length, head size)
  [[nodiscard]] HeadsView<float> keys() noexcept { return view(keys_); }
  [[nodiscard]] HeadsView<float> values() noexcept { return view(values_); }

 private:
  /// Appends only what it has checked.
  friend class MultiHeadAttention;

  void append(std::size_t positions) noexcept { length_ += positions; }

  static HeadsView<float> view(Tensor<4>& heads) noexcept {
    return separate_heads_view(heads.data(), heads.shape(1), heads.shape(2), heads.shape(3));
  }

  InUse in_use_;
  std::uint64_t layer_;
  Tensor<4> keys_;
  Tensor<4> values_;
  std::size_t length_ = 0;
};

}  // namespace headwise
