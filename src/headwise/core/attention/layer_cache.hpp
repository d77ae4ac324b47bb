#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/in_use.hpp>

namespace headwise {

/// The identity of a layer: a copy has another one.
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

/// The memory of a KV cache: keys and values of earlier positions of a layer, each (batch,
/// key-value heads, max_length, head size). Each head is contiguous, so that pooling reads memory
/// in order.
class LayerCache {
 public:
  struct Sizes {
    std::size_t batch;
    std::size_t num_heads;
    std::size_t max_length;
    std::size_t head_size;
  };

  LayerCache(std::uint64_t layer, const Sizes& sizes)
      : layer_(layer), sizes_(sizes), keys_(count(sizes)), values_(count(sizes)) {}

  [[nodiscard]] std::size_t batch_size() const noexcept { return sizes_.batch; }
  [[nodiscard]] std::size_t max_length() const noexcept { return sizes_.max_length; }
  /// Positions held so far.
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

  // For the layer only:

  [[nodiscard]] bool in_use() const noexcept { return static_cast<bool>(in_use_); }
  /// Identity of the layer whose keys and values it holds.
  [[nodiscard]] std::uint64_t layer() const noexcept { return layer_; }
  /// Floats of the keys of one position. Pruning reduces the layer's width, which reveals older
  /// caches.
  [[nodiscard]] std::size_t width() const noexcept { return sizes_.num_heads * sizes_.head_size; }
  [[nodiscard]] HeadsView<float> keys() noexcept { return view(keys_); }
  [[nodiscard]] HeadsView<float> values() noexcept { return view(values_); }
  /// Sets the number of positions held, at most `max_length`, after some were written or discarded.
  void set_length(std::size_t length) noexcept { length_ = length; }

 private:
  static std::size_t count(const Sizes& sizes) noexcept {
    return saturating_product(sizes.batch, sizes.num_heads, sizes.max_length, sizes.head_size);
  }
  HeadsView<float> view(AlignedFloats& heads) const noexcept {
    return separate_heads_view(heads.data(), sizes_.num_heads, sizes_.max_length, sizes_.head_size);
  }

  InUse in_use_;
  std::uint64_t layer_;
  Sizes sizes_;
  AlignedFloats keys_;
  AlignedFloats values_;
  std::size_t length_ = 0;
};

}  // namespace headwise
