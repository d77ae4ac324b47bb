#include "gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <headwise/core/attention/dropout.hpp>
#include <limits>
#include <sstream>
#include <utility>

#include "compare.hpp"
#include "rounding.hpp"

namespace headwise::test {
namespace {

std::string text_of(const xt::xarray<double>& tensor) {
  std::string text;
  for (const std::size_t size : tensor.shape()) {
    text += (text.empty() ? "(" : ", ") + std::to_string(size);
  }
  return text + ")";
}

}  // namespace

std::string difference(const std::string& name, const xt::xarray<double>& got,
                       const xt::xarray<double>& expected, double tolerance, bool any_not_finite) {
  if (got.shape() != expected.shape()) {
    return name + " " + text_of(got) + ", expected " + text_of(expected);
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = got.data()[i];
    const double y = expected.data()[i];
    const bool same = std::isfinite(x) && std::isfinite(y)
                          ? std::abs(x - y) <= tolerance
                          : x == y || (std::isnan(x) && std::isnan(y)) ||
                                (any_not_finite && !std::isfinite(x) && !std::isfinite(y));
    if (!same) {
      std::ostringstream stream;
      stream.precision(9);
      stream << name << " " << text_of(got) << " at flat index " << i << ": got " << x
             << ", expected " << y << " within " << tolerance;
      return stream.str();
    }
  }
  return {};
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
  const std::size_t size = MultiHeadAttention(problem.layer).settings().output_size;
  return randn<3>({c.batch, c.queries, size}, c.numbers + 7);
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

NamedTensors library_gradients(const Problem& problem, const Tensor<3>& grad_output) {
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
    const auto inputs = layer.backward(gradient);
    return by_name(inputs, layer.gradients());
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
      reference::gradient_magnitudes(gradient_problem(problem, grad_output_), magnitude);
  // Every gradient is a few products of sums over the sizes, and of weights.
  const std::size_t longest = c.query_size + c.key_size + c.value_size + c.heads * c.head_size +
                              grad_output_.shape(2) + c.attention_hiddens + c.keys +
                              c.batch * (c.queries + c.keys);
  const double error = 4 * weight_error + (static_cast<double>(longest) + 50) * unit_roundoff;
  for (const auto& [name, bound] : by_name(bounds, bounds.parameters)) {
    tolerances_[name] = largest_magnitude(bound) * error;
  }
}

std::string GradientCheck::fault_of(const Problem& problem) const {
  const auto expected = reference::gradients(gradient_problem(problem, grad_output_));
  const NamedTensors got = library_gradients(problem, grad_output_);
  std::string fault;
  for (const auto& [name, gradient] : by_name(expected, expected.parameters)) {
    const bool is_input = name == "queries" || name == "keys" || name == "values";
    if (fault.empty()) {
      fault = difference("gradient of " + name, got.at(name),
                         is_input ? with_own_rank(gradient, problem.configuration) : gradient,
                         tolerances_.at(name), true);
    }
  }
  return fault;
}

}  // namespace headwise::test
