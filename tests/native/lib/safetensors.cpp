#include "safetensors.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "records.hpp"

namespace headwise::test {
namespace {

template <typename Stored>
std::vector<double> read_values(const char* bytes, std::size_t count) {
  std::vector<Stored> stored(count);
  if (count > 0) {
    std::memcpy(stored.data(), bytes, count * sizeof(Stored));
  }
  return {stored.begin(), stored.end()};
}

std::vector<double> read_values(const std::string& dtype, const char* bytes, std::size_t size) {
  if (dtype == "F32") {
    return read_values<float>(bytes, size / sizeof(float));
  }
  if (dtype == "I32") {
    return read_values<std::int32_t>(bytes, size / sizeof(std::int32_t));
  }
  if (dtype == "BOOL") {
    return read_values<std::uint8_t>(bytes, size);
  }
  throw std::runtime_error("no reader for tensors of type " + dtype);
}

}  // namespace

StoredTensors parse_safetensors(const std::string& bytes) {
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), sizeof header_size);
  std::string header = bytes.substr(sizeof header_size, header_size);
  const char* const data = bytes.data() + sizeof header_size + header_size;

  // Without its punctuation, an entry of the header reads
  // in.queries dtype F32 shape 2 4 100 data_offsets 0 3200
  constexpr std::string_view punctuation = "{}[]:,\"";
  std::replace_if(
      header.begin(), header.end(),
      [&](char c) { return punctuation.find(c) != std::string_view::npos; }, ' ');
  StoredTensors tensors;
  const std::vector<std::string> words = Record::words(header);
  for (auto word = words.begin(); word != words.end();) {
    StoredTensor& tensor = tensors[*word++];
    const std::string& dtype = *++word;
    for (word += 2; *word != "data_offsets"; ++word) {
      tensor.shape.push_back(std::stoul(*word));
    }
    const std::size_t first = std::stoul(*++word);
    const std::size_t last = std::stoul(*++word);
    tensor.values = read_values(dtype, data + first, last - first);
    ++word;
  }
  return tensors;
}

StoredTensors read_safetensors(const std::string& name) {
  return parse_safetensors(read_file(name));
}

StateDict stored_parameters(const StoredTensors& tensors) {
  const std::string prefix = "param.";
  StateDict parameters;
  for (const auto& [name, tensor] : tensors) {
    if (name.starts_with(prefix)) {
      auto& parameter = parameters[name.substr(prefix.size())];
      if (tensor.shape.size() == 1) {
        parameter = to_tensor<float, 1>(tensor);
      } else {
        parameter = to_tensor<float, 2>(tensor);
      }
    }
  }
  return parameters;
}

ValidLens stored_valid_lens(const StoredTensors& tensors) {
  const auto found = tensors.find("in.valid_lens");
  if (found == tensors.end()) {
    return {};
  }
  if (found->second.shape.size() == 1) {
    return to_tensor<std::int64_t, 1>(found->second);
  }
  return to_tensor<std::int64_t, 2>(found->second);
}

}  // namespace headwise::test
