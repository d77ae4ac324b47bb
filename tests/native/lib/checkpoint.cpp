#include "checkpoint.hpp"

#include <filesystem>
#include <stdexcept>

#include "compare.hpp"
#include "files.hpp"

namespace headwise::test {

std::vector<std::string> checkpoint_names(const std::string& letters) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(HEADWISE_TEST_DATA "/models")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".json" && contains(letters, name.substr(name.size() - 1))) {
      names.push_back(name);
    }
  }
  return names;
}

Checkpoint::Checkpoint(const std::string& name)
    : config(read_file("models/" + name + ".json")),
      expected(read_safetensors("models/" + name + ".expect.safetensors")) {
  const File file = file_of(read_file("models/" + name + ".safetensors"));
  tensors = load_safetensors(file).tensors;
}

ValidLens Checkpoint::lens() const { return LensBySample(xt::sum(tokens("in.mask"), {1})); }

TransformerForwardOptions Checkpoint::options() const {
  TransformerForwardOptions options;
  options.return_weights = true;
  options.requires_grad = true;
  if (has("in.target")) {
    options.source = tokens("in.tokens");
    options.source_valid_lens = lens();
  } else if (has("in.mask")) {
    options.valid_lens = lens();
  }
  if (has("in.types")) {
    options.segments = tokens("in.types");
  }
  return options;
}

TransformerResult Checkpoint::forward(Transformer& model) const {
  if (has("in.pixels")) {
    return model.forward(Tensor<4>(xt::cast<float>(expected.at("in.pixels"))), options());
  }
  return model.forward(tokens(has("in.target") ? "in.target" : "in.tokens"), options());
}

std::string replaced(std::string text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) {
    throw std::runtime_error("no " + before);
  }
  return text.replace(at, before.size(), after);
}

}  // namespace headwise::test
