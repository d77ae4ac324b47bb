#pragma once

#include <cstddef>
#include <headwise/state_dict.hpp>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace headwise {

/// What a safetensors file holds.
struct Safetensors {
  StateDict tensors;
  std::map<std::string, std::string> metadata;
};

/// Reads a safetensors file of F32, F16 and BF16 tensors. Source: the format's description in the
/// safetensors repository. Throws `Error` (invalid-file) for whatever breaks the format's rules:
/// lengths, JSON, names that are there twice, tensors outside the file, over one another or with
/// holes between them; out-of-memory.
[[nodiscard]] Safetensors load_safetensors(std::span<const std::byte> bytes);

/// A safetensors file of F32 tensors, in the order of their names. Throws `Error` (invalid-value)
/// for names and metadata that are not UTF-8 and for the name `__metadata__`; out-of-memory.
[[nodiscard]] std::vector<std::byte> save_safetensors(
    const StateDict& tensors, const std::map<std::string, std::string>& metadata = {});

}  // namespace headwise
