#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

namespace headwise::io {

/// Finds names among many, in logarithmic time. The names must outlive it.
class NameIndex {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  NameIndex() = default;
  explicit NameIndex(std::vector<std::string_view> names);

  /// The number of a name; of equal ones, the first; `none` if it is not there.
  [[nodiscard]] std::size_t find(std::string_view name) const noexcept;
  /// The numbers of the names, in ascending order of the names.
  [[nodiscard]] const std::vector<std::size_t>& order() const noexcept { return order_; }
  /// Whether any name begins with `prefix`.
  [[nodiscard]] bool has_prefix(std::string_view prefix) const noexcept;

 private:
  /// The place of the first name that is not less, in ascending order.
  [[nodiscard]] std::size_t lower_bound(std::string_view name) const noexcept;

  std::vector<std::string_view> names_;
  std::vector<std::size_t> order_;
};

}  // namespace headwise::io
