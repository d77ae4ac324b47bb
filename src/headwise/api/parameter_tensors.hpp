#pragma once

#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/core/memory/parameter_table.hpp>
#include <headwise/state_dict.hpp>
#include <string>
#include <utility>

namespace headwise {

/// Adds a tensor for each entry of the table, from a block of its layout; zeros if that is null.
inline void add_tensors(const ParameterTable& table, const float* block, const std::string& prefix,
                        StateDict& result) {
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

}  // namespace headwise
