#pragma once

#include <cstddef>
#include <cstdint>
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
class KeyValueCache {
 public:
  KeyValueCache(std::uint64_t layer, std::size_t batch_size, std::size_t max_length,
                std::size_t width);

  [[nodiscard]] std::size_t batch_size() const noexcept { return keys_.shape(0); }
  [[nodiscard]] std::size_t max_length() const noexcept { return keys_.shape(1); }
  /// Positions held so far.
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

  /// Forgets everything.
  void reset() noexcept { length_ = 0; }
  /// Forgets all but the first `length` positions. Throws `Error` (invalid-value) for more than it
  /// holds.
  void truncate(std::int64_t length);

  // What follows is for the layer.

  [[nodiscard]] std::uint64_t layer() const noexcept { return layer_; }
  /// Floats of a position's keys. Pruning makes the layer's smaller, so an older cache shows.
  [[nodiscard]] std::size_t width() const noexcept { return keys_.shape(2); }
  /// (batch, max_length, width)
  [[nodiscard]] float* keys() noexcept { return keys_.data(); }
  [[nodiscard]] float* values() noexcept { return values_.data(); }
  [[nodiscard]] std::size_t sample_stride() const noexcept {
    return keys_.shape(1) * keys_.shape(2);
  }
  void append(std::size_t positions) noexcept { length_ += positions; }

 private:
  std::uint64_t layer_;
  Tensor<3> keys_;
  Tensor<3> values_;
  std::size_t length_ = 0;
};

}  // namespace headwise
