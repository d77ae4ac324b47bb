#pragma once

#include <cstddef>
#include <headwise/core/attention/attention_types.hpp>
#include <headwise/core/attention/linear.hpp>
#include <headwise/core/memory/aligned_floats.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <limits>
#include <vector>

namespace headwise {

/// The values of a table's parameters, and the weights of linear maps packed for products. Weights
/// of float32 and integers are held packed alone, all other parameters row-major. Gradients and
/// optimizers need float32 weights row-major, too: so they are held twice from then on.
class StoredParameters {
 public:
  /// An index in the table that no parameter has.
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// A linear map, and the indices of its parameters.
  struct LinearMap {
    Linear::Sizes sizes;
    std::size_t weight = none;
    std::size_t bias = none;
  };

  /// Holds no parameters.
  StoredParameters() = default;
  /// All values are zeros. Each weight belongs to one map.
  StoredParameters(const ParameterTable& table, std::vector<LinearMap> maps, Precision precision);

  /// The floats of a parameter; null for `none`, and for weights held packed alone. Call `changed`
  /// after writing.
  [[nodiscard]] float* values(std::size_t index) noexcept {
    return index == none || entries_[index].map != none ? nullptr
                                                        : values_.data() + entries_[index].offset;
  }
  [[nodiscard]] const float* values(std::size_t index) const noexcept {
    return const_cast<StoredParameters*>(this)->values(index);  // NOLINT(*-const-cast)
  }

  /// Copies rows of a parameter, which is a matrix of its first axis and the others.
  void read(std::size_t index, std::size_t first_row, std::size_t rows, float* to) const noexcept;
  /// Writes rows of a parameter, rounded where it is held as integers. Call `changed` afterwards.
  void write(std::size_t index, std::size_t first_row, std::size_t rows,
             const float* from) noexcept;
  /// Writes a parameter by `fill(numbers, first, count)`, which sets the numbers [first, first +
  /// count) of it.
  template <typename Fill>
  void fill(std::size_t index, const Fill& fill) {
    fill_by_rows(index, &fill,
                 [](const void* with, float* numbers, std::size_t first, std::size_t count) {
                   (*static_cast<const Fill*>(with))(numbers, first, count);
                 });
  }

  [[nodiscard]] const LinearMap& map(std::size_t number) const noexcept { return maps_[number]; }
  /// A linear map by its number. Its packed weights are valid after `pack`.
  [[nodiscard]] Linear linear(std::size_t number) const noexcept;
  /// Packs the weights that are held row-major, too, if they have changed.
  void pack() noexcept;
  /// Rounds weights to float16 and marks the packed ones as outdated. To be called after values
  /// were written.
  void changed() noexcept;

  /// Bytes of all parameters, those of the packed weights included.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (values_.size() + packed_.size()) * sizeof(float);
  }
  /// All values, in the table's layout; null for weights of integers. Holds float32 weights
  /// row-major from the first call on, at the same address. If memory runs out, nothing has
  /// changed.
  [[nodiscard]] float* row_major();

 private:
  struct Entry {
    std::size_t rows;
    std::size_t columns;
    std::size_t offset;      ///< of its floats
    std::size_t map = none;  ///< that holds it packed alone
  };

  /// The same for functions of any type, which is compiled once.
  void fill_by_rows(std::size_t index, const void* with,
                    void (*set)(const void* with, float* numbers, std::size_t first,
                                std::size_t count));
  [[nodiscard]] float* packed(std::size_t map) noexcept {
    return packed_.data() + packed_offsets_[map];
  }

  Precision precision_ = Precision::float32;
  std::vector<Entry> entries_;
  std::vector<LinearMap> maps_;
  std::vector<std::size_t> packed_offsets_;
  AlignedFloats values_;
  AlignedFloats packed_;
  bool packed_is_current_ = false;
};

}  // namespace headwise
