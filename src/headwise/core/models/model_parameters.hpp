#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <headwise/core/training/trainable.hpp>
#include <span>
#include <string>
#include <utility>

namespace headwise {

/// The prefix of the names of a layer's parameters, `layers.0.`.
[[nodiscard]] std::string prefix_of_layer(std::size_t layer);

/// The parameters of a transformer outside its attention layers: embedding, learned positions,
/// layer norms, unembedding; and their gradients.
class ModelParameters final : public Trainable {
 public:
  struct Sizes {
    std::size_t vocabulary_size;
    std::size_t max_length;
    std::size_t num_hiddens;
    std::size_t num_layers;
    bool learned_positions;
    bool layer_norm;  ///< before each layer and before the unembedding
  };

  ModelParameters(const Sizes& sizes, std::uint64_t seed);

  [[nodiscard]] const Sizes& sizes() const noexcept { return sizes_; }

  /// A parameter by its index in the table. Call `parameters_changed` after writing.
  [[nodiscard]] float* values(std::size_t index) noexcept {
    return values_.data() + table_.entries()[index].offset;
  }
  [[nodiscard]] const float* values(std::size_t index) const noexcept {
    return values_.data() + table_.entries()[index].offset;
  }
  /// Its gradient. Requires `have_gradients`.
  [[nodiscard]] float* gradient(std::size_t index) noexcept {
    return gradients_.data() + table_.entries()[index].offset;
  }
  [[nodiscard]] bool have_gradients() const noexcept { return !gradients_.empty(); }
  /// Zeros if there are no gradients yet, else empty.
  [[nodiscard]] AlignedFloats allocate_gradients() const {
    return AlignedFloats::zeros(have_gradients() ? 0 : table_.size());
  }
  /// Keeps what `allocate_gradients` returned.
  void keep_gradients(AlignedFloats&& gradients) noexcept {
    if (!have_gradients()) {
      gradients_ = std::move(gradients);
    }
  }

  // Indices in the table.
  static constexpr std::size_t embedding = 0;  ///< (vocabulary, num_hiddens)
  static constexpr std::size_t position = 1;   ///< (max_length, num_hiddens), if learned
  /// Weight, followed by bias, (num_hiddens,), of the norm before a layer; for the number of
  /// layers, of the norm before the unembedding.
  [[nodiscard]] std::size_t norm(std::size_t layer) const noexcept {
    return (sizes_.learned_positions ? 2 : 1) + 2 * layer;
  }
  [[nodiscard]] std::size_t unembedding_index() const noexcept {
    return table_.entries().size() - 1;
  }

  /// (max_length, num_hiddens), learned or not
  [[nodiscard]] const float* positions() const noexcept {
    return sizes_.learned_positions ? values(position) : sinusoids_.data();
  }
  /// Its packed weights are valid after `pack`.
  [[nodiscard]] Linear unembedding() const noexcept;
  void pack() noexcept;

  [[nodiscard]] const ParameterTable& parameter_table() const noexcept override { return table_; }
  [[nodiscard]] float* parameter_values() noexcept override { return values_.data(); }
  [[nodiscard]] float* parameter_gradients() noexcept override { return gradients_.data(); }
  [[nodiscard]] const float* parameter_values() const noexcept { return values_.data(); }
  [[nodiscard]] const float* parameter_gradients() const noexcept { return gradients_.data(); }
  void parameters_changed() noexcept override { packed_is_current_ = false; }
  [[nodiscard]] std::span<const RemovedSlice> removed_slices() const noexcept override {
    return {};
  }

 private:
  void initialize(std::uint64_t seed) noexcept;
  [[nodiscard]] Linear::Sizes unembedding_sizes() const noexcept {
    return {.in = sizes_.num_hiddens, .out = sizes_.vocabulary_size};
  }

  Sizes sizes_;
  ParameterTable table_;
  AlignedFloats values_;
  AlignedFloats sinusoids_;
  AlignedFloats packed_unembedding_;
  bool packed_is_current_ = false;
  AlignedFloats gradients_;
};

}  // namespace headwise
