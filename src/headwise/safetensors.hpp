#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/state_dict.hpp>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace headwise {

/// Integers or booleans, in as many bits as a file has them. The format's dtypes, in this order:
/// BOOL, I8, I16, I32, I64, U8, U16, U32, U64.
using IntegerTensor =
    std::variant<xt::xarray<bool>, xt::xarray<std::int8_t>, xt::xarray<std::int16_t>,
                 xt::xarray<std::int32_t>, xt::xarray<std::int64_t>, xt::xarray<std::uint8_t>,
                 xt::xarray<std::uint16_t>, xt::xarray<std::uint32_t>, xt::xarray<std::uint64_t>>;

/// Such tensors by name: buffers of models, such as positions and masks.
using IntegerTensors = std::map<std::string, IntegerTensor>;

/// The contents of a safetensors file. No name is in two of the maps of tensors.
struct Safetensors {
  /// Floats of any size, as float32: exact but for F64, which is rounded.
  StateDict tensors;
  std::map<std::string, std::string> metadata;
  IntegerTensors integers;
  /// The dtypes of tensors that are not supported, and not read: C64, F6_E2M3, F6_E3M2, F4.
  std::map<std::string, std::string> unread;
};

/// Reads a safetensors file. Source: the format's description in the safetensors repository. Throws
/// `Error` (invalid-file) for whatever breaks the format's rules: lengths, JSON, dtypes that the
/// format does not have, duplicate names, tensors outside the file, overlapping or with gaps
/// between them; out-of-memory.
[[nodiscard]] Safetensors load_safetensors(std::span<const std::byte> bytes);

/// A safetensors file of F32 tensors and of integers and booleans in dtypes of their own. Larger
/// numbers come first, so that all are aligned; otherwise tensors are in the order of their names.
/// Throws `Error` (invalid-value) for names and metadata that are not UTF-8, for the name
/// `__metadata__` and for a name in both maps of tensors; out-of-memory.
[[nodiscard]] std::vector<std::byte> save_safetensors(
    const StateDict& tensors, const std::map<std::string, std::string>& metadata = {},
    const IntegerTensors& integers = {});

}  // namespace headwise
