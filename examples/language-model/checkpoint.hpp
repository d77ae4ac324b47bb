#pragma once

#include <cstdint>
#include <filesystem>
#include <headwise/headwise.hpp>
#include <string>

/// A language model as a folder of the Qwen2 family: `config.json` and `model.safetensors`.
namespace example {

struct Sizes {
  std::size_t vocabulary = 1024;
  std::size_t max_length = 256;
  std::size_t num_hiddens = 128;
  std::size_t num_layers = 4;
  std::size_t num_heads = 4;
  std::size_t ffn_hiddens = 344;
};

/// A new model. Matrices are drawn from normal distributions, biases are 0 and norms 1.
[[nodiscard]] headwise::Transformer new_model(const Sizes& sizes, std::uint64_t seed);

[[nodiscard]] headwise::Transformer read_checkpoint(const std::filesystem::path& folder);

/// Writes both files, the parameters rounded to float16. Throws `std::runtime_error` if they cannot
/// be written.
void write_checkpoint(const std::filesystem::path& folder, const headwise::Transformer& model,
                      const Sizes& sizes);

}  // namespace example
