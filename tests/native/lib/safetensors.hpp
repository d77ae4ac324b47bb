#pragma once

#include <headwise/headwise.hpp>
#include <map>
#include <string>

namespace headwise::test {

/// Tensors of a file, of any type of numbers: all are exact as doubles.
using StoredTensors = std::map<std::string, xt::xarray<double>>;

/// The tensors of a file of tests/data.
StoredTensors read_safetensors(const std::string& file_name);

/// The tensor `in.valid_lens`, of either rank, or none.
ValidLens stored_valid_lens(const StoredTensors& tensors);

}  // namespace headwise::test
