#include "gradient_problem.hpp"

#include <headwise/core/attention/dropout.hpp>

namespace headwise::test {

NamedGradients by_name(const reference::Gradients& gradients) {
  const auto list = [](const auto& tensor) {
    return std::vector<double>(tensor.begin(), tensor.end());
  };
  NamedGradients result = gradients.parameters;
  result["queries"] = list(gradients.queries);
  result["keys"] = list(gradients.keys);
  result["values"] = list(gradients.values);
  result["head_gate"] = list(gradients.head_gate);
  return result;
}

reference::Doubles<4> dropout_factors(const LayerSettings& settings, std::size_t batch,
                                      std::size_t num_queries, std::size_t num_keys) {
  const std::size_t columns = num_keys + settings.num_extra_slots();
  const Dropout dropout{.probability = settings.dropout, .seed = settings.seed, .call = 0};
  reference::Doubles<4> factors(std::array{batch, settings.num_heads, num_queries, columns}, 1.0);
  std::vector<float> row(columns);
  for (std::size_t i = 0; dropout.active() && i < batch * settings.num_heads * num_queries; ++i) {
    std::fill(row.begin(), row.end(), 1.0F);
    dropout.apply(row.data(), i, 0, columns);
    std::copy(row.begin(), row.end(), factors.begin() + static_cast<std::ptrdiff_t>(i * columns));
  }
  return factors;
}

}  // namespace headwise::test
