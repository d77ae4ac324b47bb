#include "vector_file.hpp"

#include <fstream>
#include <string_view>

#include "files.hpp"

namespace headwise::test {
namespace {

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary);
  stream.exceptions(std::ios::failbit | std::ios::badbit);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
}

}  // namespace

void VectorFile::write(const std::filesystem::path& folder, const std::string& name) const {
  write_file(folder / (name + ".safetensors"), text_of(save_safetensors(floats_, {}, integers_)));
  std::string cases;
  for (const JsonObject& each : cases_) {
    cases += (cases.empty() ? "[" : ",\n") + each.text();
  }
  write_file(folder / (name + ".json"), cases + "]\n");
}

}  // namespace headwise::test
