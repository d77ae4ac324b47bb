#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/layer_options.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/attention/stored_parameters.hpp>
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
  void initialize(std::uint64_t seed);

  [[nodiscard]] const ParameterTable& table() const noexcept { return table_; }
  [[nodiscard]] StoredParameters& stored() noexcept { return stored_; }
  [[nodiscard]] const StoredParameters& stored() const noexcept { return stored_; }

  /// A parameter in a block of the table's layout; null if there is no block, or no such parameter.
  [[nodiscard]] float* find(float* block, std::size_t number) const noexcept {
    const std::size_t index = indices_[number];
    return index != StoredParameters::none && block != nullptr
               ? block + table_.entries()[index].offset
               : nullptr;
  }
  /// The index of a parameter in the table, by its number; `StoredParameters::none` if the layer
  /// does not have it.
  [[nodiscard]] std::size_t index_of(std::size_t number) const noexcept { return indices_[number]; }
  /// A parameter by its number, other than the weight of a linear map; null if the layer does not
  /// have it.
  [[nodiscard]] const float* data(std::size_t number) const noexcept {
    return stored_.values(indices_[number]);
  }

  /// One of W_q, W_k, W_v and W_o, which the layer must have, by the number of its weight. Its
  /// packed weights are valid after `stored().pack()`.
  [[nodiscard]] Linear linear(std::size_t number) const noexcept {
    return stored_.linear(maps_[number / 2]);
  }

 private:
  static constexpr std::size_t num_linears = 4;

  ParameterTable table_;
  std::array<std::size_t, parameter_names.size()> indices_{};
  /// Numbers of the linear maps that `stored_` has.
  std::array<std::size_t, num_linears> maps_{};
  StoredParameters stored_;
};

}  // namespace headwise
