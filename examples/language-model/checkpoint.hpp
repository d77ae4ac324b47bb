#pragma once

#include <cstdint>
#include <filesystem>
#include <headwise/headwise.hpp>
#include <string>
#include <string_view>

/// A language model as a folder of the Qwen2 family: `config.json` and `model.safetensors`.
namespace example {

struct Sizes {
  std::size_t vocabulary = 8192;
  std::size_t max_length = 256;
  std::size_t num_hiddens = 160;
  std::size_t num_layers = 5;
  std::size_t num_heads = 5;
  std::size_t ffn_hiddens = 416;
};

/// A new model. Matrices are drawn from normal distributions, biases are 0 and norms 1.
[[nodiscard]] headwise::Transformer new_model(const Sizes& sizes, std::uint64_t seed);

/// A model of these parameters, named as in a file of the Qwen2 family.
[[nodiscard]] headwise::Transformer model_of(const Sizes& sizes,
                                             const headwise::StateDict& tensors);

[[nodiscard]] headwise::Transformer read_checkpoint(const std::filesystem::path& folder);

/// Writes a file. Whoever reads it meanwhile finds the old one or the new one, whole. Throws
/// `std::runtime_error` if it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Writes both files, the parameters rounded to float16. Throws `std::runtime_error` if they cannot
/// be written.
void write_checkpoint(const std::filesystem::path& folder, const headwise::Transformer& model,
                      const Sizes& sizes);

}  // namespace example
