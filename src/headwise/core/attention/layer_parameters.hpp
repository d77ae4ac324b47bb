#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/layer_options.hpp>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <optional>

namespace headwise {

/// Names and shapes of all parameters that a layer of these settings has, in the order of
/// `parameter_names`. Unknown input sizes are 0.
[[nodiscard]] ParameterTable parameter_table(const LayerSettings& settings,
                                             const InputSizes& sizes);

/// A layer's parameters and their packed weights. The settings determine which exist; they are
/// numbered as in `parameter_names`.
class LayerParameters {
 public:
  /// Leaves the values uninitialized.
  LayerParameters(const LayerSettings& settings, const InputSizes& sizes);

  /// Initializes every parameter by PyTorch's defaults, each from the random stream of its number.
  void initialize(std::uint64_t seed) noexcept;

  [[nodiscard]] const ParameterTable& table() const noexcept { return table_; }
  /// A block of values in the table's layout. Call `invalidate` after writing.
  [[nodiscard]] float* values() noexcept { return values_.data(); }
  [[nodiscard]] const float* values() const noexcept { return values_.data(); }

  [[nodiscard]] bool has(std::size_t number) const noexcept { return offsets_[number] != absent; }
  /// A parameter in a block of the table's layout; null if there is no block, or no such parameter.
  template <typename Float>
  [[nodiscard]] Float* find(Float* block, std::size_t number) const noexcept {
    return has(number) && block != nullptr ? block + offsets_[number] : nullptr;
  }
  /// A parameter by its number; null if the layer does not have it.
  [[nodiscard]] float* data(std::size_t number) noexcept { return find(values(), number); }
  [[nodiscard]] const float* data(std::size_t number) const noexcept {
    return find(values(), number);
  }

  /// One of W_q, W_k, W_v and W_o, which the layer must have, by the number of its weight. Its
  /// packed weights are valid after `pack`.
  [[nodiscard]] Linear linear(std::size_t number) const noexcept;
  /// Packs the weights if they have changed.
  void pack() noexcept;
  /// Rounds weights of less than 32 bits and marks the packed ones as outdated. To be called after
  /// values were written.
  void invalidate() noexcept;

 private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);
  static constexpr std::size_t num_linears = 4;

  Precision precision_;
  ParameterTable table_;
  std::array<std::size_t, parameter_names.size()> offsets_{};
  AlignedFloats values_;
  std::array<Linear::Sizes, num_linears> linears_{};
  /// Offsets of their packed weights.
  std::array<std::size_t, num_linears> packed_offsets_{};
  AlignedFloats packed_;
  bool packed_is_current_ = false;
};

}  // namespace headwise
