#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

/// Consecutive rows or columns that were removed from a parameter.
struct RemovedSlice {
  enum class Axis : unsigned char { rows, columns };

  std::string_view name;  ///< of the parameter
  Axis axis;
  std::size_t first;  ///< index before the removal
  std::size_t count;
};

/// Names, shapes and offsets of parameters that are contiguous in a block of floats. Values,
/// gradients and each state of an optimizer are blocks of this layout.
class ParameterTable {
 public:
  struct Entry {
    std::string name;                ///< unique in the table
    std::vector<std::size_t> shape;  ///< as in the state dict
    std::size_t offset = 0;          ///< of the first float in the block

    /// The parameter as a matrix: the first axis, and the others flattened.
    [[nodiscard]] std::size_t rows() const noexcept { return shape.front(); }
    [[nodiscard]] std::size_t columns() const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return rows() * columns(); }

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  /// Appends a parameter.
  void add(std::string name, std::initializer_list<std::size_t> shape);

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// Floats of a block; more than can be allocated if it exceeds the address space.
  [[nodiscard]] std::size_t size() const noexcept;

  /// Removes the slice from `blocks` consecutive blocks in `floats` and compacts what is left. A
  /// slice of a parameter that is not in the table changes nothing.
  void cut(const RemovedSlice& slice, float* floats, std::size_t blocks) const noexcept;
  /// Removes the slice from the shapes.
  void remove(const RemovedSlice& slice) noexcept;

  friend bool operator==(const ParameterTable&, const ParameterTable&) = default;

 private:
  /// Index of the slice's parameter; the number of entries if there is none, or the slice exceeds
  /// it.
  [[nodiscard]] std::size_t index_of(const RemovedSlice& slice) const noexcept;

  std::vector<Entry> entries_;
};

}  // namespace headwise
