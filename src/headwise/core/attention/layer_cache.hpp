#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/core/attention/heads_view.hpp>
#include <headwise/core/attention/quantized_heads.hpp>
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
/// key-value heads, max_length, head size), as floats or as integers. Each head is contiguous, so
/// that pooling reads memory in order.
class LayerCache {
 public:
  using Sizes = QuantizedHeads::Sizes;

  LayerCache(std::uint64_t layer, const Sizes& sizes, Precision precision = Precision::float32);

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
  [[nodiscard]] Precision precision() const noexcept { return precision_; }
  /// Empty unless the precision is float32.
  [[nodiscard]] HeadsView<float> keys() noexcept { return view(keys_); }
  [[nodiscard]] HeadsView<float> values() noexcept { return view(values_); }
  /// Null if it is.
  [[nodiscard]] QuantizedHeads* quantized() noexcept {
    return precision_ == Precision::float32 ? nullptr : &quantized_;
  }
  /// Sets the number of positions held, at most `max_length`, after some were written or discarded.
  void set_length(std::size_t length) noexcept { length_ = length; }

 private:
  HeadsView<float> view(AlignedFloats& heads) const noexcept {
    return separate_heads_view(heads.data(), sizes_.num_heads, sizes_.max_length, sizes_.head_size);
  }

  InUse in_use_;
  std::uint64_t layer_;
  Sizes sizes_;
  Precision precision_;
  AlignedFloats keys_;
  AlignedFloats values_;
  QuantizedHeads quantized_;
  std::size_t length_ = 0;
};

}  // namespace headwise
