#include "oracle_case.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>

namespace headwise::test {
namespace {

double atol(const Record& record, const std::string& name) {
  for (const std::string& line : record.all("atol")) {
    const auto words = Record::words(line);
    if (words.at(0) == name) {
      return std::stod(words.at(1));
    }
  }
  FAIL("the oracle has no tolerance for " << name);
  return 0;
}

}  // namespace

xt::xarray<float> OracleCase::tensor(const std::string& name) const {
  return xt::cast<float>(tensors.at(name));
}

StateDict OracleCase::parameters() const {
  const std::string prefix = "param.";
  StateDict result;
  for (const auto& [name, stored] : tensors) {
    if (name.starts_with(prefix)) {
      result[name.substr(prefix.size())] = tensor(name);
    }
  }
  return result;
}

std::vector<OracleCase> oracle_cases(const std::string& op, std::size_t count) {
  std::vector<OracleCase> cases;
  for (const Record& record : read_records("oracle/index.txt")) {
    if (record.text("op") == op) {
      cases.push_back(
          {.record = record, .tensors = read_safetensors("oracle/" + record.text("file"))});
    }
  }
  REQUIRE(cases.size() == count);
  return cases;
}

void check_values_against_oracle(const OracleCase& oracle, const std::string& name,
                                 const std::vector<std::size_t>& shape,
                                 const std::vector<double>& values) {
  const xt::xarray<double>& expected = oracle.tensors.at(name);
  const double largest = max_difference(values, expected);
  const double allowed = atol(oracle.record, name);
  std::printf("%-24s %-14s largest difference %.2e of %.2e\n", oracle.record.text("name").c_str(),
              name.c_str(), largest, allowed);
  CAPTURE(oracle.record.text("name"), name);
  CHECK(std::ranges::equal(shape, expected.shape()));
  CHECK(largest <= allowed);
}

}  // namespace headwise::test
