#include "gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <headwise/core/attention/dropout.hpp>
#include <limits>
#include <sstream>
#include <utility>

#include "rounding.hpp"

namespace headwise::test {
namespace {

std::size_t output_size(const Configuration& c) {
  return c.output_size != 0 ? c.output_size : c.heads * c.head_size;
}

}  // namespace

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

reference::Doubles<3> random_grad_output(const Problem& problem) {
  const Configuration& c = problem.configuration;
  return randn<3>({c.batch, c.queries, output_size(c)}, c.numbers + 7);
}

reference::GradientProblem gradient_problem(const Problem& problem,
                                            const reference::Doubles<3>& grad_output) {
  const Configuration& c = problem.configuration;
  const MultiHeadAttention layer(problem.layer);
  return {.layer = problem.layer,
          .parameters = problem.parameters,
          .queries = problem.queries,
          .keys = problem.keys,
          .values = problem.values,
          .options = problem.options,
          .dropout_factors = dropout_factors(layer.settings(), c.batch, c.queries, c.keys),
          .grad_output = grad_output};
}

namespace {

/// What may come between a forward and its backward: other passes, one of them a bad one, another
/// mode, copies and moves.
void disturb(MultiHeadAttention& layer, const Configuration& c) {
  if (c.history == History::used) {
    const auto X = [](std::size_t size) { return randn<3>({1, 3, size}, 1); };
    const auto pass = [&](const ForwardOptions& options) {
      layer.forward(X(c.query_size), X(c.key_size), X(c.value_size), options);
    };
    pass({.return_weights = true});
    try {
      pass({.valid_lens = xt::xtensor<std::int64_t, 1>{4}, .requires_grad = true});
    } catch (const Error&) {
      layer.eval();
    }
  }
  layer = with_history(std::move(layer), c.history);
}

}  // namespace

NamedGradients library_gradients(const Problem& problem, const Tensor<3>& grad_output) {
  const Configuration& c = problem.configuration;
  MultiHeadAttention layer = make_layer(problem);
  layer.train();
  const auto backward = [&](auto queries, auto keys, auto values, const auto& gradient) {
    ForwardOptions options = problem.options;
    options.requires_grad = true;
    layer.forward(queries, keys, values, options);
    // The layer has saved what it needs of them.
    for (auto* tensor : {&queries, &keys, &values}) {
      tensor->fill(std::numeric_limits<float>::quiet_NaN());
    }
    options = {};
    disturb(layer, c);
    return by_name(layer.backward(gradient), layer);
  };
  const Tensor<3> queries = problem.queries;
  const Tensor<3> keys = problem.keys;
  const Tensor<3> values = problem.values;
  return c.batch_axis ? backward(queries, keys, values, grad_output)
                      : backward(without_batch(queries), without_batch(keys), without_batch(values),
                                 without_batch(grad_output));
}

GradientCheck::GradientCheck(const Problem& problem, double weight_error) {
  const Configuration& c = problem.configuration;
  if (!c.gradients) {
    return;
  }
  grad_output_ = random_grad_output(problem);
  reference::GradientProblem magnitude = gradient_problem(magnitudes(problem), grad_output_);
  for (double& number : magnitude.grad_output) {
    number = std::abs(number);
  }
  const auto bounds =
      by_name(reference::gradient_magnitudes(gradient_problem(problem, grad_output_), magnitude));
  // Every gradient is a few products of sums over the sizes, and of weights.
  const std::size_t longest = c.query_size + c.key_size + c.value_size + c.heads * c.head_size +
                              output_size(c) + c.attention_hiddens + c.keys +
                              c.batch * (c.queries + c.keys);
  const double error = 4 * weight_error + (static_cast<double>(longest) + 50) * unit_roundoff;
  for (const auto& [name, bound] : bounds) {
    double largest = 0;
    for (const double number : bound) {
      largest = std::fmax(largest, number);
    }
    tolerances_[name] = largest * error;
  }
}

std::string GradientCheck::fault_of(const Problem& problem) const {
  const NamedGradients expected =
      by_name(reference::gradients(gradient_problem(problem, grad_output_)));
  const NamedGradients got = library_gradients(problem, grad_output_);
  for (const auto& [name, numbers] : expected) {
    const auto& ours = got.at(name);
    if (ours.size() != numbers.size()) {
      return "the gradient of " + name + " has another size";
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const bool same = std::isfinite(numbers[i])
                            ? std::abs(ours[i] - numbers[i]) <= tolerances_.at(name)
                            : !std::isfinite(ours[i]);
      if (!same) {
        std::ostringstream stream;
        stream.precision(9);
        stream << "gradient of " << name << " at flat index " << i << ": got " << ours[i]
               << ", expected " << numbers[i] << " within " << tolerances_.at(name);
        return stream.str();
      }
    }
  }
  return {};
}

}  // namespace headwise::test
