#pragma once

#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/core/attention/stored_parameters.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <headwise/state_dict.hpp>
#include <string>
#include <utility>
#include <vector>

namespace headwise {

/// Adds a tensor for each entry of the table.
inline void add_tensors(const ParameterTable& table, const StoredParameters& values,
                        const std::string& prefix, StateDict& result) {
  for (std::size_t index = 0; index < table.entries().size(); ++index) {
    const ParameterTable::Entry& entry = table.entries()[index];
    auto tensor = make_array(entry.shape);
    values.read(index, 0, entry.rows(), tensor.data());
    result.emplace(prefix + entry.name, std::move(tensor));
  }
}

/// Adds a gradient for each entry of the table, from a block of its layout; zeros if that is null.
inline void add_gradients(const ParameterTable& table, const float* block,
                          const std::string& prefix, StateDict& result) {
  for (const ParameterTable::Entry& entry : table.entries()) {
    auto tensor = make_array(entry.shape);
    if (block != nullptr) {
      std::copy_n(block + entry.offset, tensor.size(), tensor.data());
    } else {
      tensor.fill(0.0F);
    }
    result.emplace(prefix + entry.name, std::move(tensor));
  }
}

/// Parameters to be written once nothing can fail any more.
class PlannedWrites {
 public:
  /// Plans to load all parameters of the table from a checked state dict.
  void add(const ParameterTable& table, const StateDict& state_dict, const std::string& prefix,
           StoredParameters& values) {
    for (std::size_t index = 0; index < table.entries().size(); ++index) {
      const ParameterTable::Entry& entry = table.entries()[index];
      writes_.push_back({.values = &values,
                         .index = index,
                         .rows = entry.rows(),
                         .from = state_dict.at(prefix + entry.name).data()});
    }
  }

  void run() const noexcept {
    for (const auto& [values, index, rows, from] : writes_) {
      values->write(index, 0, rows, from);
    }
  }

 private:
  struct Write {
    StoredParameters* values;
    std::size_t index;
    std::size_t rows;
    const float* from;
  };
  std::vector<Write> writes_;
};

}  // namespace headwise
