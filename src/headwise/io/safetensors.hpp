#pragma once

#include <cstddef>
#include <headwise/tensor.hpp>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace headwise {

/// What a safetensors file holds.
struct Safetensors {
  /// The tensors by name, row-major; a state dict if they are a layer's parameters.
  std::map<std::string, xt::xarray<float>> tensors;
  /// The file's own remarks by name, its `__metadata__`.
  std::map<std::string, std::string> metadata;
};

/// Reads a safetensors file. Takes the dtypes F32, F16, BF16 and F64, integers from 8 to 64 bits
/// and BOOL, all as float32, rounded to nearest. Everything that the format rules is checked before
/// memory is taken for it: the header's length, its JSON, each name once, sizes that follow from
/// dtype and shape, data that follows without gap or overlap up to the end of the file. Tensors
/// have at most 64 axes. Source: huggingface/safetensors.
///
/// Throws `Error` (invalid-file, out-of-memory).
[[nodiscard]] Safetensors load_safetensors(std::span<const std::byte> file);

/// Writes a safetensors file of F32 tensors in the order of their names, as Python's safetensors
/// does. Throws `Error` (invalid-value) for names or metadata that are not UTF-8 and for a tensor
/// of the name `__metadata__`; out-of-memory.
[[nodiscard]] std::vector<std::byte> save_safetensors(
    const std::map<std::string, xt::xarray<float>>& tensors,
    const std::map<std::string, std::string>& metadata = {});

}  // namespace headwise
