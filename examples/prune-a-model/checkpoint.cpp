#include "checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace example {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    throw std::runtime_error("cannot read " + path.string());
  }
  return text;
}

std::vector<fs::path> files_that_end_with(const fs::path& folder, const std::string& end) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().ends_with(end)) {
      files.push_back(entry.path());
    }
  }
  if (error) {
    throw std::runtime_error("cannot read the folder " + folder.string());
  }
  return files;
}

fs::path file_of_tensors(const fs::path& folder) {
  const std::vector<fs::path> indices = files_that_end_with(folder, ".safetensors.index.json");
  if (indices.size() == 1) {
    return indices.front();
  }
  if (fs::exists(folder / "model.safetensors")) {
    return folder / "model.safetensors";
  }
  const std::vector<fs::path> files = files_that_end_with(folder, ".safetensors");
  if (files.size() != 1) {
    throw std::runtime_error(folder.string() + " has " + std::to_string(files.size()) +
                             " *.safetensors, none of which is model.safetensors or an index");
  }
  return files.front();
}

}  // namespace

headwise::Transformer read_model(const fs::path& folder) {
  const fs::path file = file_of_tensors(folder);
  const std::string config = read_text(folder / "config.json");
  headwise::Transformer model =
      headwise::Transformer::from_pretrained(config, headwise::SafetensorsFile(file).tensors());
  const headwise::TransformerSettings& settings = model.settings();
  if (!model.causal() || !settings.head || settings.has_encoder()) {
    throw std::runtime_error(folder.string() + " has no model that predicts the next token alone");
  }
  return model;
}

std::vector<std::int64_t> read_tokens(const fs::path& file) {
  std::string text = read_text(file);
  std::ranges::replace_if(text, [](char c) { return c == '[' || c == ']' || c == ','; }, ' ');
  std::istringstream words(text);
  std::vector<std::int64_t> tokens;
  for (std::string word; words >> word;) {
    std::int64_t token = 0;
    const char* const end = word.data() + word.size();
    const auto [read_to, error] = std::from_chars(word.data(), end, token);
    if (error != std::errc() || read_to != end) {
      throw std::runtime_error(file.string() + ": expected numbers of tokens, got '" + word +
                               "'; tokens.mjs makes them of a text");
    }
    tokens.push_back(token);
  }
  return tokens;
}

}  // namespace example
