#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <headwise/headwise.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "json.hpp"

namespace headwise::test {

/// `name`.json, a list of cases, and `name`.safetensors, their tensors.
class VectorFile {
 public:
  /// A tensor of the case that comes next, stored as `<number of the case>.<name>`.
  template <typename Numbers>
  void add(const std::string& name, const std::vector<std::size_t>& shape, const Numbers& numbers) {
    const std::string key = std::to_string(num_cases()) + "." + name;
    const auto stored = [&]<typename Number>(Number /*type*/) {
      auto tensor = xt::xarray<Number>::from_shape(shape);
      std::ranges::transform(numbers, tensor.begin(),
                             [](auto number) { return static_cast<Number>(number); });
      return tensor;
    };
    using Number = std::decay_t<decltype(*numbers.begin())>;
    if constexpr (std::is_floating_point_v<Number>) {
      floats_.emplace(key, stored(float{}));
    } else {
      integers_.emplace(key, stored(Number{}));
    }
  }

  /// Ends the case.
  void add_case(const JsonObject& description) { cases_.push_back(description); }

  [[nodiscard]] std::size_t num_cases() const { return cases_.size(); }

  void write(const std::filesystem::path& folder, const std::string& name) const;

 private:
  StateDict floats_;
  IntegerTensors integers_;
  std::vector<JsonObject> cases_;
};

}  // namespace headwise::test
