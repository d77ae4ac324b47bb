#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "compare.hpp"
#include "table.hpp"

// tests/data/golden.txt holds what the library gives for a few seeds: parameters bit by bit, the
// rest within rounding. The Node tests hold the package against the same file, and so the native
// library and WebAssembly against each other. After a change that is meant to change numbers:
//   headwise-tests "[write-golden]"
namespace headwise::test {
namespace {

template <typename Numbers>
std::string hexadecimal(const Numbers& numbers) {
  std::string text;
  for (const float number : numbers) {
    std::array<char, 12> buffer{};
    std::snprintf(buffer.data(), buffer.size(), " %08x", std::bit_cast<std::uint32_t>(number));
    text += buffer.data();
  }
  return text;
}

template <typename Numbers>
std::string decimal(const Numbers& numbers) {
  std::ostringstream text;
  text.precision(9);
  for (const float number : numbers) {
    text << (text.tellp() > 0 ? " " : "") << number;
  }
  return text.str();
}

Inputs inputs_of(const Record& record) {
  const auto seed = record.number<std::uint64_t>("inputs_seed");
  return {.queries = randn<3>(shape_of<3>(record, "queries"), seed),
          .keys = randn<3>(shape_of<3>(record, "keys"), seed + 1),
          .values = randn<3>(shape_of<3>(record, "values"), seed + 2)};
}

struct Computed {
  StateDict parameters;
  Inputs inputs;
  AttentionResult result;
  Tensor<3> dropped_output;
};

Computed compute(const Record& record) {
  MultiHeadAttention layer(options_of(record));
  const Inputs inputs = inputs_of(record);
  const ForwardOptions options{.valid_lens = valid_lens_of(record), .return_weights = true};
  AttentionResult result = forward(layer, inputs, options);
  return {.parameters = layer.state_dict(),
          .inputs = inputs,
          .result = std::move(result),
          .dropped_output = forward(layer.train(), inputs, options).output};
}

TEST_CASE("Results are those of the golden file, which the Node tests share") {
  const auto records = read_records("golden.txt");
  REQUIRE_FALSE(records.empty());
  for (const Record& record : records) {
    CAPTURE(record.text("name"));
    const Computed computed = compute(record);
    std::vector<std::string> bits;
    for (const auto& [name, parameter] : computed.parameters) {
      bits.push_back(name + hexadecimal(parameter));
    }
    CHECK(bits == record.all("bits"));
    const auto difference = [&record](const std::string& key, const auto& numbers) {
      return max_difference(numbers, record.numbers<double>(key));
    };
    CHECK(difference("input_queries", computed.inputs.queries) <= 1e-6);
    CHECK(difference("output", computed.result.output) <= 2e-6);
    CHECK(difference("attention_weights", *computed.result.attention_weights) <= 1e-6);
    CHECK(difference("dropped_output", computed.dropped_output) <= 4e-6);
  }
}

TEST_CASE("Writes the golden file", "[.][write-golden]") {
  const auto records = read_records("golden.txt");
  std::ofstream file(data_path("golden.txt"));
  file << "# What the library gives for a few seeds; tests/native/golden_test.cpp writes it.\n";
  for (const Record& record : records) {
    file << '\n';
    for (const std::string key :
         {"name", "num_hiddens", "num_heads", "bias", "dropout", "seed", "queries", "keys",
          "values", "inputs_seed", "valid_lens_shape", "valid_lens"}) {
      if (record.has(key)) {
        file << key << ' ' << record.text(key) << '\n';
      }
    }
    const Computed computed = compute(record);
    for (const auto& [name, parameter] : computed.parameters) {
      file << "bits " << name << hexadecimal(parameter) << '\n';
    }
    file << "input_queries " << decimal(computed.inputs.queries) << '\n'
         << "output " << decimal(computed.result.output) << '\n'
         << "attention_weights " << decimal(*computed.result.attention_weights) << '\n'
         << "dropped_output " << decimal(computed.dropped_output) << '\n';
  }
}

}  // namespace
}  // namespace headwise::test
