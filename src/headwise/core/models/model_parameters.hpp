#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/linear.hpp>
#include <headwise/tensor.hpp>
#include <headwise/trainable.hpp>
#include <string>
#include <vector>

namespace headwise {

/// What names of a layer's parameters begin with, `layers.0.`.
[[nodiscard]] std::string prefix_of_layer(std::size_t layer);

/// What a transformer has beside its attention layers: embedding, learned positions, layer norms,
/// unembedding, and their gradients.
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

  /// A parameter as the state dict has it.
  struct Entry {
    std::string name;
    std::vector<std::size_t> shape;
    std::size_t offset;  ///< among the floats of all of them

    [[nodiscard]] std::size_t size() const noexcept;
  };

  ModelParameters(const Sizes& sizes, std::uint64_t seed);

  [[nodiscard]] const Sizes& sizes() const noexcept { return sizes_; }
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

  /// A parameter by its place in `entries`, for reading.
  [[nodiscard]] const float* values(std::size_t place) const noexcept;
  /// For writing; `parameters_changed` afterwards.
  [[nodiscard]] float* writable_values(std::size_t place) noexcept;
  /// Its gradient, if there are any.
  [[nodiscard]] float* gradient(std::size_t place) noexcept {
    return gradients_.data() + entries_[place].offset;
  }
  [[nodiscard]] bool have_gradients() const noexcept { return gradients_.size() > 0; }
  /// Zeros, where there are no gradients yet; else nothing.
  [[nodiscard]] Tensor<1> allocate_gradients() const;
  /// Keeps what `allocate_gradients` gave.
  void keep_gradients(Tensor<1>&& gradients) noexcept;
  void zero_gradients() noexcept override { gradients_.fill(0.0F); }

  // Places in `entries`.
  static constexpr std::size_t embedding = 0;  ///< (vocabulary, num_hiddens)
  static constexpr std::size_t position = 1;   ///< (max_length, num_hiddens), if learned
  /// Weight, and behind it bias, (num_hiddens,), of the norm before a layer; with the number of
  /// layers, of that before the unembedding.
  [[nodiscard]] std::size_t norm(std::size_t layer) const noexcept {
    return (sizes_.learned_positions ? 2 : 1) + 2 * layer;
  }
  [[nodiscard]] std::size_t unembedding_place() const noexcept { return entries_.size() - 1; }

  /// (max_length, num_hiddens), learned or not
  [[nodiscard]] const float* positions() const noexcept {
    return sizes_.learned_positions ? values(position) : sinusoids_.data();
  }
  [[nodiscard]] Linear& unembedding() noexcept { return unembedding_; }

  [[nodiscard]] std::vector<TrainableParameter> trainable_parameters() override;
  void locate(std::span<TrainableParameter> parameters) noexcept override;
  void parameters_changed() noexcept override { unembedding_.invalidate(); }
  [[nodiscard]] std::span<const RemovedSlice> removed_slices() const noexcept override {
    return {};
  }

 private:
  void add(std::string name, std::vector<std::size_t> shape);
  void initialize(std::uint64_t seed);

  Sizes sizes_;
  std::vector<Entry> entries_;
  Linear unembedding_;
  Tensor<1> values_;  ///< of all but the unembedding
  Tensor<2> sinusoids_;
  Tensor<1> gradients_;
};

}  // namespace headwise
