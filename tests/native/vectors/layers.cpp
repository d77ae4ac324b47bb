#include <cmath>
#include <memory>

#include "compare.hpp"
#include "configuration.hpp"
#include "configuration_check.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "vectors.hpp"

namespace headwise::test {
namespace {

/// Sums in another order, and inputs of products that are rounded to 15 bits.
constexpr double share_of_floats = 5e-5;
constexpr double share_of_rounded = 1e-3;

constexpr std::size_t sequence_length = 14;

/// A pooling function's call, with weights and without.
void add_function_calls(CallList& calls, const Problem& problem) {
  const Configuration& c = problem.configuration;
  const Json queries = calls.tensor(problem.queries);
  for (const bool with_weights : {true, false}) {
    const Result result = library_result(problem, with_weights);
    if (c.call == Call::masked_softmax) {
      const auto lens = tensor_of(calls, problem.options.valid_lens);
      calls.call("", "maskedSoftmax", queries, lens.value_or(CallList::object("undefined")),
                 JsonObject().set("emptyRows", name_of(problem.options.empty_rows)));
    } else {
      JsonObject options = weights_options(calls, problem.options);
      options.set("queryOffset", c.query_offset).set("returnWeights", with_weights);
      const Json keys = calls.tensor(problem.keys);
      const Json values = calls.tensor(problem.values);
      if (c.call == Call::additive_attention) {
        const AdditiveAttentionParameters parameters = problem.additive_parameters();
        calls.call("", "additiveAttention", queries, keys, values,
                   JsonObject()
                       .set("W_q", calls.tensor(parameters.W_q))
                       .set("W_k", calls.tensor(parameters.W_k))
                       .set("w_v", calls.tensor(parameters.w_v)),
                   options);
      } else {
        options.set("softcap", c.softcap);
        if (c.scale.has_value()) {
          options.set("scale", *c.scale);
        }
        calls.call("", "scaledDotProductAttention", queries, keys, values, options);
      }
    }
    const bool is_softmax = c.call == Call::masked_softmax;
    calls.gives(is_softmax ? "" : "output", result.output, share_of_floats);
    if (with_weights && !is_softmax) {
      calls.gives("attentionWeights", *result.weights, share_of_floats);
    }
  }
}

/// A layer that is run, decoded with, trained, pruned and measured by random calls.
class LayerCalls {
 public:
  LayerCalls(CallList& calls, const Problem& problem)
      : c_(problem.configuration),
        random_(c_.numbers),
        problem_(problem),
        poisoned_(problem),
        options_(layer_options()),
        share_(options_.weights == Precision::float32 ? share_of_floats : share_of_rounded),
        layer_(options_),
        calls_(calls) {
    poison(poisoned_);
    calls_.make("layer", "MultiHeadAttention", json_of(options_));
    calls_.run([&] { gives_parameters(0); });
    calls_.run([&] { load(problem_.parameters); });
    calls_.run([&] { forward(false); });
    for (int i = 0; i < 9; ++i) {
      calls_.run([&] { add_call(); });
    }
    calls_.run([&] { gives_parameters(share_); });
    calls_.has("layer", "numHeads", static_cast<double>(layer_.num_heads()));
    calls_.has("layer", "numHiddens", static_cast<double>(layer_.num_hiddens()));
  }

 private:
  MultiHeadAttentionOptions layer_options() {
    MultiHeadAttentionOptions options = problem_.layer;
    if (c_.sizes_inferred) {
      options.query_size = options.key_size = options.value_size = std::nullopt;
    }
    options.weights = random_.pick({Precision::float32, Precision::float32, Precision::float32,
                                    Precision::float16, Precision::int8, Precision::int4});
    return options;
  }

  void add_call() {
    switch (random_.below(12)) {
      case 0:
      case 1:
        return forward(random_.chance(0.2));
      case 2:
      case 3:
        return decode();
      case 4:
      case 5:
        return backward();
      case 6:
        return step();
      case 7:
        return load(layer_.state_dict());
      case 8:
        return measure();
      case 9:
        return prune();
      case 10:
        return clip();
      default:
        return switch_mode();
    }
  }

  /// Without the batch axis if the configuration has none.
  template <typename Shape>
  [[nodiscard]] std::vector<std::size_t> own_shape(const Shape& shape) const {
    return {shape.begin() + (c_.batch_axis ? 0 : 1), shape.end()};
  }
  template <typename Tensor>
  Json input(const Tensor& tensor) {
    return calls_.tensor(own_shape(tensor.shape()), tensor);
  }
  template <typename Tensor>
  void gives(const std::string& name, const Tensor& tensor, double share) {
    calls_.gives(name, own_shape(tensor.shape()), tensor, share);
  }

  void gives_parameters(double share) {
    calls_.call("layer", "stateDict");
    calls_.gives(layer_.state_dict(), share);
  }

  void gives_gradients() {
    calls_.call("layer", "gradients");
    calls_.gives(layer_.gradients(), 4 * share_);
  }

  ForwardOptions with_outputs(ForwardOptions options) {
    const auto flip = [&] { return random_.chance(0.4); };
    options.return_weights = flip();
    options.key_mass = flip();
    options.capture = some_capture(random_);
    if (flip()) {
      const auto last_head = static_cast<std::int64_t>(layer_.num_heads()) - 1;
      const auto last_query = static_cast<std::int64_t>(c_.queries) - 1;
      options.return_weights =
          flip() ? ReturnedWeights::last_query(std::vector{last_head})
                 : ReturnedWeights(std::vector{last_head}, std::vector{last_query});
    }
    return options;
  }

  void gives_result(const AttentionResult& result, double share) {
    gives("output", result.output, share);
    if (result.attention_weights.has_value()) {
      gives("attentionWeights", *result.attention_weights, share);
    }
    if (result.key_mass.has_value()) {
      gives("keyMass", *result.key_mass, share);
    }
    for_each_capture(result.captured, [&](const std::string& name, const auto& tensor) {
      if (tensor.has_value()) {
        gives("captured." + name, *tensor, share);
      }
    });
  }

  void forward(bool requires_grad) {
    // Of an infinity, integers make NaN, where a cap of floats makes a score.
    const bool is_capped = holds_integers(options_.weights) && options_.softcap > 0;
    is_poisoned_ = c_.poisoned && random_.chance(0.5) && !is_capped && !underflows(poisoned_);
    const Problem& given = is_poisoned_ ? poisoned_ : problem_;
    ForwardOptions options = with_outputs(given.options);
    options.requires_grad = requires_grad;
    const Tensor<3> queries = given.queries;
    const Tensor<3> keys = given.keys;
    const Tensor<3> values = given.values;
    calls_.call("layer", "forward", input(queries), input(keys), input(values),
                json_of(calls_, options));
    const AttentionResult result = layer_.forward(queries, keys, values, options);
    gives_result(result, share_);
    // Which of NaN and the infinities a sum comes to depends on its order.
    calls_.or_not_finite(is_poisoned_);
  }

  void backward() {
    if (random_.chance(0.9)) {
      forward(true);
    }
    const Tensor<3> gradient =
        randn<3>({c_.batch, c_.queries, layer_.settings().output_size}, random_.next());
    calls_.call("layer", "backward", input(gradient));
    const BackwardResult<3> result = layer_.backward(gradient);
    gives("queries", result.queries, 4 * share_);
    gives("keys", result.keys, 4 * share_);
    gives("values", result.values, 4 * share_);
    calls_.gives("headGate", result.head_gate, 4 * share_);
    calls_.or_not_finite(is_poisoned_);
    gives_gradients();
    calls_.or_not_finite(is_poisoned_);
    if (is_poisoned_ || random_.chance(0.3)) {
      calls_.call("layer", "zeroGradients");
      layer_.zero_gradients();
    }
  }

  void make_cache() {
    const CacheOptions options{.batch_size = static_cast<std::int64_t>(c_.batch),
                               .max_length = 10,
                               .precision = random_.pick({Precision::float32, Precision::float16})};
    calls_.call("layer", "createCache", json_of(options));
    cache_ = std::make_unique<KeyValueCache>(layer_.create_cache(options));
    calls_.as("cache");
    share_of_cache_ = options.precision == Precision::float32 ? share_ : share_of_rounded;
  }

  /// Adds a few positions to the cache, each its own key, or attends to what it holds.
  void decode() {
    if (cache_ == nullptr || random_.chance(0.2)) {
      make_cache();
    }
    const std::size_t begin = cache_->length();
    const std::size_t end = begin + 1 + random_.below(4);
    const auto part = [&](std::size_t size, std::uint64_t seed) {
      return positions(randn<3>({c_.batch, sequence_length, size}, seed), begin, end);
    };
    const bool adds = begin == 0 || random_.chance(0.8);
    ForwardOptions options =
        with_outputs({.causal = random_.pick({Causal::none, Causal::top_left})});
    options.return_weights.queries.reset();
    options.cache = cache_.get();
    if (random_.chance(0.3)) {
      options.window = Window{.left = 3, .right = 0};
    }
    if (random_.chance(0.3)) {
      auto lens = xt::xtensor<std::int64_t, 1>::from_shape({c_.batch});
      for (std::int64_t& length : lens) {
        length = static_cast<std::int64_t>(random_.below((adds ? end : begin) + 1));
      }
      options.valid_lens = lens;
    }
    if (random_.chance(0.3)) {
      options.key_mask = draw_key_mask(random_.pick({KeyMaskKind::before, KeyMaskKind::among}),
                                       c_.batch, adds ? end : begin, random_);
    }
    if (random_.chance(0.3)) {
      options.mask = xt::xarray<float>(randn<1>({adds ? end : begin}, random_.next()));
    }
    const Tensor<3> queries = part(c_.query_size, 1);
    const Json query_input = input(queries);
    AttentionResult result;
    if (adds) {
      const Tensor<3> keys = part(c_.key_size, 2);
      const Tensor<3> values = part(c_.value_size, 3);
      calls_.call("layer", "forward", query_input, input(keys), input(values),
                  json_of(calls_, options));
      result = layer_.forward(queries, keys, values, options);
    } else {
      calls_.call("layer", "forward", query_input, Json{}, Json{}, json_of(calls_, options));
      result = layer_.forward(queries, options);
    }
    gives_result(result, share_of_cache_);
    calls_.has("cache", "length", static_cast<double>(cache_->length()));
    if (random_.chance(0.3)) {
      const auto length = static_cast<std::int64_t>(random_.below(cache_->length() + 2));
      calls_.call("cache", "truncate", length);
      cache_->truncate(length);
    }
  }

  void prune() {
    const auto head = static_cast<std::int64_t>(random_.below(layer_.num_heads()));
    calls_.call("layer", "pruneHeads", std::vector{head});
    layer_.prune_heads({head});
    // They were for the heads that there were.
    for (Problem* problem : {&problem_, &poisoned_}) {
      problem->options.mask = {};
      problem->options.head_gate = {};
    }
  }

  void load(StateDict dict) {
    for (auto& [name, tensor] : dict) {
      tensor *= 0.75F;
    }
    calls_.call("layer", "loadStateDict", calls_.dict(dict));
    layer_.load_state_dict(dict);
  }

  void make_optimizer() {
    const Json layers{"[" + CallList::object("layer").text + "]"};
    if (random_.chance(0.5)) {
      const AdamOptions options = lively_adam();
      calls_.make("optimizer", "Adam", layers, json_of(options));
      optimizer_ = std::make_unique<Adam>(std::vector<Trainable*>{&layer_}, options);
    } else {
      const SGDOptions options{.learning_rate = 0.02, .momentum = 0.9, .weight_decay = 0.1};
      calls_.make("optimizer", "SGD", layers,
                  JsonObject()
                      .set("learningRate", options.learning_rate)
                      .set("momentum", options.momentum)
                      .set("weightDecay", options.weight_decay));
      optimizer_ = std::make_unique<SGD>(std::vector<Trainable*>{&layer_}, options);
    }
  }

  void step() {
    if (optimizer_ == nullptr) {
      make_optimizer();
    }
    for (int i = 0; i < 2; ++i) {
      calls_.call("optimizer", "step");
      optimizer_->step();
    }
    gives_parameters(share_);
    if (random_.chance(0.5)) {
      calls_.call("optimizer", "zeroGradients");
      optimizer_->zero_gradients();
    }
  }

  void clip() {
    calls_.call("", "clipGradientNorm", CallList::object("layer"), 0.5);
    calls_.gives("", clip_gradient_norm({&layer_}, 0.5), 10 * share_);
    gives_gradients();
  }

  void switch_mode() {
    const bool to_training = !layer_.training();
    calls_.call("layer", to_training ? "train" : "eval");
    to_training ? layer_.train() : layer_.eval();
  }

  void measure() {
    const ForwardOptions& options = problem_.options;
    HeadMeasureBatch batch = problem_.measured_batch();
    JsonObject given = mask_options(calls_, options);
    given.set("queries", input(batch.queries))
        .set("keys", input(batch.keys))
        .set("values", input(batch.values));
    if (c_.batch * c_.keys > 0 && random_.chance(0.5)) {
      auto ignored = xt::xtensor<bool, 2>::from_shape({c_.batch, c_.keys});
      for (bool& key : ignored) {
        key = random_.chance(0.3);
      }
      given.set("ignoredKeys", calls_.tensor(ignored));
      batch.ignored_keys = xt::cast<std::uint8_t>(ignored);
    }
    const auto measure = random_.pick({HeadMeasure::gradient, HeadMeasure::ablation,
                                       HeadMeasure::confidence, HeadMeasure::entropy});
    const bool normalize = measure == HeadMeasure::gradient && random_.chance(0.5);
    calls_.call("", "measureHeadImportance", CallList::object("layer"),
                JsonObject()
                    .set("measure", name_of(measure))
                    .set("normalize", normalize)
                    .set("batches", std::vector{Json{given.text()}})
                    .set("loss", CallList::object("square")));
    const auto importance = measure_head_importance(
        layer_, {batch}, {.measure = measure, .normalize = normalize}, square_loss());
    calls_.gives("", *importance, 10 * share_);
  }

  const Configuration& c_;
  Random random_;
  Problem problem_;
  Problem poisoned_;
  MultiHeadAttentionOptions options_;
  double share_;
  MultiHeadAttention layer_;
  CallList& calls_;
  std::unique_ptr<KeyValueCache> cache_;
  std::unique_ptr<Optimizer> optimizer_;
  double share_of_cache_ = 0;
  bool is_poisoned_ = false;
};

/// Numbers of many sizes, of which a layer of rounded weights keeps some in a cache of 16 bits.
void add_sizes(VectorFile& file, Precision weights) {
  CallList calls(file, "numbers of all sizes, " + std::string(name_of(weights)));
  MultiHeadAttentionOptions options{.num_hiddens = 24, .num_heads = 3, .seed = 1};
  options.query_size = options.key_size = options.value_size = 24;
  options.weights = weights;
  MultiHeadAttention layer(options);
  calls.make("layer", "MultiHeadAttention", json_of(options));
  const CacheOptions sizes{.batch_size = 1, .max_length = 7, .precision = Precision::float16};
  for (int exponent = -110; exponent <= 115; exponent += 15) {
    for (const std::size_t queries : {3U, 6U}) {
      const Inputs inputs = random_inputs({1, queries, 7, 24, 24, 24}, queries);
      const Tensor<3> values = std::ldexp(1.0F, exponent) * inputs.values;
      calls.call("layer", "createCache", json_of(sizes));
      calls.as("cache");
      KeyValueCache cache = layer.create_cache(sizes);
      calls.call("layer", "forward", calls.tensor(inputs.queries), calls.tensor(inputs.keys),
                 calls.tensor(values), JsonObject().set("cache", CallList::object("cache")));
      const ForwardOptions pass{.cache = &cache};
      calls.gives("output", layer.forward(inputs.queries, inputs.keys, values, pass).output,
                  share_of_rounded);
    }
  }
  calls.end();
}

/// What layers do not try by themselves: their own calls have caches.
Configuration without_cache(Configuration c) {
  c.cache = CacheUse::none;
  return settled(c);
}

}  // namespace

VectorFile layer_vectors(std::uint64_t seed, std::uint64_t count) {
  VectorFile file;
  for (; file.num_cases() < count; ++seed) {
    const Configuration configuration = without_cache(random_configuration(seed));
    if (configuration.call == Call::dot_product_attention) {
      continue;
    }
    Problem problem = make_problem(configuration);
    CallList calls(file, "HEADWISE_SEED=" + std::to_string(seed) + ":\n" + to_code(configuration));
    if (configuration.call == Call::layer) {
      const LayerCalls layer(calls, problem);
    } else {
      add_function_calls(calls, problem);
      poison(problem);
      if (configuration.poisoned && !underflows(problem)) {
        add_function_calls(calls, problem);
      }
    }
    calls.end();
  }
  add_sizes(file, Precision::float16);
  add_sizes(file, Precision::int8);
  return file;
}

}  // namespace headwise::test
