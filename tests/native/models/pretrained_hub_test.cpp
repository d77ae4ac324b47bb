#include <catch2/catch_test_macros.hpp>
#include <map>
#include <string>

#include "checkpoint.hpp"
#include "compare.hpp"
#include "files.hpp"
#include "records.hpp"

// Files with the names, dtypes and fields of the checkpoints that most people use.
namespace headwise::test {
namespace {

Transformer read_hub(const Record& record) {
  const File file = file_of(read_file("hub/" + record.text("file") + ".safetensors"));
  return Transformer::from_pretrained(record.text("config"), load_safetensors(file).tensors);
}

TransformerResult run(Transformer& model) {
  if (model.settings().has_patches()) {
    Tensor<4> pixels = xt::zeros<float>({1, 1, 4, 4});
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      pixels.data()[i] = static_cast<float>(i % 5) - 2;
    }
    return model.forward(pixels);
  }
  TransformerForwardOptions options;
  if (model.settings().has_encoder()) {
    options.source = Tokens{{2, 4, 0, 1}};
  }
  return model.forward({{1, 3, 0, 4}}, options);
}

TEST_CASE("Checkpoints of the Hub are read, and alike ones give the same model") {
  std::map<std::string, Record> records;
  for (const Record& record : read_records("hub/index.txt")) {
    records.emplace(record.text("name"), record);
  }
  for (const auto& [name, record] : records) {
    INFO(name);
    if (record.has("message")) {
      CHECK(error_of([&] { return read_hub(record); }) == record.text("message"));
      continue;
    }
    Transformer model = read_hub(record);
    Transformer same = read_hub(records.at(record.text("same")));
    CHECK(model.state_dict() == same.state_dict());
    CHECK(run(model).hidden == run(same).hidden);
    CHECK(run(model).logits == run(same).logits);
    CHECK(model.config() == record.text("config"));
    const File file = file_of(read_file("hub/" + record.text("file") + ".safetensors"));
    const StateDict tensors = load_safetensors(file).tensors;
    for (const auto& [tensor, values] : model.state_dict(ParameterNames::pretrained)) {
      INFO(tensor);
      REQUIRE(tensors.contains(tensor));
      CHECK(same_bits(values, tensors.at(tensor)));
    }
  }
}

}  // namespace
}  // namespace headwise::test
