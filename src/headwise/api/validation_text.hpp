#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <headwise/error.hpp>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The texts of the public functions' errors. Internal.
namespace headwise::validation {

/// One axis of an expected shape: a size, or a name where any size fits.
struct Axis {
  const char* name = nullptr;
  std::size_t size = 0;

  // Implicit, so that an expected shape reads like one: {"batch", "queries", 100}.
  constexpr Axis(const char* any) noexcept : name(any) {}      // NOLINT(*-explicit-*)
  constexpr Axis(std::size_t exact) noexcept : size(exact) {}  // NOLINT(*-explicit-*)
};

/// A size if it is known, else a name.
Axis axis_of(const std::optional<std::size_t>& size, const char* name) noexcept;

/// A piece of an error's text: a text, a number, or a shape as Python writes it, (2, 4, 100) or
/// (3,). It points to what it was made from.
class Part {
 public:
  // Implicit, so that a text reads like one: {"a divisor of num_heads (", num_heads, ")"}.
  Part(const char* text) noexcept : Part(std::string_view(text)) {}         // NOLINT(*-explicit-*)
  Part(const std::string& text) noexcept : Part(std::string_view(text)) {}  // NOLINT(*-explicit-*)
  Part(std::string_view text) noexcept                                      // NOLINT(*-explicit-*)
      : kind_(Kind::text), data_(text.data()), count_(text.size()) {}
  template <std::integral Integer>
  Part(Integer number) noexcept  // NOLINT(*-explicit-*)
      : kind_(std::signed_integral<Integer> ? Kind::integer : Kind::natural),
        integer_(static_cast<std::int64_t>(number)) {}
  Part(double number) noexcept : kind_(Kind::number), number_(number) {}  // NOLINT(*-explicit-*)
  Part(std::span<const std::size_t> shape) noexcept                       // NOLINT(*-explicit-*)
      : kind_(Kind::shape), data_(shape.data()), count_(shape.size()) {}
  Part(std::span<const Axis> axes) noexcept  // NOLINT(*-explicit-*)
      : kind_(Kind::axes), data_(axes.data()), count_(axes.size()) {}

  void append_to(std::string& text) const;

 private:
  enum class Kind : unsigned char { text, integer, natural, number, shape, axes };

  Kind kind_;
  const void* data_ = nullptr;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::size_t count_ = 0;
};

using Parts = std::initializer_list<Part>;

[[nodiscard]] std::string text_of(Parts parts);

/// Throws `argument: expected …, got …`.
[[noreturn]] void fail(ErrorCode code, std::string_view argument, Parts expected, Parts got);

bool fits(std::span<const std::size_t> shape, std::span<const Axis> expected);

void check_shape(std::string_view argument, std::span<const std::size_t> shape,
                 std::span<const Axis> expected);

/// A number as JavaScript prints it.
std::string number_text(double number);

}  // namespace headwise::validation
