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

/// A piece of an error's text: words of the library, a number, or a shape as Python writes it,
/// (2, 4, 100) or (3,). It points to what it was made from.
class Part {
 public:
  // Implicit, so that values are given as they are: {"num_heads", num_heads, shape}.
  Part(const char* text) noexcept : Part(std::string_view(text)) {}         // NOLINT(*-explicit-*)
  Part(const std::string& text) noexcept : Part(std::string_view(text)) {}  // NOLINT(*-explicit-*)
  Part(std::string_view text) noexcept                                      // NOLINT(*-explicit-*)
      : as_words(text), append_(&append_own_words) {}
  template <std::integral Integer>
  Part(Integer number) noexcept  // NOLINT(*-explicit-*)
      : as_integer(static_cast<std::int64_t>(number)),
        append_(std::signed_integral<Integer> ? &append_integer : &append_natural) {}
  Part(double number) noexcept
      : as_number(number), append_(&append_double) {}  // NOLINT(*-explicit-*)
  Part(std::span<const std::size_t> shape) noexcept    // NOLINT(*-explicit-*)
      : as_shape(shape), append_(&append_shape) {}
  Part(std::span<const Axis> axes) noexcept  // NOLINT(*-explicit-*)
      : as_axes(axes), append_(&append_axes) {}

  /// Words that are spelled alike in all languages, such as the name of a tensor.
  static Part verbatim(std::string_view words) noexcept {
    Part part(words);
    part.append_ = &append_verbatim;
    return part;
  }

  void append_to(std::string& text) const { append_(text, *this); }

 private:
  static void append_own_words(std::string& text, const Part& part);
  static void append_verbatim(std::string& text, const Part& part);
  static void append_integer(std::string& text, const Part& part);
  static void append_natural(std::string& text, const Part& part);
  static void append_double(std::string& text, const Part& part);
  static void append_shape(std::string& text, const Part& part);
  static void append_axes(std::string& text, const Part& part);

  union {
    std::string_view as_words;
    std::int64_t as_integer;
    double as_number;
    std::span<const std::size_t> as_shape;
    std::span<const Axis> as_axes;
  };
  /// In place of a number of the kind, so that WebAssembly has no code for kinds that it never
  /// makes.
  void (*append_)(std::string& text, const Part& part);
};

using Parts = std::initializer_list<Part>;

[[nodiscard]] std::string text_of(Parts parts);

/// Throws an error with this text, `argument: expected …, got …`, in which each # stands for the
/// next value.
[[noreturn]] void fail_text(ErrorCode code, std::string_view text, Parts values = {});
/// The same with the code invalid-option.
[[noreturn]] void fail_option(std::string_view text, Parts values);

bool fits(std::span<const std::size_t> shape, std::span<const Axis> expected);

void check_shape(std::string_view argument, std::span<const std::size_t> shape,
                 std::span<const Axis> expected);

// What differs between C++ and JavaScript: native_text.cpp, and bindings/wasm/errors.cpp.

/// Appends a number as JavaScript prints it.
void append_number(std::string& text, double number);
void append_number(std::string& text, std::int64_t number);
void append_number(std::string& text, std::uint64_t number);
/// Appends the library's own words, in which JavaScript spells `num_heads` as `numHeads`.
void append_words(std::string& text, std::string_view words);

}  // namespace headwise::validation
