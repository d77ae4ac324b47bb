#include <memory>

#include "configuration.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "vectors.hpp"

namespace headwise::test {
namespace {

constexpr std::size_t sequence_length = 14;

/// Where kernels of 32 bits round in another order, and where the inputs of products are rounded to
/// 15 bits.
constexpr double share_of_floats = 2e-5;
constexpr double share_of_rounded = 1e-3;

/// A layer's problem without what only single calls have.
Problem layer_problem(Random& random) {
  Configuration c = random_configuration(random.next());
  while (c.call != Call::layer || c.batch == 0 || c.keys == 0) {
    c = random_configuration(random.next());
  }
  c.batch_axis = true;
  c.cache = CacheUse::none;
  c.cached = 0;
  c.dropout = 0;
  Problem problem = make_problem(settled(c));
  problem.layer.dropout = random.pick({0.0, 0.0, 0.4});
  problem.layer.weights = random.pick({Precision::float32, Precision::float32, Precision::float32,
                                       Precision::float16, Precision::int8});
  problem.layer.seed = random.below(1000);
  return problem;
}

/// A layer that lives through random calls, with what the library gives.
class LayerHistory {
 public:
  LayerHistory(VectorFile& file, std::uint64_t seed)
      : random_(seed),
        problem_(layer_problem(random_)),
        c_(problem_.configuration),
        share_(problem_.layer.weights == Precision::float32 ? share_of_floats : share_of_rounded),
        layer_(problem_.layer),
        calls_(file, "layer history " + std::to_string(seed)) {
    calls_.make("layer", "MultiHeadAttention", json_of(problem_.layer));
    calls_.call("layer", "stateDict");
    calls_.gives(layer_.state_dict(), 0);
    for (int i = 0; i < 12; ++i) {
      try {
        add_call();
      } catch (const Error& error) {
        calls_.fails(error);
      }
    }
    calls_.call("layer", "stateDict");
    calls_.gives(layer_.state_dict(), share_);
    calls_.has("layer", "numHeads", static_cast<double>(layer_.num_heads()));
    calls_.has("layer", "numHiddens", static_cast<double>(layer_.num_hiddens()));
    calls_.end();
  }

 private:
  void add_call() {
    switch (random_.below(12)) {
      case 0:
      case 1:
        return forward();
      case 2:
      case 3:
        return decode();
      case 4:
        return backward();
      case 5:
        return step();
      case 6:
        return load();
      case 7:
        return measure();
      case 8:
        return prune();
      case 9:
        return truncate();
      case 10:
        return clip();
      default:
        return switch_mode();
    }
  }

  ForwardOptions some_outputs(ForwardOptions options) {
    const auto flip = [&] { return random_.chance(0.3); };
    options.return_weights = flip();
    options.key_mass = flip();
    options.capture = {.queries = flip(),
                       .keys = flip(),
                       .values = flip(),
                       .scores = flip(),
                       .pooled = flip(),
                       .dropped_weights = flip()};
    if (flip()) {
      const auto last = static_cast<std::int64_t>(layer_.num_heads()) - 1;
      options.return_weights = ReturnedWeights::last_query(std::vector{last, std::int64_t{0}});
    }
    return options;
  }

  void run(const Tensor<3>& queries, const Tensor<3>& keys, const Tensor<3>& values,
           const ForwardOptions& options, double share) {
    calls_.call("layer", "forward", calls_.tensor(queries), calls_.tensor(keys),
                calls_.tensor(values), json_of(calls_, options));
    const AttentionResult result = layer_.forward(queries, keys, values, options);
    calls_.gives("output", result.output, share);
    if (result.attention_weights.has_value()) {
      calls_.gives("attentionWeights", *result.attention_weights, share);
    }
    if (result.key_mass.has_value()) {
      calls_.gives("keyMass", *result.key_mass, share);
    }
    add_captured(calls_, "captured.", result.captured, share);
  }

  void forward() {
    ForwardOptions options = some_outputs(problem_.options);
    options.requires_grad = random_.chance(0.7);
    run(problem_.queries, problem_.keys, problem_.values, options, share_);
  }

  void backward() {
    const Tensor<3> gradient =
        randn<3>({c_.batch, c_.queries, layer_.settings().output_size}, c_.numbers);
    calls_.call("layer", "backward", calls_.tensor(gradient));
    const BackwardResult<3> result = layer_.backward(gradient);
    calls_.gives({{"queries", result.queries},
                  {"keys", result.keys},
                  {"values", result.values},
                  {"headGate", result.head_gate}},
                 share_);
    calls_.call("layer", "gradients");
    calls_.gives(layer_.gradients(), share_);
  }

  /// Adds a few positions to the cache, each its own key.
  void decode() {
    if (cache_ == nullptr || random_.chance(0.2)) {
      const Precision precision = random_.pick({Precision::float32, Precision::float16});
      const CacheOptions sizes{.batch_size = static_cast<std::int64_t>(c_.batch),
                               .max_length = 10,
                               .precision = precision};
      calls_.call("layer", "createCache",
                  JsonObject()
                      .set("batchSize", sizes.batch_size)
                      .set("maxLength", sizes.max_length)
                      .set("precision", name_of(precision)));
      cache_ = std::make_unique<KeyValueCache>(layer_.create_cache(sizes));
      calls_.as("cache");
      is_rounded_ = precision != Precision::float32;
    }
    const std::size_t begin = cache_->length();
    const std::size_t end = begin + 1 + random_.below(4);
    const auto part = [&](std::size_t size, std::uint64_t seed) {
      return positions(randn<3>({c_.batch, sequence_length, size}, seed), begin, end);
    };
    ForwardOptions options = some_outputs({.causal = Causal::top_left});
    options.cache = cache_.get();
    if (random_.chance(0.3)) {
      options.window = Window{.left = 3, .right = 0};
    }
    run(part(c_.query_size, 1), part(c_.key_size, 2), part(c_.value_size, 3), options,
        is_rounded_ ? share_of_rounded : share_);
    calls_.has("cache", "length", static_cast<double>(cache_->length()));
  }

  void truncate() {
    if (cache_ != nullptr) {
      const auto length = static_cast<std::int64_t>(random_.below(cache_->length() + 2));
      calls_.call("cache", "truncate", length);
      cache_->truncate(length);
    }
  }

  void prune() {
    const auto head = static_cast<std::int64_t>(random_.below(layer_.num_heads()));
    calls_.call("layer", "pruneHeads", std::vector{head});
    layer_.prune_heads({head});
  }

  void load() {
    StateDict dict = random_.chance(0.8) ? layer_.state_dict() : problem_.parameters;
    for (auto& [name, tensor] : dict) {
      tensor *= 0.75F;
    }
    calls_.call("layer", "loadStateDict", calls_.dict(dict));
    layer_.load_state_dict(dict);
  }

  void step() {
    if (optimizer_ == nullptr) {
      const bool is_adam = random_.chance(0.5);
      const AdamOptions adam{
          .learning_rate = 0.01, .betas = {0.8, 0.95}, .epsilon = 1e-2, .weight_decay = 0.1};
      const SGDOptions sgd{.learning_rate = 0.02, .momentum = 0.9, .weight_decay = 0.1};
      const Json layers{"[" + CallList::object("layer").text + "]"};
      if (is_adam) {
        calls_.make("optimizer", "Adam", layers, json_of(adam));
        optimizer_ = std::make_unique<Adam>(std::vector<Trainable*>{&layer_}, adam);
      } else {
        calls_.make("optimizer", "SGD", layers,
                    JsonObject()
                        .set("learningRate", sgd.learning_rate)
                        .set("momentum", sgd.momentum)
                        .set("weightDecay", sgd.weight_decay));
        optimizer_ = std::make_unique<SGD>(std::vector<Trainable*>{&layer_}, sgd);
      }
    }
    calls_.call("optimizer", "step");
    optimizer_->step();
    calls_.call("layer", "stateDict");
    calls_.gives(layer_.state_dict(), share_);
    if (random_.chance(0.5)) {
      calls_.call("optimizer", "zeroGradients");
      optimizer_->zero_gradients();
    }
  }

  void clip() {
    calls_.call("", "clipGradientNorm", CallList::object("layer"), 0.5);
    calls_.gives("", clip_gradient_norm({&layer_}, 0.5), 10 * share_);
    calls_.call("layer", "gradients");
    calls_.gives(layer_.gradients(), share_);
  }

  void switch_mode() {
    const bool to_training = !layer_.training();
    calls_.call("layer", to_training ? "train" : "eval");
    to_training ? layer_.train() : layer_.eval();
  }

  void measure() {
    const auto measure = random_.pick({HeadMeasure::gradient, HeadMeasure::ablation,
                                       HeadMeasure::confidence, HeadMeasure::entropy});
    HeadMeasureBatch batch{.queries = problem_.queries,
                           .keys = problem_.keys,
                           .values = problem_.values,
                           .valid_lens = problem_.options.valid_lens,
                           .mask = problem_.options.mask,
                           .causal = problem_.options.causal,
                           .window = problem_.options.window};
    JsonObject given = mask_options(calls_, {.valid_lens = batch.valid_lens,
                                             .mask = batch.mask,
                                             .causal = batch.causal,
                                             .window = batch.window});
    given.set("queries", calls_.tensor(batch.queries))
        .set("keys", calls_.tensor(batch.keys))
        .set("values", calls_.tensor(batch.values));
    if (random_.chance(0.5)) {
      xt::xtensor<bool, 2> ignored = xt::zeros<bool>({c_.batch, c_.keys});
      ignored(0, c_.keys - 1) = true;
      given.set("ignoredKeys", calls_.tensor(ignored));
      batch.ignored_keys = xt::cast<std::uint8_t>(ignored);
    }
    const HeadImportanceOptions options{.measure = measure,
                                        .normalize = measure == HeadMeasure::gradient};
    const auto square = [](std::size_t, const Tensor<3>& output) {
      double sum = 0;
      for (const float number : output) {
        sum += static_cast<double>(number) * static_cast<double>(number);
      }
      return sum;
    };
    calls_.call("", "measureHeadImportance", CallList::object("layer"),
                JsonObject()
                    .set("measure", name_of(measure))
                    .set("normalize", options.normalize)
                    .set("batches", std::vector{Json{given.text()}})
                    .set("loss", CallList::object("square")));
    const auto importance = measure_head_importance(
        layer_, {batch}, options,
        {.value = square,
         .gradient = [](std::size_t, const Tensor<3>& output) -> Tensor<3> { return 2 * output; }});
    calls_.gives("", *importance, 10 * share_);
  }

  Random random_;
  Problem problem_;
  const Configuration& c_;
  double share_;
  MultiHeadAttention layer_;
  CallList calls_;
  std::unique_ptr<KeyValueCache> cache_;
  std::unique_ptr<Optimizer> optimizer_;
  bool is_rounded_ = false;
};

}  // namespace

VectorFile layer_history_vectors(std::uint64_t count) {
  VectorFile file;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const LayerHistory history(file, seed);
  }
  return file;
}

}  // namespace headwise::test
