#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <headwise/headwise.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace headwise::test {

/// A tensor of an oracle file. Its numbers, of whatever kind, are exact as doubles.
struct StoredTensor {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

using StoredTensors = std::map<std::string, StoredTensor>;

/// The tensors of a file of tests/data.
StoredTensors read_safetensors(const std::string& file_name);

template <typename Number, std::size_t Rank>
xt::xtensor<Number, Rank> to_tensor(const StoredTensor& stored) {
  if (stored.shape.size() != Rank) {
    throw std::runtime_error("a stored tensor has another rank than expected");
  }
  std::array<std::size_t, Rank> shape{};
  std::copy(stored.shape.begin(), stored.shape.end(), shape.begin());
  auto tensor = xt::xtensor<Number, Rank>::from_shape(shape);
  std::transform(stored.values.begin(), stored.values.end(), tensor.begin(),
                 [](double value) { return static_cast<Number>(value); });
  return tensor;
}

/// The tensor `in.valid_lens`, of either rank, or none.
ValidLens stored_valid_lens(const StoredTensors& tensors);

}  // namespace headwise::test
