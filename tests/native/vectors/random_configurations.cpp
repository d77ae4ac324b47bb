#include <algorithm>

#include "configuration.hpp"
#include "configuration_check.hpp"
#include "decoding.hpp"
#include "gradient_check.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "rounding.hpp"
#include "vectors.hpp"

namespace headwise::test {
namespace {

/// A configuration's call in all the ways in which the package makes it, with the results of the
/// float64 references.
class ConfigurationCalls {
 public:
  ConfigurationCalls(VectorFile& file, std::uint64_t seed, const Configuration& configuration)
      : c_(configuration),
        problem_(make_problem(configuration)),
        rounding_(rounding_of(problem_)),
        gradient_check_(problem_, rounding_.relative_weights),
        calls_(file, "HEADWISE_SEED=" + std::to_string(seed) + ":\n" + to_code(configuration)) {
    parameters_ = calls_.dict(problem_.parameters);
    add_calls();
    if (c_.poisoned) {
      poison(problem_);
      is_poisoned_ = true;
      if (!underflows(problem_)) {
        add_calls();
      }
    }
    calls_.end();
  }

 private:
  void add_calls() {
    const Result expected = reference_result(problem_);
    queries_ = input(problem_.queries);
    if (c_.call == Call::masked_softmax) {
      const Json lens =
          tensor_of(calls_, problem_.options.valid_lens).value_or(CallList::object("undefined"));
      calls_.call(
          "", "maskedSoftmax", queries_, lens,
          JsonObject().set("emptyRows", c_.empty_rows == EmptyRows::uniform ? "uniform" : "zero"));
      gives_output("", expected);
    } else if (c_.call == Call::layer) {
      add_layer_calls(expected);
    } else {
      add_function_calls(expected);
    }
  }

  /// The placeholder of an input, without its batch axis if the configuration has none.
  template <typename Given>
  Json input(const Given& tensor) {
    xt::xarray<float> numbers = xt::cast<float>(tensor);
    if (!c_.batch_axis) {
      numbers.reshape(std::vector<std::size_t>(numbers.shape().begin() + 1, numbers.shape().end()));
    }
    return calls_.tensor(numbers);
  }

  void gives_output(const std::string& name, const Result& expected) {
    calls_.gives(name, expected.output_shape, expected.output, {.within = rounding_.output});
  }

  void gives_flat(const std::string& name, const std::vector<double>& numbers, double tolerance,
                  bool or_not_finite) {
    calls_.gives(
        name, {numbers.size()}, numbers,
        {.within = tolerance, .is_flat = true, .or_not_finite = is_poisoned_ && or_not_finite});
  }

  void add_function_calls(const Result& expected) {
    const Json keys = input(problem_.keys);
    const Json values = input(problem_.values);
    for (const bool with_weights : {true, false}) {
      JsonObject options = weights_options(calls_, problem_.options);
      options.set("queryOffset", c_.query_offset).set("returnWeights", with_weights);
      if (c_.call == Call::additive_attention) {
        JsonObject parameters;
        for (const auto& [name, tensor] : problem_.parameters) {
          parameters.set(name.substr(0, name.find('.')), calls_.tensor(tensor));
        }
        calls_.call("", "additiveAttention", queries_, keys, values, parameters, options);
      } else {
        options.set("softcap", c_.softcap);
        if (c_.scale.has_value()) {
          options.set("scale", *c_.scale);
        }
        calls_.call("", "scaledDotProductAttention", queries_, keys, values, options);
      }
      gives_output("output", expected);
      if (with_weights) {
        gives_weights(expected);
      }
    }
  }

  void gives_weights(const Result& expected) {
    calls_.gives("attentionWeights", expected.weights_shape, *expected.weights,
                 {.within = rounding_.weights});
  }

  void make_layer() {
    MultiHeadAttentionOptions options = problem_.layer;
    if (c_.sizes_inferred) {
      options.query_size = options.key_size = options.value_size = std::nullopt;
    }
    calls_.make("layer", "MultiHeadAttention", json_of(options));
    calls_.call("layer", "loadStateDict", parameters_);
  }

  void make_cache() {
    calls_.call("layer", "createCache",
                JsonObject().set("batchSize", c_.batch).set("maxLength", c_.all_keys() + 1));
    calls_.as("cache");
  }

  void add_layer_calls(const Result& expected) {
    make_layer();
    keys_ = values_ = Json{};
    if (c_.cache != CacheUse::fixed) {
      keys_ = input(positions(problem_.keys, c_.cached, c_.all_keys()));
      values_ = input(positions(problem_.values, c_.cached, c_.all_keys()));
    }
    if (c_.cache != CacheUse::none) {
      fill_cache();
    }
    forward(true, {});
    gives_output("output", expected);
    gives_weights(expected);
    forward(false, {});
    gives_output("output", expected);
    add_inside(expected);
    if (c_.decoded) {
      decode();
    }
    if (c_.gradients) {
      add_gradients();
    }
  }

  void fill_cache() {
    make_cache();
    Random random(c_.numbers);
    for (std::size_t begin = 0; begin < c_.cached;) {
      const std::size_t end = std::min(c_.cached, begin + 1 + random.below(5));
      calls_.call("layer", "forward",
                  input(xt::xarray<float>(xt::ones<float>(
                      {c_.batch, static_cast<std::size_t>(random.below(2)), c_.query_size}))),
                  input(positions(problem_.keys, begin, end)),
                  input(positions(problem_.values, begin, end)),
                  JsonObject().set("cache", CallList::object("cache")));
      begin = end;
    }
  }

  void forward(const ReturnedWeights& weights, const Capture& capture, bool key_mass = false) {
    ForwardOptions options = problem_.options;
    options.return_weights = weights;
    options.capture = capture;
    options.key_mass = key_mass;
    JsonObject json = json_of(calls_, options);
    if (c_.cache != CacheUse::none) {
      calls_.call("cache", "truncate", c_.cached);
      json.set("cache", CallList::object("cache"));
    }
    calls_.call("layer", "forward", queries_, keys_, values_, json);
  }

  /// Some of the first `count` numbers.
  std::vector<std::int64_t> some_of(std::size_t count, Random& random) const {
    std::vector<std::int64_t> chosen;
    for (std::size_t i = 0; i < count; ++i) {
      if (random.chance(0.4)) {
        chosen.insert(chosen.begin(), static_cast<std::int64_t>(i));
      }
    }
    return chosen;
  }

  void add_inside(const Result& expected) {
    Random random(c_.numbers + 5);
    const auto heads = some_of(c_.heads, random);
    auto queries = some_of(c_.queries, random);
    const bool is_last = random.chance(0.3);
    forward(is_last ? ReturnedWeights::last_query(heads) : ReturnedWeights(heads, queries),
            {.queries = true,
             .keys = true,
             .values = true,
             .scores = true,
             .pooled = true,
             .dropped_weights = true},
            true);
    if (is_last) {
      queries.assign(c_.queries > 0 ? 1 : 0, static_cast<std::int64_t>(c_.queries) - 1);
    }
    const std::size_t columns = expected.weights_shape.back();
    std::vector<double> rows;
    for (std::size_t b = 0; b < c_.batch; ++b) {
      for (const std::int64_t head : heads) {
        for (const std::int64_t query : queries) {
          const std::size_t row = (b * c_.heads + static_cast<std::size_t>(head)) * c_.queries +
                                  static_cast<std::size_t>(query);
          for (std::size_t column = 0; column < columns; ++column) {
            rows.push_back((*expected.weights)[row * columns + column]);
          }
        }
      }
    }
    gives_flat("attentionWeights", rows, rounding_.weights, false);
    for (const auto& [name, numbers] : reference_inside(problem_)) {
      const std::string in_package = name == "output"            ? name
                                     : name == "key_mass"        ? "keyMass"
                                     : name == "dropped_weights" ? "captured.droppedWeights"
                                                                 : "captured." + name;
      // Which of NaN and the infinities a sum comes to depends on its order.
      gives_flat(in_package, numbers, rounding_.inside.at(name), name != "scores");
    }
  }

  /// Feeds the sequence in chunks; each gives its rows of the whole pass.
  void decode() {
    const Result whole = reference_result(problem_);
    const std::size_t size = whole.output_shape.back();
    make_cache();
    for (const Chunk& chunk : chunks_of(c_)) {
      const auto [begin, end] = chunk;
      JsonObject options = json_of(calls_, options_of(problem_.options, chunk));
      options.set("cache", CallList::object("cache"));
      calls_.call("layer", "forward", input(positions(problem_.queries, begin, end)),
                  input(positions(problem_.keys, begin, end)),
                  input(positions(problem_.values, begin, end)), options);
      std::vector<double> rows;
      for (std::size_t sample = 0; sample < c_.batch; ++sample) {
        const auto first =
            whole.output.begin() + static_cast<std::ptrdiff_t>(sample * c_.queries * size);
        rows.insert(rows.end(), first + static_cast<std::ptrdiff_t>(begin * size),
                    first + static_cast<std::ptrdiff_t>(end * size));
      }
      gives_flat("output", rows, rounding_.output, false);
    }
    calls_.has("cache", "length", static_cast<double>(c_.keys));
  }

  void add_gradients() {
    // Dropout follows the number of passes since the layer was made.
    make_layer();
    if (c_.dropout > 0) {
      calls_.call("layer", "train");
    }
    ForwardOptions options = problem_.options;
    options.requires_grad = true;
    calls_.call("layer", "forward", queries_, keys_, values_, json_of(calls_, options));
    calls_.call("layer", "backward", input(gradient_check_.grad_output()));
    const auto gradients =
        by_name(reference::gradients(gradient_problem(problem_, gradient_check_.grad_output())));
    for (const bool of_parameters : {false, true}) {
      if (of_parameters) {
        calls_.call("layer", "gradients");
      }
      for (const auto& [name, numbers] : gradients) {
        if (problem_.parameters.contains(name) == of_parameters) {
          gives_flat(name == "head_gate" ? "headGate" : name, numbers,
                     gradient_check_.tolerances().at(name), true);
        }
      }
    }
  }

  const Configuration& c_;
  Problem problem_;
  Rounding rounding_;
  GradientCheck gradient_check_;
  CallList calls_;
  Json parameters_, queries_, keys_, values_;
  bool is_poisoned_ = false;
};

}  // namespace

VectorFile random_configuration_vectors(std::uint64_t seed, std::uint64_t count) {
  VectorFile file;
  for (; file.num_cases() < count; ++seed) {
    const Configuration configuration = random_configuration(seed);
    if (configuration.call != Call::dot_product_attention) {
      const ConfigurationCalls calls(file, seed, configuration);
    }
  }
  return file;
}

}  // namespace headwise::test
