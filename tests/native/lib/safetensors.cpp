#include "safetensors.hpp"

#include <variant>

#include "files.hpp"
#include "records.hpp"

namespace headwise::test {

StoredTensors read_safetensors(const std::string& file_name) {
  const Safetensors file = load_safetensors(file_of(read_file(file_name)));
  StoredTensors tensors;
  const auto add = [&](const std::string& name, const auto& tensor) {
    tensors[name] = {.shape = {tensor.shape().begin(), tensor.shape().end()},
                     .values = {tensor.begin(), tensor.end()}};
  };
  for (const auto& [name, tensor] : file.tensors) {
    add(name, tensor);
  }
  for (const auto& [name, tensor] : file.integers) {
    std::visit([&, &of = name](const auto& integers) { add(of, integers); }, tensor);
  }
  return tensors;
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
