// headwise-test-vectors FOLDER: writes there what the tests of the package read.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "configuration.hpp"
#include "vectors.hpp"

namespace {

constexpr std::uint64_t default_seed = 20260101;
constexpr std::uint64_t default_count = 800;

void write_vectors(const std::filesystem::path& folder) {
  using namespace headwise::test;
  std::filesystem::create_directories(folder);
  // HEADWISE_SEED and HEADWISE_CONFIGURATIONS choose other random configurations.
  layer_vectors(from_environment("HEADWISE_SEED", default_seed),
                from_environment("HEADWISE_CONFIGURATIONS", default_count))
      .write(folder, "layers");
  model_vectors().write(folder, "models");
  function_vectors().write(folder, "functions");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "Usage: headwise-test-vectors FOLDER\n");
    return 2;
  }
  try {
    write_vectors(arguments[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "headwise-test-vectors: %s\n", error.what());
    return 1;
  }
}
