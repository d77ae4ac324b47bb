#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

/// Neighbouring rows, or columns, that were cut out of a parameter for good.
struct RemovedSlice {
  enum class Axis : unsigned char { rows, columns };

  std::string_view name;  ///< of the parameter
  Axis axis;
  std::size_t first;  ///< as the parameter was before
  std::size_t count;
};

/// Names and shapes of parameters that lie one behind the other in a block of floats: one block of
/// values, one of gradients, one of each number that an optimizer keeps beside a parameter.
class ParameterTable {
 public:
  struct Entry {
    std::string name;                ///< no other's of the same table
    std::vector<std::size_t> shape;  ///< as the state dict has it
    std::size_t offset = 0;          ///< of the first float in the block

    /// The parameter as a matrix: its first axis, and the others together.
    [[nodiscard]] std::size_t rows() const noexcept { return shape.front(); }
    [[nodiscard]] std::size_t columns() const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return rows() * columns(); }

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  /// Appends a parameter. Ends as an allocation that fails where no memory holds the block.
  void add(std::string_view name, std::vector<std::size_t> shape);

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// Floats of a block.
  [[nodiscard]] std::size_t size() const noexcept {
    return entries_.empty() ? 0 : entries_.back().offset + entries_.back().size();
  }

  /// Cuts the slice out of `blocks` blocks that lie one behind the other in `floats`; what is left
  /// moves together at its beginning. A slice of what is not in the table changes nothing.
  void cut(const RemovedSlice& slice, float* floats, std::size_t blocks) const noexcept;
  /// Cuts it out of the shapes.
  void remove(const RemovedSlice& slice) noexcept;

  friend bool operator==(const ParameterTable&, const ParameterTable&) = default;

 private:
  /// The place of the parameter that the slice is of; the end if there is none, or it is smaller.
  [[nodiscard]] std::size_t place_of(const RemovedSlice& slice) const noexcept;

  std::vector<Entry> entries_;
};

}  // namespace headwise
