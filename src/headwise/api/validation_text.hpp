#pragma once

#include <cstddef>
#include <headwise/error.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The texts of the public functions' errors. Internal.
namespace headwise::validation {

/// Throws `argument: expected …, got …`.
[[noreturn]] void fail(ErrorCode code, std::string_view argument, std::string_view expected,
                       std::string_view got);

/// One axis of an expected shape: a size, or a name where any size fits.
struct Axis {
  std::string text;
  std::optional<std::size_t> size;

  // Implicit, so that an expected shape reads like one: {"batch", "queries", 100}.
  Axis(const char* name);   // NOLINT(*-explicit-*)
  Axis(std::size_t exact);  // NOLINT(*-explicit-*)
};

/// A size if it is known, else a name.
Axis axis_of(const std::optional<std::size_t>& size, const char* name);

/// A shape as Python writes it: (2, 4, 100), (3,).
std::string shape_text(std::span<const std::size_t> shape);
std::string shape_text(std::span<const Axis> axes);

bool fits(std::span<const std::size_t> shape, std::span<const Axis> expected);

void check_shape(std::string_view argument, std::span<const std::size_t> shape,
                 std::span<const Axis> expected);

/// A number as JavaScript prints it.
std::string number_text(double number);

}  // namespace headwise::validation
