#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <headwise/headwise.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compare.hpp"
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

/// A case of a vector file: calls of the package, in order, each with its arguments and results.
class CallList {
 public:
  CallList(VectorFile& file, const std::string& name) : file_(file) { case_.set("name", name); }

  /// Stores a tensor and returns its placeholder among arguments.
  template <typename Tensor>
  Json tensor(const Tensor& tensor) {
    return this->tensor({tensor.shape().begin(), tensor.shape().end()}, tensor);
  }
  template <typename Numbers>
  Json tensor(const std::vector<std::size_t>& shape, const Numbers& numbers) {
    file_.add(std::to_string(num_tensors_), shape, numbers);
    return {JsonObject().set("tensor", num_tensors_++).text()};
  }
  Json dict(const StateDict& dict);

  /// The placeholder of an object of an earlier call, or of one that the replay has.
  static Json object(std::string_view name) { return {JsonObject().set("object", name).text()}; }

  /// `new type(arguments…)`, whose object later calls find as `as`.
  template <typename... Arguments>
  void make(std::string_view as, std::string_view type, const Arguments&... arguments) {
    begin({{"new", json(type)}, {"as", json(as)}}, {json(arguments)...});
  }
  /// `on.method(arguments…)`, or a function of the package if `on` is empty.
  template <typename... Arguments>
  void call(std::string_view on, std::string_view method, const Arguments&... arguments) {
    begin({{"on", json(on)}, {"call", json(method)}}, {json(arguments)...});
  }
  /// The name under which later calls find the result of the last call.
  void as(std::string_view name) { call_.set("as", name); }
  /// A property's value.
  void has(std::string_view on, std::string_view property, double value);

  /// A result of the last call, named by its path in what the package returns. `share` is how far
  /// its numbers may lie from these, relative to the largest of them, or to `floor`.
  template <typename Numbers>
  void gives(const std::string& name, const std::vector<std::size_t>& shape, const Numbers& numbers,
             double share, double floor = 0) {
    gives_.set(name, JsonObject()
                         .set("tensor", tensor(shape, numbers))
                         .set("within", share * std::fmax(floor, largest_magnitude(numbers))));
    has_results_ = true;
  }
  template <typename Tensor>
  void gives(const std::string& name, const Tensor& tensor, double share, double floor = 0) {
    gives(name, {tensor.shape().begin(), tensor.shape().end()}, tensor, share, floor);
  }
  /// Tensors by name. Those that are 0 but for rounding, such as gradients of keys' biases, are
  /// compared by the size of the others.
  void gives(const StateDict& dict, double share);
  void gives(const std::string& name, double number, double share) {
    gives(name, {}, std::vector{number}, share);
  }
  /// Whether any number that is not finite stands for any other in the last call's results.
  void or_not_finite(bool or_not_finite) { call_.set("orNotFinite", or_not_finite); }
  /// Adds calls until one of them fails.
  template <typename Part>
  void run(const Part& part) {
    try {
      part();
    } catch (const Error& error) {
      call_.set("fails",
                JsonObject().set("code", to_string(error.code())).set("message", error.what()));
    }
  }

  /// Ends the case.
  void end();

 private:
  void begin(const std::vector<std::pair<std::string, std::string>>& members,
             const std::vector<std::string>& arguments);
  void end_call();

  VectorFile& file_;
  JsonObject case_;
  std::vector<JsonObject> calls_;
  JsonObject call_;
  JsonObject gives_;
  bool has_results_ = false;
  bool has_call_ = false;
  std::size_t num_tensors_ = 0;
};

}  // namespace headwise::test
