#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <variant>

#include "compare.hpp"
#include "files.hpp"

// A model that tells stories: karpathy/tinyllamas, 260K parameters, as a checkpoint of Llama's
// family. It is no part of this repository; HEADWISE_STORIES names the folder with it.
namespace headwise::test {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("A trained model tells the story that PyTorch's tells") {
  const char* folder = std::getenv("HEADWISE_STORIES");  // NOLINT(*-mt-unsafe): one thread
  if (folder == nullptr) {
    SKIP("HEADWISE_STORIES names no folder of a model that tells stories");
  }
  const std::string path = std::string(folder) + "/";
  const File file = file_of(read(path + "model.safetensors"));
  Transformer model =
      Transformer::from_pretrained(read(path + "config.json"), load_safetensors(file).tensors);
  const File once = file_of(read(path + "once.safetensors"));
  const Safetensors expected = load_safetensors(once);
  Tokens tokens;
  std::visit(
      [&](const auto& numbers) {
        tokens = Tokens::from_shape({1, numbers.size()});
        std::copy(numbers.begin(), numbers.end(), tokens.begin());
      },
      expected.integers.at("in.tokens"));
  const TransformerResult result = model.forward(tokens, {.return_weights = true});
  const auto check = [&](const auto& got, const std::string& name) {
    INFO(name);
    const auto& stored = expected.tensors.at(name);
    CHECK(max_difference(got, stored) <= 2e-5 * max_difference(stored, 0 * stored));
  };
  check(result.logits, "out.logits");
  REQUIRE(result.attention_weights.size() == 5);
  for (std::size_t layer = 0; layer < 5; ++layer) {
    CHECK(result.attention_weights[layer].shape(1) == 8);
    check(result.attention_weights[layer], "out.attention." + std::to_string(layer));
  }
  const std::vector<std::int64_t> story(tokens.begin(), tokens.end());
  const std::ptrdiff_t told = std::stol(expected.metadata.at("prompt_tokens"));
  CHECK(model.generate({story.begin(), story.begin() + told},
                       {.max_new_tokens = static_cast<std::int64_t>(story.size()) - told}) ==
        std::vector<std::int64_t>(story.begin() + told, story.end()));
}

}  // namespace
}  // namespace headwise::test
