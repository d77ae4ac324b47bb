#include <algorithm>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/validation_text.hpp>

namespace headwise {

std::vector<std::uint8_t> bytes_of(const Mask& mask) {
  std::vector<std::uint8_t> bytes(mask.size());
  if (mask.allowed() != nullptr) {
    std::copy_n(mask.allowed(), bytes.size(), bytes.begin());
  } else if (mask.added() != nullptr) {
    std::transform(mask.added(), mask.added() + bytes.size(), bytes.begin(),
                   [](float number) { return number != 0 ? 1 : 0; });
  }
  return bytes;
}

KeyMaskInput::KeyMaskInput(std::string_view argument, const Mask& mask)
    : input_(mask.allowed(), mask.shape()) {
  const auto fail_for = [&](validation::Part number) {
    validation::fail_text(ErrorCode::invalid_value, "#: expected booleans or 0 and 1, got #",
                          {argument, number});
  };
  if (mask.wrong_integer().has_value()) {
    fail_for(*mask.wrong_integer());
  }
  if (mask.added() == nullptr) {
    return;
  }
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (const float number = mask.added()[i]; number != 0 && number != 1) {
      fail_for(static_cast<double>(number));
    }
  }
  bytes_ = bytes_of(mask);
  input_.data = bytes_.data();
}

IntegerInput::IntegerInput(const Numbers<std::int64_t>& integers) {
  if (integers.has_value()) {
    numbers_.assign(integers->begin(), integers->end());
    shape_.assign(integers->shape().begin(), integers->shape().end());
  }
}

IntegerInput::IntegerInput(const Tokens& tokens)
    : numbers_(tokens.begin(), tokens.end()),
      shape_(tokens.shape().begin(), tokens.shape().end()) {}

IntegerInput::IntegerInput(const std::optional<std::vector<std::int64_t>>& integers) {
  if (integers.has_value()) {
    numbers_.assign(integers->begin(), integers->end());
    shape_ = {numbers_.size()};
  }
}

IntegerInput queries_of(const ReturnedWeights& weights, std::size_t count) {
  if (!weights.last_query_only) {
    return IntegerInput(weights.queries);
  }
  return IntegerInput(std::optional(count > 0 ? std::vector{static_cast<std::int64_t>(count) - 1}
                                              : std::vector<std::int64_t>()));
}

void MaskOptions::set_mask(const Mask& mask) {
  if (mask.wrong_integer().has_value()) {
    validation::fail_text(ErrorCode::invalid_value, "mask: expected integers 0 and 1, got #",
                          {*mask.wrong_integer()});
  }
  if (mask.added() != nullptr) {
    inputs_.added = {mask.added(), mask.shape()};
  } else {
    inputs_.allowed = {mask.allowed(), mask.shape()};
  }
}

}  // namespace headwise
