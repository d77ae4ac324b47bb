#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/io/outcome.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headwise::io {

/// Names of the four projections, in the order W_q, W_k, W_v, W_o. Where the first three have one
/// name, that tensor holds them one under the other.
using ProjectionNames = std::array<std::string_view, 4>;

/// How a system names and lays out a layer's parameters.
struct Layout {
  ProjectionNames weights;
  ProjectionNames biases;
  /// Whether weights are (in, out).
  bool transposed = false;
  /// Whether `bias_k` and `bias_v` may be there.
  bool has_bias_kv = false;
  /// Whether the first three or the last may lack a bias that the others have.
  bool bias_varies = false;
  /// Whether it is the layer's own, which says all that a layer can be.
  bool is_d2l = false;

  [[nodiscard]] bool packed() const noexcept { return weights[0] == weights[1]; }
};

/// A layout found in a dict, and what stands before its names there.
struct FoundLayout {
  const Layout* layout;
  std::string prefix;
};

/// The one layout whose names stand under the prefix. `absent_is_d2l` says what to make of none.
[[nodiscard]] Outcome<FoundLayout> find_layout(std::span<const NamedShape> dict,
                                               std::string_view prefix, bool absent_is_d2l);

/// The index of the tensor of this name.
[[nodiscard]] std::optional<std::size_t> find_tensor(std::span<const NamedShape> dict,
                                                     std::string_view prefix,
                                                     std::string_view name) noexcept;

/// Names of options and arguments are spelled as the language that calls spells them.
[[nodiscard]] std::string spell(std::string_view name);

}  // namespace headwise::io
