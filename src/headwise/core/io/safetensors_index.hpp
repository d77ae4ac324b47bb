#pragma once

#include <headwise/core/io/message.hpp>
#include <span>
#include <string_view>
#include <vector>

/// The index of a checkpoint of several safetensors files, `model.safetensors.index.json`: JSON
/// whose member `weight_map` has the file of each tensor. Source: Transformers' checkpoints.
namespace headwise::io {

/// Views of the index's text.
struct SafetensorsIndexEntry {
  std::string_view name;
  std::string_view file;
};

/// Reads an index, which is overwritten. Its other members are skipped. Returns the tensors in its
/// order, whatever their files are called; sets `message` to the error, if any.
std::vector<SafetensorsIndexEntry> read_safetensors_index(std::span<char> json, Message& message);

}  // namespace headwise::io
