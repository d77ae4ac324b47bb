#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_types.hpp>
#include <limits>
#include <optional>

namespace headwise {

/// The mask options other than tensors, in 32-bit words: which keys a query may attend to by its
/// position, and its result without any.
struct MaskRules {
  static constexpr std::int32_t unlimited = std::numeric_limits<std::int32_t>::max();

  Causal causal = Causal::none;
  std::int32_t window_left = unlimited;
  std::int32_t window_right = unlimited;
  EmptyRows empty_rows = EmptyRows::zero;

  /// An option as one of these words.
  static std::int32_t word_of(std::optional<std::int64_t> number) noexcept {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(
        number.value_or(unlimited), std::numeric_limits<std::int32_t>::min(), unlimited));
  }

  void set_window(const std::optional<Window>& window) noexcept {
    const Window given = window.value_or(Window{});
    window_left = word_of(given.left);
    window_right = word_of(given.right);
  }

  /// Position of the first query among the keys, with this many positions before it.
  [[nodiscard]] std::int64_t first_position(std::int64_t offset, std::size_t num_queries,
                                            std::size_t num_keys) const noexcept {
    return causal == Causal::bottom_right
               ? static_cast<std::int64_t>(num_keys) - static_cast<std::int64_t>(num_queries)
               : offset;
  }

  /// Whether which keys a query may attend to depends on its position.
  [[nodiscard]] bool depend_on_position() const noexcept {
    return causal != Causal::none || window_left < unlimited || window_right < unlimited;
  }

  /// Narrows the keys [begin, end) to those that a query at this position may attend to. Without
  /// any, `begin` is not below `end`.
  void narrow(std::int64_t& begin, std::int64_t& end, std::int64_t position) const noexcept {
    if (causal != Causal::none) {
      end = std::min(end, position + 1);
    }
    if (window_right < unlimited) {
      end = std::min(end, position + window_right + 1);
    }
    if (window_left < unlimited) {
      begin = std::max(begin, position - window_left);
    }
  }
};

}  // namespace headwise
