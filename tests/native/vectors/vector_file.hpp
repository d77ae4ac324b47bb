#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
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
    using Number = std::decay_t<decltype(*numbers.begin())>;
    const std::size_t begin = bytes_.size();
    for (const Number number : numbers) {
      append(&number, sizeof number);
    }
    describe(name, dtype<Number>(), shape, begin);
  }

  /// Ends the case.
  void add_case(const JsonObject& description);

  [[nodiscard]] std::size_t num_cases() const { return cases_.size(); }

  void write(const std::filesystem::path& folder, const std::string& name) const;

 private:
  template <typename Number>
  static const char* dtype() {
    if constexpr (std::is_same_v<Number, bool>) {
      return "BOOL";
    } else if constexpr (std::is_same_v<Number, std::int64_t>) {
      return "I64";
    } else {
      static_assert(std::is_floating_point_v<Number>);
      return sizeof(Number) == sizeof(float) ? "F32" : "F64";
    }
  }

  void append(const void* bytes, std::size_t size);
  void describe(const std::string& name, const char* dtype, const std::vector<std::size_t>& shape,
                std::size_t begin);

  std::string bytes_;
  JsonObject header_;
  std::vector<JsonObject> cases_;
};

}  // namespace headwise::test
