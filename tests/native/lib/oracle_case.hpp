#pragma once

#include <headwise/headwise.hpp>
#include <string>
#include <vector>

#include "compare.hpp"
#include "records.hpp"

/// Cases of tests/data/oracle: what PyTorch gives.
namespace headwise::test {

struct OracleCase {
  Record record;
  StoredTensors tensors;

  [[nodiscard]] std::int64_t number(const std::string& attribute) const {
    return record.number<std::int64_t>(attribute);
  }
  /// The stored tensor of this name, of any rank.
  [[nodiscard]] xt::xarray<float> tensor(const std::string& name) const;
  /// All tensors `param.…`, without the prefix.
  [[nodiscard]] StateDict parameters() const;
};

/// The cases of this kind; the test fails if there are not so many.
std::vector<OracleCase> oracle_cases(const std::string& op, std::size_t count);

/// Holds a tensor of this shape against the stored one `name`, and prints how far they differ.
void check_values_against_oracle(const OracleCase& oracle, const std::string& name,
                                 const std::vector<std::size_t>& shape,
                                 const std::vector<double>& values);

template <typename Tensor>
void check_against_oracle(const OracleCase& oracle, const std::string& name, const Tensor& result) {
  check_values_against_oracle(oracle, name, {result.shape().begin(), result.shape().end()},
                              {result.begin(), result.end()});
}

}  // namespace headwise::test
