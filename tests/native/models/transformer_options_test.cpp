#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "compare.hpp"
#include "files.hpp"
#include "small_transformers.hpp"

namespace headwise::test {
namespace {

constexpr std::size_t batch = 2;
constexpr std::size_t length = 5;

/// A model of one option with its inputs, and a loss: cross-entropy where there are logits, or else
/// the product of `hidden` and a random tensor.
class Problem {
 public:
  explicit Problem(const TransformerOptions& options)
      : model_(options), tokens_(random_tokens(batch, length, 31)) {
    // Norms begin with 1 and 0, which would hide mistakes.
    StateDict parameters = model_.state_dict();
    std::uint64_t seed = 100;
    for (auto& [name, tensor] : parameters) {
      const auto noise = randn<1>({tensor.size()}, ++seed);
      for (std::size_t i = 0; i < tensor.size(); ++i) {
        tensor.data()[i] += 0.2F * noise(i);
      }
    }
    model_.load_state_dict(parameters);
    targets_ = random_tokens(batch, length, 32);
    targets_(0, 2) = -1;
    const TransformerSettings& settings = model_.settings();
    if (settings.has_encoder()) {
      options_.source = random_tokens(batch, 4, 33);
      options_.source_valid_lens = LensBySample{4, 3};
    }
    if (!settings.has_patches()) {
      options_.valid_lens = LensBySample{5, 4};
    } else {
      pixels_ = randn<4>({batch, settings.channels, settings.image_size, settings.image_size}, 34);
    }
    if (settings.segments > 0) {
      options_.segments = random_tokens(batch, length, 35);
      for (auto& segment : *options_.segments) {
        segment %= static_cast<std::int64_t>(settings.segments);
      }
    }
    for (const Side side : {Side::self, Side::cross, Side::encoder}) {
      for (const MultiHeadAttention& layer : model_.attention_layers(side)) {
        Tensor<2> gate = randn<2>({batch, layer.num_heads()}, ++seed);
        gates(side).emplace_back(gate);
      }
    }
    cotangent_ = randn<3>(forward().hidden.shape(), 36);
  }

  Transformer& model() { return model_; }
  Tensor<4>& pixels() { return pixels_; }
  std::vector<HeadGate>& gates(Side side) {
    return side == Side::self    ? options_.head_gates
           : side == Side::cross ? options_.cross_head_gates
                                 : options_.encoder_head_gates;
  }

  TransformerResult forward() {
    return model_.settings().has_patches() ? model_.forward(pixels_, options_)
                                           : model_.forward(tokens_, options_);
  }

  double loss() {
    if (model_.settings().head) {
      return model_.loss(tokens_, targets_, options_);
    }
    const auto hidden = forward().hidden;
    double sum = 0;
    for (std::size_t i = 0; i < hidden.size(); ++i) {
      sum += static_cast<double>(hidden.data()[i]) * static_cast<double>(cotangent_.data()[i]);
    }
    return sum;
  }

  TransformerGradients gradients() {
    model_.zero_gradients();
    if (model_.settings().head) {
      auto result = model_.loss_and_gradients(tokens_, targets_, options_);
      return {.head_gates = result.head_gates,
              .cross_head_gates = result.cross_head_gates,
              .encoder_head_gates = result.encoder_head_gates,
              .pixels = {}};
    }
    options_.requires_grad = true;
    static_cast<void>(forward());
    options_.requires_grad = false;
    return model_.backward(cotangent_);
  }

 private:
  Transformer model_;
  Tokens tokens_;
  Tokens targets_;
  Tensor<4> pixels_;
  Tensor<3> cotangent_;
  TransformerForwardOptions options_;
};

/// A direction of length 1, half along the gradient, half at random.
template <typename Gradient>
std::vector<float> direction_of(const Gradient& gradient, std::uint64_t seed) {
  const auto random = randn<1>({gradient.size()}, seed);
  double norm = 0;
  double random_norm = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    norm += std::pow(static_cast<double>(gradient.data()[i]), 2);
    random_norm += std::pow(static_cast<double>(random(i)), 2);
  }
  std::vector<float> direction(gradient.size());
  double both = 0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    direction[i] = static_cast<float>(
        (norm > 0 ? static_cast<double>(gradient.data()[i]) / std::sqrt(norm) : 0) +
        static_cast<double>(random(i)) / std::sqrt(random_norm));
    both += std::pow(static_cast<double>(direction[i]), 2);
  }
  for (float& each : direction) {
    each /= static_cast<float>(std::sqrt(both));
  }
  return direction;
}

/// Holds a gradient against the central difference of the loss. `loss_at(step)` is the loss with
/// the values moved by as much along the direction.
template <typename Gradient, typename Loss>
void check_slope(const Gradient& gradient, std::uint64_t seed, const Loss& loss_at) {
  constexpr double step = 4e-3;
  const std::vector<float> direction = direction_of(gradient, seed);
  double slope = 0;
  double norm = 0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    const auto each = static_cast<double>(gradient.data()[i]);
    slope += each * static_cast<double>(direction[i]);
    norm += each * each;
  }
  const double difference = (loss_at(direction, step) - loss_at(direction, -step)) / (2 * step);
  CAPTURE(slope, difference);
  CHECK(std::abs(slope - difference) <= 1e-3 + 1e-2 * std::sqrt(norm));
}

template <typename Values>
void move(Values& values, const std::vector<float>& direction, double step) {
  for (std::size_t i = 0; i < direction.size(); ++i) {
    values.data()[i] += static_cast<float>(step) * direction[i];
  }
}

TEST_CASE("Gradients are the slopes of the loss, with every option") {
  for (const SmallTransformer& small : small_transformers()) {
    INFO(small.name);
    Problem problem(small.options);
    const TransformerGradients inputs = problem.gradients();
    const StateDict gradients = problem.model().gradients();
    const StateDict parameters = problem.model().state_dict();
    CHECK(gradients.size() == parameters.size());
    std::uint64_t seed = 1;
    for (const auto& [parameter, gradient] : gradients) {
      INFO(parameter);
      REQUIRE(gradient.shape() == parameters.at(parameter).shape());
      check_slope(gradient, ++seed, [&](const std::vector<float>& direction, double step) {
        StateDict moved = parameters;
        move(moved.at(parameter), direction, step);
        problem.model().load_state_dict(moved);
        return problem.loss();
      });
      // An option whose gradients are nothing would pass.
      const bool is_zero = all_equal(gradient, 0);
      CHECK((!is_zero || parameter.ends_with("W_k.bias")));
    }
    problem.model().load_state_dict(parameters);
    const auto check_gates = [&](Side side, const std::vector<Tensor<2>>& of_side) {
      REQUIRE(of_side.size() == problem.gates(side).size());
      for (std::size_t layer = 0; layer < of_side.size(); ++layer) {
        INFO("side " << static_cast<int>(side) << ", layer " << layer);
        CHECK_FALSE(all_equal(of_side[layer], 0));
        check_slope(of_side[layer], ++seed, [&](const std::vector<float>& direction, double step) {
          const HeadGate before = problem.gates(side)[layer];
          move(std::get<Tensor<2>>(problem.gates(side)[layer]), direction, step);
          const double loss = problem.loss();
          problem.gates(side)[layer] = before;
          return loss;
        });
      }
    };
    check_gates(Side::self, inputs.head_gates);
    check_gates(Side::cross, inputs.cross_head_gates);
    check_gates(Side::encoder, inputs.encoder_head_gates);
    CHECK(inputs.pixels.has_value() == small.options.patches.has_value());
    if (inputs.pixels) {
      CHECK_FALSE(all_equal(*inputs.pixels, 0));
      check_slope(*inputs.pixels, ++seed, [&](const std::vector<float>& direction, double step) {
        const Tensor<4> before = problem.pixels();
        move(problem.pixels(), direction, step);
        const double loss = problem.loss();
        problem.pixels() = before;
        return loss;
      });
    }
  }
}

TEST_CASE("No two options give the same results, but where they should") {
  std::vector<std::pair<std::string, Tensor<3>>> results;
  for (const SmallTransformer& small : small_transformers()) {
    if (!small.options.patches && small.name != "no head") {
      Problem problem(small.options);
      auto logits = problem.forward().logits;
      for (const auto& [name, other] : results) {
        INFO(small.name << " and " << name);
        CHECK(max_difference(logits, other) > 1e-4);
      }
      results.emplace_back(small.name, std::move(logits));
    }
  }
}

TEST_CASE("A copy, and a model with the parameters of another, give the same bits") {
  for (const SmallTransformer& small : small_transformers()) {
    INFO(small.name);
    Problem problem(small.options);
    const auto expected = problem.forward();
    const double loss = problem.loss();
    const StateDict parameters = problem.model().state_dict();
    TransformerOptions other = small.options;
    other.seed = 99;
    Transformer loaded(other);
    const auto file = save_safetensors(parameters);
    loaded.load_state_dict(load_safetensors(file).tensors);
    Transformer copy = problem.model().copy();
    for (Transformer* each : {&loaded, &copy}) {
      problem.model() = std::move(*each);
      const auto result = problem.forward();
      CHECK(same_bits(result.hidden, expected.hidden));
      CHECK(same_bits(result.logits, expected.logits));
      CHECK(problem.loss() == loss);
      for (const auto& [name, tensor] : problem.model().state_dict()) {
        CHECK(same_bits(tensor, parameters.at(name)));
      }
    }
  }
}

TEST_CASE("A state dict of another model is refused whole") {
  Transformer model(small_transformer("an encoder").options);
  const StateDict before = model.state_dict();
  StateDict wrong = before;
  for (auto& [name, tensor] : wrong) {
    tensor.fill(7);
  }
  wrong.erase("encoder.layers.1.ffn.dense2.bias");
  wrong.emplace("other", xt::zeros<float>({2}));
  wrong["layers.0.cross_norm.weight"] = xt::zeros<float>({9});
  const std::string error = error_of([&] {
    model.load_state_dict(wrong);
    return 0;
  });
  CHECK(error.starts_with("invalid-state-dict; "));
  for (const std::string name :
       {"encoder.layers.1.ffn.dense2.bias", "other", "layers.0.cross_norm.weight"}) {
    CHECK(error.find(name) != std::string::npos);
  }
  for (const auto& [name, tensor] : model.state_dict()) {
    CHECK(same_bits(tensor, before.at(name)));
  }
}

std::vector<std::string> described(const std::string& name) {
  const Transformer model(small_transformer(name).options);
  std::vector<std::string> lines;
  for (const auto& [parameter, tensor] : model.state_dict()) {
    std::string line = parameter;
    for (const std::size_t size : tensor.shape()) {
      line += " " + std::to_string(size);
    }
    // One layer of each stack is enough.
    if (parameter.find("layers.1.") == std::string::npos &&
        parameter.find("layers.2.") == std::string::npos) {
      lines.push_back(line);
    }
  }
  return lines;
}

TEST_CASE("Parameters have the names and shapes of the documentation") {
  using Lines = std::vector<std::string>;
  CHECK(described("plain") == Lines{"embedding.weight 13 8",
                                    "layers.0.attention.W_k.bias 8",
                                    "layers.0.attention.W_k.weight 8 8",
                                    "layers.0.attention.W_o.bias 8",
                                    "layers.0.attention.W_o.weight 8 8",
                                    "layers.0.attention.W_q.bias 8",
                                    "layers.0.attention.W_q.weight 8 8",
                                    "layers.0.attention.W_v.bias 8",
                                    "layers.0.attention.W_v.weight 8 8",
                                    "layers.0.ffn.dense1.bias 12",
                                    "layers.0.ffn.dense1.weight 12 8",
                                    "layers.0.ffn.dense2.bias 8",
                                    "layers.0.ffn.dense2.weight 8 12",
                                    "layers.0.ffn_norm.bias 8",
                                    "layers.0.ffn_norm.weight 8",
                                    "layers.0.norm.bias 8",
                                    "layers.0.norm.weight 8",
                                    "norm.bias 8",
                                    "norm.weight 8",
                                    "position.weight 10 8",
                                    "unembedding.weight 13 8"});
  CHECK(described("one key-value head, rotary") == Lines{"embedding.weight 13 8",
                                                         "layers.0.attention.W_k.bias 4",
                                                         "layers.0.attention.W_k.weight 4 8",
                                                         "layers.0.attention.W_o.bias 8",
                                                         "layers.0.attention.W_o.weight 8 16",
                                                         "layers.0.attention.W_q.bias 16",
                                                         "layers.0.attention.W_q.weight 16 8",
                                                         "layers.0.attention.W_v.bias 4",
                                                         "layers.0.attention.W_v.weight 4 8",
                                                         "layers.0.ffn.dense1.bias 12",
                                                         "layers.0.ffn.dense1.weight 12 8",
                                                         "layers.0.ffn.dense2.bias 8",
                                                         "layers.0.ffn.dense2.weight 8 12",
                                                         "layers.0.ffn_norm.bias 8",
                                                         "layers.0.ffn_norm.weight 8",
                                                         "layers.0.norm.bias 8",
                                                         "layers.0.norm.weight 8",
                                                         "norm.bias 8",
                                                         "norm.weight 8",
                                                         "unembedding.weight 13 8"});
  CHECK(described("gated silu without biases") ==
        Lines{"embedding.weight 13 8", "layers.0.attention.W_k.weight 8 8",
              "layers.0.attention.W_o.weight 8 8", "layers.0.attention.W_q.weight 8 8",
              "layers.0.attention.W_v.weight 8 8", "layers.0.ffn.dense1.weight 12 8",
              "layers.0.ffn.dense2.weight 8 12", "layers.0.ffn.gate.weight 12 8",
              "layers.0.ffn_norm.bias 8", "layers.0.ffn_norm.weight 8", "layers.0.norm.bias 8",
              "layers.0.norm.weight 8", "norm.bias 8", "norm.weight 8", "position.weight 10 8",
              "unembedding.weight 13 8"});
  CHECK(described("an encoder without feed-forward layers") ==
        Lines{"embedding.weight 13 8",
              "encoder.layers.0.attention.W_k.bias 8",
              "encoder.layers.0.attention.W_k.weight 8 8",
              "encoder.layers.0.attention.W_o.bias 8",
              "encoder.layers.0.attention.W_o.weight 8 8",
              "encoder.layers.0.attention.W_q.bias 8",
              "encoder.layers.0.attention.W_q.weight 8 8",
              "encoder.layers.0.attention.W_v.bias 8",
              "encoder.layers.0.attention.W_v.weight 8 8",
              "encoder.layers.0.norm.weight 8",
              "encoder.norm.weight 8",
              "encoder.position.weight 10 8",
              "layers.0.attention.W_k.bias 8",
              "layers.0.attention.W_k.weight 8 8",
              "layers.0.attention.W_o.bias 8",
              "layers.0.attention.W_o.weight 8 8",
              "layers.0.attention.W_q.bias 8",
              "layers.0.attention.W_q.weight 8 8",
              "layers.0.attention.W_v.bias 8",
              "layers.0.attention.W_v.weight 8 8",
              "layers.0.cross_attention.W_k.bias 8",
              "layers.0.cross_attention.W_k.weight 8 8",
              "layers.0.cross_attention.W_o.bias 8",
              "layers.0.cross_attention.W_o.weight 8 8",
              "layers.0.cross_attention.W_q.bias 8",
              "layers.0.cross_attention.W_q.weight 8 8",
              "layers.0.cross_attention.W_v.bias 8",
              "layers.0.cross_attention.W_v.weight 8 8",
              "layers.0.cross_norm.weight 8",
              "layers.0.ffn.dense1.bias 12",
              "layers.0.ffn.dense1.weight 12 8",
              "layers.0.ffn.dense2.bias 8",
              "layers.0.ffn.dense2.weight 8 12",
              "layers.0.ffn_norm.weight 8",
              "layers.0.norm.weight 8",
              "norm.weight 8",
              "position.weight 10 8",
              "unembedding.weight 13 8"});
  const auto has = [](const std::string& name, const std::string& line) {
    const Lines lines = described(name);
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  };
  CHECK(has("patches", "patches.weight 8 2 2 2"));
  CHECK(has("patches", "patches.bias 8"));
  CHECK(has("patches", "class_token 8"));
  CHECK(has("patches", "position.weight 10 8"));
  CHECK_FALSE(has("patches without a class token", "class_token 8"));
  CHECK(has("segments", "segment.weight 3 8"));
  CHECK(has("positions behind others", "position.weight 12 8"));
  CHECK(has("a bias of logits", "unembedding.bias 13"));
  CHECK(has("embedding norm", "embedding_norm.weight 8"));
  CHECK_FALSE(has("tied embeddings", "unembedding.weight 13 8"));
  CHECK(has("biases of queries, keys and values alone", "layers.0.attention.W_q.bias 8"));
  CHECK_FALSE(has("biases of queries, keys and values alone", "layers.0.attention.W_o.bias 8"));
  CHECK_FALSE(has("biases but those of queries, keys and values", "layers.0.attention.W_v.bias 8"));
  CHECK(has("biases but those of queries, keys and values", "layers.0.attention.W_o.bias 8"));
}

TEST_CASE("Options that are malformed are named") {
  const auto error_with = [](auto change) {
    TransformerOptions options = small_transformer("plain").options;
    change(options);
    return error_of([&] { return Transformer(options); });
  };
  const auto invalid = [](const std::string& rest) { return "invalid-option; " + rest; };
  const std::string from_1 = ": expected an integer from 1 to 2147483647, got ";
  const std::string from_0 = ": expected an integer from 0 to 2147483647, got ";
  const struct {
    std::string name;
    std::int64_t TransformerOptions::* option;
  } sizes[] = {{"vocabulary_size", &TransformerOptions::vocabulary_size},
               {"max_length", &TransformerOptions::max_length},
               {"num_hiddens", &TransformerOptions::num_hiddens},
               {"num_layers", &TransformerOptions::num_layers},
               {"num_heads", &TransformerOptions::num_heads}};
  for (const auto& [name, option] : sizes) {
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31U}) {
      CHECK(error_with([&, of = option](auto& o) { o.*of = size; }) ==
            invalid(name + from_1 + std::to_string(size)));
    }
  }
  CHECK(error_with([](auto& o) { o.head_size = 0; }) == invalid("head_size" + from_1 + "0"));
  CHECK(error_with([](auto& o) { o.head_size = 2147483647; }) ==
        invalid("head_size: expected at most 2147483647 / num_heads, got 2147483647"));
  CHECK(error_with([](auto& o) { o.num_heads = 3; }).starts_with(invalid("num_heads: expected ")));
  CHECK(error_with([](auto& o) {
          o.num_kv_heads = 3;
        }).starts_with(invalid("num_kv_heads: expected ")));
  CHECK(error_with([](auto& o) { o.ffn_hiddens = -1; }) == invalid("ffn_hiddens" + from_0 + "-1"));
  CHECK(error_with([](auto& o) { o.segments = -1; }) == invalid("segments" + from_0 + "-1"));
  CHECK(error_with([](auto& o) { o.position_offset = -1; }) ==
        invalid("position_offset" + from_0 + "-1"));
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  for (const double wrong : {-1.0, nothing}) {
    CHECK(error_with([&](auto& o) {
            o.norm_epsilon = wrong;
          }).starts_with(invalid("norm_epsilon: expected ")));
    CHECK(
        error_with([&](auto& o) { o.softcap = wrong; }).starts_with(invalid("softcap: expected ")));
    CHECK(
        error_with([&](auto& o) { o.dropout = wrong; }).starts_with(invalid("dropout: expected ")));
    CHECK(error_with([&](auto& o) {
            o.optimizer.learning_rate = wrong;
          }).starts_with("invalid-option; "));
    CHECK(error_with([&](auto& o) {
            o.positions = Positions::rotary;
            o.rotary.base = wrong;
          }).starts_with(invalid("rotary.base: expected ")));
  }
  CHECK(error_with([&](auto& o) { o.scale = nothing; }).starts_with(invalid("scale: expected ")));
  CHECK(error_with([&](auto& o) {
          o.embedding_scale = nothing;
        }).starts_with(invalid("embedding_scale: expected a finite number, got ")));
  CHECK(error_with([](auto& o) {
          o.seed = std::uint64_t{1} << 53U;
        }).starts_with(invalid("seed: expected ")));
  CHECK(error_with([](auto& o) {
          o.window = Window{.left = -1, .right = 0};
        }).starts_with(invalid("window")));
  CHECK(error_with([](auto& o) {
          o.positions = Positions::rotary;
          o.rotary.size = 3;
        }).starts_with(invalid("rotary.size: expected ")));
  CHECK(error_with([](auto& o) { o.encoder = EncoderOptions{.num_layers = 0}; }) ==
        invalid("encoder.num_layers" + from_1 + "0"));
  CHECK(error_with([](auto& o) { o.encoder = EncoderOptions{.num_heads = 0}; }) ==
        invalid("encoder.num_heads" + from_1 + "0"));
  CHECK(error_with([](auto& o) { o.encoder = EncoderOptions{.num_heads = 3}; }) ==
        invalid("encoder.num_heads: expected a divisor of num_hiddens (8), got 3"));
  CHECK(error_with([](auto& o) { o.encoder = EncoderOptions{.ffn_hiddens = -2}; }) ==
        invalid("encoder.ffn_hiddens" + from_0 + "-2"));
  const auto error_of_patches = [](auto change) {
    TransformerOptions options = small_transformer("patches").options;
    change(options);
    return error_of([&] { return Transformer(options); });
  };
  CHECK(error_of_patches([](auto& o) { o.patches->image_size = 7; }) ==
        invalid("patches.image_size: expected a multiple of patches.patch_size (2), got 7"));
  CHECK(error_of_patches([](auto& o) { o.patches->patch_size = 0; }) ==
        invalid("patches.patch_size" + from_1 + "0"));
  CHECK(error_of_patches([](auto& o) { o.patches->channels = 0; }) ==
        invalid("patches.channels" + from_1 + "0"));
  CHECK(error_of_patches([](auto& o) { o.vocabulary_size = 5; }) ==
        invalid("vocabulary_size: expected none beside patches, got 5"));
  CHECK(error_of_patches([](auto& o) { o.max_length = 5; }) ==
        invalid("max_length: expected none beside patches, got 5"));
  CHECK(error_of_patches([](auto& o) { o.segments = 2; }) ==
        invalid("segments: expected none beside patches, got 2"));
  CHECK(error_of_patches([](auto& o) { o.encoder = EncoderOptions{}; }) ==
        invalid("encoder: expected none beside patches, got both"));
}

TEST_CASE("A model larger than the address space is out of memory, before any of it is taken") {
  for (const std::string name : {"plain", "an encoder"}) {
    TransformerOptions options = small_transformer(name).options;
    options.num_hiddens = 2147483646;
    CHECK(error_of([&] { return Transformer(options); }).starts_with("out-of-memory; "));
  }
}

}  // namespace
}  // namespace headwise::test
