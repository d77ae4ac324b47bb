#pragma once

#include <filesystem>
#include <headwise/headwise.hpp>
#include <string>

/// What is read from files.
namespace example {

/// The model of a checkpoint's folder, as Transformers and the Hugging Face Hub have them: its
/// config.json and its tensors, in model.safetensors, in the one other *.safetensors, or in the
/// files that a *.safetensors.index.json names. Throws `std::runtime_error` for a folder without
/// them and for a model that predicts no next tokens; what `Transformer::from_pretrained` throws.
headwise::Transformer read_model(const std::filesystem::path& folder);

/// Tokens of a text as numbers: a JSON array, or separated by white space. Throws
/// `std::runtime_error` for a file that cannot be read or has anything else.
std::vector<std::int64_t> read_tokens(const std::filesystem::path& file);

}  // namespace example
