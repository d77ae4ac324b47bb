#include "safetensors.hpp"

#include <variant>

#include "compare.hpp"
#include "files.hpp"
#include "records.hpp"

namespace headwise::test {

StoredTensors read_safetensors(const std::string& file_name) {
  const Safetensors file = load_safetensors(file_of(read_file(file_name)));
  StoredTensors tensors(file.tensors.begin(), file.tensors.end());
  for (const auto& [name, tensor] : file.integers) {
    std::visit([&, &of = name](const auto& integers) { tensors[of] = xt::cast<double>(integers); },
               tensor);
  }
  return tensors;
}

ValidLens stored_valid_lens(const StoredTensors& tensors) {
  const auto found = tensors.find("in.valid_lens");
  if (found == tensors.end()) {
    return {};
  }
  const auto lens = xt::cast<std::int64_t>(found->second);
  return found->second.dimension() == 1 ? ValidLens(LensBySample(lens))
                                        : ValidLens(LensByQuery(lens));
}

}  // namespace headwise::test
