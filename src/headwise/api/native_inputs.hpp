#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/api/mask_inputs.hpp>
#include <headwise/api/validation_options.hpp>
#include <headwise/attention_options.hpp>
#include <headwise/masks.hpp>
#include <headwise/tokens.hpp>
#include <optional>
#include <string_view>
#include <vector>

/// Options of C++ as the inputs that both languages have. Masks that must hold 0 and 1 are checked
/// here: JavaScript checks them while it reads them.
namespace headwise {

[[nodiscard]] inline Input<float> input_of(const Numbers<float>& numbers) noexcept {
  return numbers.has_value() ? Input<float>(numbers->data(), numbers->shape()) : Input<float>();
}

/// Whether each entry of a mask other than floats to add is not 0; empty without a mask.
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const Mask& mask);

/// A key mask as bytes.
class KeyMaskInput {
 public:
  /// Fails unless the numbers are 0 and 1.
  KeyMaskInput(std::string_view argument, const Mask& mask);

  [[nodiscard]] const Input<std::uint8_t>& input() const noexcept { return input_; }

 private:
  std::vector<std::uint8_t> bytes_;
  Input<std::uint8_t> input_;
};

/// Integers as doubles.
class IntegerInput {
 public:
  IntegerInput() = default;
  explicit IntegerInput(const Numbers<std::int64_t>& integers);
  explicit IntegerInput(const Tokens& tokens);
  /// Of a list.
  explicit IntegerInput(const std::optional<std::vector<std::int64_t>>& integers);

  [[nodiscard]] Input<double> input() const noexcept { return {numbers_.data(), shape_}; }

 private:
  std::vector<double> numbers_;
  std::vector<std::size_t> shape_;
};

/// The chosen queries of `count`.
[[nodiscard]] IntegerInput queries_of(const ReturnedWeights& weights, std::size_t count);

/// The masks of options that have them. The options must outlive it.
class MaskOptions {
 public:
  template <typename Options>
  explicit MaskOptions(const Options& options)
      : valid_lens_(options.valid_lens), key_mask_("key_mask", options.key_mask) {
    // The rules hold 32 bits of each side.
    validation::check_window(options.window);
    set_mask(options.mask);
    inputs_.valid_lens = valid_lens_.input();
    inputs_.key_mask = key_mask_.input();
    inputs_.rules = rules_of(options);
  }

  [[nodiscard]] const MaskInputs& inputs() const noexcept { return inputs_; }

 private:
  /// Fails if a mask of integers has any but 0 and 1.
  void set_mask(const Mask& mask);

  IntegerInput valid_lens_;
  KeyMaskInput key_mask_;
  MaskInputs inputs_;
};

}  // namespace headwise
