#include "vector_file.hpp"

#include <fstream>

namespace headwise::test {
namespace {

void write_file(const std::filesystem::path& path, const std::vector<std::string>& parts) {
  std::ofstream stream(path, std::ios::binary);
  stream.exceptions(std::ios::failbit | std::ios::badbit);
  for (const std::string& part : parts) {
    stream.write(part.data(), static_cast<std::streamsize>(part.size()));
  }
  stream.close();
}

}  // namespace

void VectorFile::append(const void* bytes, std::size_t size) {
  bytes_.append(static_cast<const char*>(bytes), size);
}

void VectorFile::describe(const std::string& name, const char* dtype,
                          const std::vector<std::size_t>& shape, std::size_t begin) {
  header_.set(std::to_string(num_cases()) + "." + name,
              JsonObject()
                  .set("dtype", dtype)
                  .set("shape", shape)
                  .set("data_offsets", std::vector<std::size_t>{begin, bytes_.size()}));
}

void VectorFile::add_case(const JsonObject& description) { cases_.push_back(description); }

void VectorFile::write(const std::filesystem::path& folder, const std::string& name) const {
  const std::string header = header_.text();
  const std::uint64_t size = header.size();
  std::string size_bytes;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    size_bytes += static_cast<char>(size >> shift & 0xFFU);
  }
  write_file(folder / (name + ".safetensors"), {size_bytes, header, bytes_});
  std::string cases;
  for (const JsonObject& each : cases_) {
    cases += (cases.empty() ? "[" : ",\n") + each.text();
  }
  write_file(folder / (name + ".json"), {cases, "]\n"});
}

}  // namespace headwise::test
