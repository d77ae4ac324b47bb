#include "configuration_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <sstream>

#include "gradient_check.hpp"
#include "problem.hpp"
#include "rounding.hpp"

namespace headwise::test {
namespace {

std::string text_of(const std::vector<std::size_t>& shape) {
  std::ostringstream stream;
  for (const std::size_t& size : shape) {
    stream << (&size == shape.data() ? "(" : ", ") << size;
  }
  stream << ")";
  return stream.str();
}

/// Where two tensors differ by more than `tolerance`, or in what is not finite.
std::string difference(const std::string& name, const std::vector<std::size_t>& shape,
                       const std::vector<double>& got, const std::vector<double>& expected,
                       double tolerance) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = got[i];
    const double y = expected[i];
    const bool same = x == y || (std::isnan(x) && std::isnan(y)) ||
                      (std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= tolerance);
    if (!same) {
      std::ostringstream stream;
      stream.precision(9);
      stream << name << " " << text_of(shape) << " at flat index " << i << ": got " << x
             << ", expected " << y << " within " << tolerance;
      return stream.str();
    }
  }
  return {};
}

std::string difference(const std::string& name, const Result& got, const Result& expected,
                       const Rounding& rounding) {
  if (got.output_shape != expected.output_shape) {
    return name + ": output " + text_of(got.output_shape) + ", expected " +
           text_of(expected.output_shape);
  }
  std::string fault =
      difference(name + ": output", got.output_shape, got.output, expected.output, rounding.output);
  if (!fault.empty() || !got.weights.has_value()) {
    return fault;
  }
  if (got.weights_shape != expected.weights_shape) {
    return name + ": weights " + text_of(got.weights_shape) + ", expected " +
           text_of(expected.weights_shape);
  }
  return difference(name + ": weights", got.weights_shape, *got.weights, *expected.weights,
                    rounding.weights);
}

std::vector<std::uint32_t> bits_of(const Problem& problem) {
  std::vector<std::uint32_t> bits;
  for (const auto* tensor : {&problem.queries, &problem.keys, &problem.values}) {
    std::transform(tensor->begin(), tensor->end(), std::back_inserter(bits),
                   [](float number) { return std::bit_cast<std::uint32_t>(number); });
  }
  return bits;
}

std::string fault_of_call(const std::string& name, const Problem& problem,
                          const Rounding& rounding) {
  const Result expected = reference_result(problem);
  const std::vector<std::uint32_t> before = bits_of(problem);
  const Result with_weights = library_result(problem, true);
  std::string fault = difference(name, with_weights, expected, rounding);
  if (!fault.empty()) {
    return fault;
  }
  const Result without_weights = library_result(problem, false);
  if (without_weights.weights.has_value()) {
    return name + ": weights that nobody asked for";
  }
  fault = difference(name + " without weights", without_weights, with_weights, rounding);
  if (!fault.empty()) {
    return fault;
  }
  return bits_of(problem) == before ? "" : name + ": inputs were changed";
}

/// Whether some positions of a mask have an axis of their own.
template <typename Number>
xt::xarray<Number> first_positions(const xt::xarray<Number>& mask, std::size_t first_query,
                                   std::size_t num_queries, std::size_t num_keys) {
  std::vector<std::size_t> shape(mask.shape().begin(), mask.shape().end());
  const std::size_t rank = shape.size();
  const bool by_query = rank >= 2 && shape[rank - 2] != 1;
  const bool by_key = rank >= 1 && shape[rank - 1] != 1;
  const std::size_t all_queries = rank >= 2 ? shape[rank - 2] : 1;
  const std::size_t all_keys = rank >= 1 ? shape[rank - 1] : 1;
  if (by_query) {
    shape[rank - 2] = num_queries;
  }
  if (by_key) {
    shape[rank - 1] = num_keys;
  }
  auto part = xt::xarray<Number>::from_shape(shape);
  const std::size_t queries = by_query ? num_queries : 1;
  const std::size_t keys = by_key ? num_keys : 1;
  std::size_t index = 0;
  for (Number& entry : part) {
    const std::size_t key = index % keys;
    const std::size_t query = index / keys % queries;
    const std::size_t outer = index / keys / queries;
    entry =
        mask.data()[(outer * all_queries + (by_query ? first_query : 0) + query) * all_keys + key];
    ++index;
  }
  return part;
}

/// The options of the whole pass for the queries [begin, end), which see keys up to `end`.
ForwardOptions part_of(const ForwardOptions& options, std::size_t begin, std::size_t end) {
  ForwardOptions part = options;
  const auto limit = static_cast<std::int64_t>(end);
  if (auto* by_sample = std::get_if<1>(&part.valid_lens)) {
    for (std::int64_t& length : *by_sample) {
      length = std::min(length, limit);
    }
  }
  if (const auto* all = std::get_if<2>(&options.valid_lens)) {
    auto lens = xt::xtensor<std::int64_t, 2>::from_shape({all->shape(0), end - begin});
    for (std::size_t sample = 0; sample < lens.shape(0); ++sample) {
      for (std::size_t query = 0; query < lens.shape(1); ++query) {
        lens(sample, query) = std::min((*all)(sample, begin + query), limit);
      }
    }
    part.valid_lens = lens;
  }
  std::visit(
      [&](const auto& mask) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(mask)>, std::monostate>) {
          part.mask = first_positions(mask, begin, end - begin, end);
        }
      },
      options.mask);
  return part;
}

/// Feeds the sequence in chunks; each must give its rows of the whole pass.
std::string fault_of_decoding(const Problem& problem, const Rounding& rounding) {
  const Configuration& c = problem.configuration;
  const Result whole = reference_result(problem);
  MultiHeadAttention layer = make_layer(problem);
  KeyValueCache cache = layer.create_cache({.batch_size = static_cast<std::int64_t>(c.batch),
                                            .max_length = static_cast<std::int64_t>(c.keys + 1)});
  Random random(c.numbers);
  for (std::size_t begin = 0; begin < c.keys;) {
    const std::size_t end = std::min(c.keys, begin + random.pick<std::size_t>({1, 1, 2, 3, 8}));
    ForwardOptions options = part_of(problem.options, begin, end);
    options.cache = &cache;
    const Tensor<3> output =
        layer
            .forward(positions(problem.queries, begin, end), positions(problem.keys, begin, end),
                     positions(problem.values, begin, end), options)
            .output;
    const std::size_t size = output.shape(2);
    std::vector<double> expected;
    for (std::size_t sample = 0; sample < c.batch; ++sample) {
      const auto rows =
          whole.output.begin() + static_cast<std::ptrdiff_t>(sample * c.queries * size);
      expected.insert(expected.end(), rows + static_cast<std::ptrdiff_t>(begin * size),
                      rows + static_cast<std::ptrdiff_t>(end * size));
    }
    std::string fault =
        difference("decoding positions " + std::to_string(begin) + " to " + std::to_string(end),
                   {output.shape().begin(), output.shape().end()}, {output.begin(), output.end()},
                   expected, rounding.output);
    if (!fault.empty()) {
      return fault;
    }
    begin = end;
  }
  return {};
}

/// Whether some weight is 0 in float32 but not in float64: its product with an infinite value then
/// differs in kind.
bool underflows(Problem problem) {
  constexpr double smallest_safely_held = 1e-35;
  problem.options.weights_stage = WeightsStage::softmax;
  const Result result = reference_result(problem);
  return std::any_of(result.weights->begin(), result.weights->end(),
                     [](double weight) { return weight > 0 && weight < smallest_safely_held; });
}

}  // namespace

std::string fault_of(const Configuration& configuration) {
  try {
    Problem problem = make_problem(configuration);
    const Rounding rounding = rounding_of(problem);
    std::string fault = fault_of_call("the call", problem, rounding);
    if (fault.empty() && configuration.decoded) {
      fault = fault_of_decoding(problem, rounding);
    }
    GradientCheck gradient_check(problem, rounding.relative_weights);
    if (fault.empty() && configuration.gradients) {
      fault = gradient_check.fault_of(problem);
    }
    if (fault.empty() && configuration.poisoned) {
      poison(problem);
      if (underflows(problem)) {
        return {};
      }
      fault = fault_of_call("with NaN and infinities", problem, rounding);
      if (fault.empty() && configuration.decoded) {
        fault = fault_of_decoding(problem, rounding);
      }
      if (fault.empty() && configuration.gradients) {
        fault = gradient_check.fault_of(problem);
      }
    }
    return fault;
  } catch (const std::exception& error) {
    return std::string("an exception: ") + error.what();
  }
}

Configuration shrunk(Configuration configuration) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const Configuration& candidate : smaller_configurations(configuration)) {
      if (!fault_of(candidate).empty()) {
        configuration = candidate;
        smaller = true;
        break;
      }
    }
  }
  return configuration;
}

}  // namespace headwise::test
