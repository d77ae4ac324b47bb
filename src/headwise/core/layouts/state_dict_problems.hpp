#pragma once

#include <headwise/core/io/message.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

namespace headwise::io {

/// What is wrong with the tensors of a state dict.
class StateDictProblems {
 public:
  void add_missing(std::string_view prefix, std::string_view name) {
    append_parts(missing_, {", ", prefix, name});
  }
  void add_unexpected(std::string_view name) { append_parts(unexpected_, {", ", name}); }
  /// Returns the text, to which the rest of what is wrong may be appended.
  std::string& add_wrong(std::string_view name, std::initializer_list<Part> problem) {
    append_parts(wrong_, {"; ", name, ": "});
    append_parts(wrong_, problem);
    return wrong_;
  }
  /// Adds a problem and returns false if the tensor is not of floats. Whoever hands over tensors
  /// has converted floats of all sizes.
  bool check_floats(const NamedTensor& tensor) {
    if (tensor.dtype == "F32") {
      return true;
    }
    add_wrong(tensor.name, {"expected floats, got ", tensor.dtype});
    return false;
  }

  /// All problems; empty if there are none.
  [[nodiscard]] std::string text() const {
    std::string all;
    if (!missing_.empty()) {
      append_parts(all, {"; missing ", without_separator(missing_)});
    }
    if (!unexpected_.empty()) {
      append_parts(all, {"; unexpected ", without_separator(unexpected_)});
    }
    return std::string(without_separator(all += wrong_));
  }

 private:
  [[nodiscard]] static std::string_view without_separator(std::string_view list) noexcept {
    return list.empty() ? list : list.substr(2);
  }

  // Each item begins with a separator: a list is empty only if it has no items, even without names.
  std::string missing_;
  std::string unexpected_;
  std::string wrong_;
};

}  // namespace headwise::io
