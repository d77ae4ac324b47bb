#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>

#include "compare.hpp"
#include "configuration.hpp"
#include "problem.hpp"

namespace headwise::test {
namespace {

/// Two parameters, (5, 3) and (7,), whose gradients are given.
class Parameters final : public Trainable {
 public:
  Parameters() {
    table_.add("matrix", {5, 3});
    table_.add("vector", {7});
    values = random_floats(table_.size(), 1);
    gradients = Floats(table_.size());
  }

  Floats values;
  Floats gradients;
  bool have_gradients = true;
  std::size_t changes = 0;

  [[nodiscard]] const ParameterTable& parameter_table() const noexcept override { return table_; }
  [[nodiscard]] float* parameter_values() noexcept override { return values.data(); }
  [[nodiscard]] float* parameter_gradients() noexcept override {
    return have_gradients ? gradients.data() : nullptr;
  }
  void parameters_changed() noexcept override { ++changes; }
  [[nodiscard]] std::span<const RemovedSlice> removed_slices() const noexcept override {
    return {};
  }

  [[nodiscard]] Floats matrix() const { return {values.begin(), values.end() - 7}; }
  /// Number i of the vector's gradient; the matrix's is the first in `gradients`.
  [[nodiscard]] float& vector_gradient(std::size_t i) {
    return gradients[gradients.size() - 7 + i];
  }

  /// Gradients of step `step`, of some size and both signs.
  void draw_gradients(std::uint64_t step) { gradients = random_floats(values.size(), 100 + step); }

 private:
  ParameterTable table_;
};

using Doubles = std::vector<double>;

/// One step of a rule for one number: its value, gradient and two states, and the step from 1 on.
using Rule = std::function<void(double&, double, std::array<double, 2>&, int)>;

/// Fifty steps of the optimizer, held against the rule in float64.
void check_replay(const std::function<void(Parameters&, const std::function<void()>&)>& run,
                  const Rule& rule) {
  Parameters parameters;
  const Floats start = parameters.matrix();
  Doubles values(start.begin(), start.end());
  std::vector<std::array<double, 2>> states(values.size(), {0, 0});
  int step = 0;
  run(parameters, [&] {
    ++step;
    parameters.draw_gradients(static_cast<std::uint64_t>(step));
    for (std::size_t i = 0; i < values.size(); ++i) {
      rule(values[i], parameters.gradients[i], states[i], step);
    }
  });
  CHECK(step == 50);
  CHECK(parameters.changes == 50);
  CHECK(max_difference(parameters.matrix(), values) <= 2e-5);
}

template <typename Algorithm>
auto fifty_steps(auto options) {
  return [options](Parameters& parameters, const std::function<void()>& draw) {
    Algorithm optimizer({&parameters}, options);
    for (int step = 0; step < 50; ++step) {
      draw();
      optimizer.step();
    }
  };
}

TEST_CASE("SGD replays PyTorch's rule") {
  for (const SGDOptions& options : {SGDOptions{}, SGDOptions{.learning_rate = 0.1},
                                    SGDOptions{0.05, 0.9, 0}, SGDOptions{0.05, 0.9, 0.1}}) {
    CAPTURE(options.learning_rate, options.momentum, options.weight_decay);
    check_replay(fifty_steps<SGD>(options),
                 [&](double& p, double gradient, std::array<double, 2>& states, int step) {
                   const double g = gradient + options.weight_decay * p;
                   states[0] = step == 1 ? g : options.momentum * states[0] + g;
                   p -= options.learning_rate * states[0];
                 });
  }
}

TEST_CASE("Adam replays PyTorch's rule, with decoupled weight decay") {
  for (const AdamOptions& options :
       {AdamOptions{}, AdamOptions{.learning_rate = 0.1, .weight_decay = 0.3},
        AdamOptions{.learning_rate = 0.01, .betas = {0.5, 0.9}, .epsilon = 0.1}}) {
    CAPTURE(options.learning_rate, options.weight_decay);
    const auto [b1, b2] = options.betas;
    check_replay(fifty_steps<Adam>(options),
                 [&](double& p, double g, std::array<double, 2>& states, int step) {
                   auto& [m, v] = states;
                   p *= 1 - options.learning_rate * options.weight_decay;
                   m = b1 * m + (1 - b1) * g;
                   v = b2 * v + (1 - b2) * g * g;
                   const double m_hat = m / (1 - std::pow(b1, step));
                   const double v_hat = v / (1 - std::pow(b2, step));
                   p -= options.learning_rate * m_hat / (std::sqrt(v_hat) + options.epsilon);
                 });
  }
}

TEST_CASE("What has no gradients yet is left alone, and trained when it has") {
  Parameters parameters;
  parameters.have_gradients = false;
  const Floats before = parameters.matrix();
  Adam optimizer({&parameters}, {});
  optimizer.step();
  CHECK(parameters.changes == 0);
  CHECK(max_difference(parameters.matrix(), before) == 0);
  parameters.have_gradients = true;
  parameters.draw_gradients(1);
  optimizer.set_learning_rate(0);
  optimizer.step();
  CHECK(parameters.changes == 1);
  CHECK(max_difference(parameters.matrix(), before) == 0);
  optimizer.set_learning_rate(0.5);
  optimizer.step();
  // With one gradient again and again, Adam's steps are the learning rate.
  CHECK(std::abs(std::abs(parameters.matrix()[0] - before[0]) - 0.5F) <= 1e-4);
}

TEST_CASE("Gradients are clipped by their norm as PyTorch does, and zeroed") {
  Parameters a;
  Parameters b;
  a.draw_gradients(1);
  b.draw_gradients(2);
  double squares = 0;
  for (const auto* gradients : {&a.gradients, &b.gradients}) {
    for (const float number : *gradients) {
      squares += static_cast<double>(number) * static_cast<double>(number);
    }
  }
  const float first = a.gradients[0];
  const float last = b.vector_gradient(6);
  CHECK(std::abs(clip_gradient_norm({&a, &b}, 1000) - std::sqrt(squares)) <= 1e-9);
  CHECK(a.gradients[0] == first);
  CHECK(std::abs(clip_gradient_norm({&a, &b}, 0.5) - std::sqrt(squares)) <= 1e-9);
  const double factor = 0.5 / (std::sqrt(squares) + 1e-6);
  CHECK(std::abs(a.gradients[0] - first * factor) <= 1e-7);
  CHECK(std::abs(b.vector_gradient(6) - last * factor) <= 1e-7);
  CHECK(std::abs(clip_gradient_norm({&a, &b}, 0.5) - 0.5) <= 1e-5);
  // Small norms show what is added to the divisor.
  SGD({&a, &b}).zero_gradients();
  a.vector_gradient(0) = 1e-6F;
  clip_gradient_norm({&a, &b}, 1e-6);
  CHECK(std::abs(a.vector_gradient(0) - 5e-7) <= 1e-9);
  SGD({&a, &b}).zero_gradients();
  CHECK(clip_gradient_norm({&a, &b}, 1) == 0);
}

TEST_CASE("Bad options of optimizers are errors") {
  Parameters parameters;
  CHECK(error_of([] { return SGD({}); }) ==
        "invalid-option; trainables: expected at least one layer or model, got none");
  CHECK(error_of([] { return SGD({nullptr}); }) ==
        "invalid-option; trainables: expected layers and models, got null");
  CHECK(error_of([&] { return Adam({&parameters, &parameters}); }) ==
        "invalid-option; trainables: expected each of them once, got one twice");
  const auto sgd = [&](const SGDOptions& options) {
    return error_of([&] { return SGD({&parameters}, options); });
  };
  const auto adam = [&](const AdamOptions& options) {
    return error_of([&] { return Adam({&parameters}, options); });
  };
  const std::string from_0 = ": expected a finite number from 0 on, got ";
  CHECK(sgd({.learning_rate = -0.5}) == "invalid-option; learning_rate" + from_0 + "-0.5");
  CHECK(sgd({.momentum = nan}) == "invalid-option; momentum" + from_0 + "NaN");
  CHECK(sgd({.weight_decay = infinity}) == "invalid-option; weight_decay" + from_0 + "Infinity");
  CHECK(adam({.learning_rate = -1}) == "invalid-option; learning_rate" + from_0 + "-1");
  CHECK(adam({.epsilon = -1}) == "invalid-option; epsilon" + from_0 + "-1");
  CHECK(adam({.weight_decay = -1}) == "invalid-option; weight_decay" + from_0 + "-1");
  CHECK(adam({.betas = {0.9, 1}}) ==
        "invalid-option; betas: expected two numbers from 0 to below 1, got 1");
  CHECK(error_of([&] { return clip_gradient_norm({&parameters}, -1); }) ==
        "invalid-option; max_norm" + from_0 + "-1");
  SGD optimizer({&parameters});
  CHECK_THROWS_AS(optimizer.set_learning_rate(-1), Error);
  CHECK(optimizer.learning_rate() == 1e-3);
}

// The remaining heads of a pruned layer keep learning as if nothing had happened.

Inputs inputs_of(const Configuration& c, std::uint64_t seed) {
  return random_inputs({.batch = 2,
                        .queries = 3,
                        .keys = 5,
                        .query_size = c.query_size,
                        .key_size = c.key_size,
                        .value_size = c.value_size},
                       seed);
}

/// A layer and its optimizer, one step at a time towards an output of zeros.
template <typename Algorithm>
struct Pupil {
  MultiHeadAttention layer;
  Algorithm optimizer;

  Pupil(const MultiHeadAttention& copied, const auto& options)
      : layer(copied), optimizer({&layer}, options) {}

  void learn(const Inputs& inputs, const HeadGate& gate) {
    const auto output = forward(layer, inputs, {.head_gate = gate, .requires_grad = true}).output;
    layer.backward(output);
  }
};

void check_same(const StateDict& a, const StateDict& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, tensor] : a) {
    CAPTURE(name);
    CHECK(tensor.shape() == b.at(name).shape());
    CHECK(max_difference(tensor, b.at(name)) <= 1e-6 * (1 + largest_magnitude(tensor)));
  }
}

/// The heads of one layer are gated at 0 until they are removed; the other never had them.
template <typename Algorithm>
void check_learns_alike(const Problem& problem, const auto& options) {
  const std::vector<std::int64_t> heads = pruned_heads(problem.configuration);
  Pupil<Algorithm> pruned(make_whole_layer(problem), options);
  Pupil<Algorithm> small(MultiHeadAttention(problem.layer), options);
  Tensor<1> open = full<1>({pruned.layer.num_heads()}, 1);
  for (const std::int64_t head : heads) {
    open(static_cast<std::size_t>(head)) = 0;
  }
  HeadGate gate = open;
  for (std::uint64_t step = 0; step < 6; ++step) {
    const Inputs inputs = inputs_of(problem.configuration, 10 * step);
    pruned.learn(inputs, gate);
    small.learn(inputs, {});
    if (step == 3) {
      pruned.layer.prune_heads(heads);
      gate = {};
    }
    pruned.optimizer.step();
    small.optimizer.step();
    if (step != 2) {
      pruned.optimizer.zero_gradients();
      small.optimizer.zero_gradients();
    }
  }
  check_same(pruned.layer.gradients(), small.layer.gradients());
  check_same(pruned.layer.state_dict(), small.layer.state_dict());
}

TEST_CASE("SGD's momentum and Adam's moments follow when heads are removed") {
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; tried < 20; ++seed) {
    const Configuration c = with_random_history(random_configuration(seed), seed);
    if (c.pruned_groups == 0) {
      continue;
    }
    ++tried;
    CAPTURE(to_code(c));
    Problem problem = make_problem(c);
    problem.parameters = MultiHeadAttention(problem.layer).state_dict();
    check_learns_alike<SGD>(
        problem, SGDOptions{.learning_rate = 0.01, .momentum = 0.9, .weight_decay = 0.1});
    // Gradients that are 0 but for rounding must not become steps of full size.
    check_learns_alike<Adam>(problem, AdamOptions{.learning_rate = 0.01, .epsilon = 1e-2});
  }
}

TEST_CASE("An optimizer starts anew with a layer that is assigned, of other or the same sizes") {
  const Configuration sizes{.query_size = 6, .key_size = 6, .value_size = 6};
  const AdamOptions options{.learning_rate = 0.1};
  Pupil<Adam> pupil(MultiHeadAttention({.num_hiddens = 12, .num_heads = 4, .seed = 1}), options);
  pupil.learn(inputs_of(sizes, 1), {});
  const MultiHeadAttention saved = pupil.layer;
  pupil.layer.prune_heads({0, 2});
  pupil.optimizer.step();
  MultiHeadAttention wide({.num_hiddens = 24, .num_heads = 8, .seed = 2});
  wide.backward(forward(wide, inputs_of(sizes, 1), {.requires_grad = true}).output);
  wide.prune_heads({1, 2, 3, 4, 5, 6, 7});
  for (const MultiHeadAttention& layer : {saved, wide, wide}) {
    pupil.layer = layer;
    pupil.optimizer.step();
    Pupil<Adam> other(layer, options);
    other.optimizer.step();
    CHECK(pupil.layer.state_dict() == other.layer.state_dict());
  }
}

}  // namespace
}  // namespace headwise::test
