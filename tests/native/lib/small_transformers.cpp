#include "small_transformers.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "configuration.hpp"

namespace headwise::test {
namespace {

TransformerOptions plain() {
  TransformerOptions options;
  options.vocabulary_size = vocabulary_size;
  options.max_length = 10;
  options.num_hiddens = 8;
  options.num_heads = 2;
  options.num_layers = 2;
  options.ffn_hiddens = 12;
  options.seed = 5;
  // With PyTorch's 1 for norms and 0.02 for tied embeddings, logits would hardly differ.
  options.tied_embeddings = false;
  return options;
}

template <typename Change>
SmallTransformer with(std::string name, const Change& change) {
  SmallTransformer small{.name = std::move(name), .options = plain()};
  change(small.options);
  return small;
}

std::vector<SmallTransformer> make() {
  std::vector<SmallTransformer> all = {
      {"plain", plain()},
      with("gated silu without biases",
           [](auto& o) {
             o.gated = true;
             o.activation = Activation::silu;
             o.bias = false;
           }),
      with("no feed-forward layers", [](auto& o) { o.ffn_hiddens = 0; }),
      with("default feed-forward layers", [](auto& o) { o.ffn_hiddens.reset(); }),
      with("norm after", [](auto& o) { o.norm_first = false; }),
      with("tied embeddings",
           [](auto& o) {
             o.tied_embeddings = true;
             o.embedding_scale = 20;
           }),
      with("a bias of logits", [](auto& o) { o.logits_bias = true; }),
      with("segments", [](auto& o) { o.segments = 3; }),
      with("not causal", [](auto& o) { o.causal = false; }),
      with("an encoder", [](auto& o) { o.encoder = EncoderOptions{.num_layers = 2}; }),
      with("an encoder, rotary and grouped heads",
           [](auto& o) {
             o.encoder = EncoderOptions{.num_layers = 1};
             o.positions = Positions::rotary;
             o.num_heads = 4;
             o.num_kv_heads = 2;
             o.head_size = 4;
             o.window = Window{.left = 3, .right = 3};
           }),
      with("no head", [](auto& o) {
        o.head = false;
        o.causal = false;
      })};
  for (const bool class_token : {true, false}) {
    TransformerOptions images = plain();
    images.vocabulary_size = images.max_length = 0;
    images.causal = false;
    images.embedding_norm = !class_token;
    images.positions = class_token ? Positions::learned : Positions::sinusoidal;
    images.patches =
        PatchOptions{.image_size = 6, .patch_size = 2, .channels = 2, .class_token = class_token};
    all.push_back({class_token ? "patches" : "patches without a class token", images});
  }
  return all;
}

}  // namespace

std::vector<SmallTransformer> small_transformers() { return make(); }

SmallTransformer random_transformer(std::uint64_t seed) {
  Random random(seed);
  const auto perhaps = [&] { return random.chance(0.3); };
  TransformerOptions o = plain();
  o.seed = seed;
  o.num_layers = random.pick<std::int64_t>({1, 2});
  o.num_heads = random.pick<std::int64_t>({1, 2, 4});
  o.num_kv_heads = o.num_heads / random.pick<std::int64_t>({1, o.num_heads});
  if (perhaps()) {
    o.head_size = random.pick<std::int64_t>({2, 6});
  }
  o.ffn_hiddens = random.pick<std::int64_t>({0, 5, 12});
  o.activation =
      random.pick({Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu});
  o.gated = perhaps();
  o.norm = random.pick({Norm::layer, Norm::rms, Norm::layer, Norm::none});
  o.norm_first = !perhaps();
  o.norm_epsilon = random.pick({1e-5, 0.3});
  o.norm_bias = !perhaps();
  if (perhaps()) {
    o.final_norm = perhaps();
  }
  o.embedding_norm = perhaps();
  o.positions = random.pick({Positions::learned, Positions::learned, Positions::rotary,
                             Positions::sinusoidal, Positions::sinusoidal_halves, Positions::none});
  o.rotary = {.base = random.pick({100.0, 10000.0}), .interleaved = perhaps()};
  if (perhaps()) {
    o.rotary.size = 2;
  }
  o.embedding_scale = random.pick({1.0, 2.5});
  o.bias = !perhaps();
  if (perhaps()) {
    o.qkv_bias = perhaps();
  }
  o.tied_embeddings = perhaps();
  o.logits_bias = perhaps();
  o.causal = !perhaps();
  if (perhaps()) {
    o.window = Window{.left = random.pick<std::int64_t>({0, 2}), .right = std::nullopt};
    if (perhaps()) {
      o.window->right = 1;
    }
  }
  o.softcap = random.pick({0.0, 0.0, 0.5});
  if (perhaps()) {
    o.scale = 1.5;
  }
  o.position_offset = random.pick<std::int64_t>({0, 2});
  o.weights = random.pick({Precision::float32, Precision::float32, Precision::float32,
                           Precision::float32, Precision::float16, Precision::int8});
  if (random.chance(0.15)) {
    o.vocabulary_size = o.max_length = 0;
    o.patches = PatchOptions{
        .image_size = 6, .patch_size = 3, .channels = 2, .class_token = random.chance(0.5)};
  } else {
    o.head = random.chance(0.8);
    o.segments = random.pick<std::int64_t>({0, 0, 3});
    if (perhaps()) {
      o.encoder = EncoderOptions{.num_layers = random.pick<std::int64_t>({1, 2})};
    }
    if (o.encoder && perhaps()) {
      o.encoder->num_heads = 2;
      o.encoder->ffn_hiddens = random.pick<std::int64_t>({0, 7});
    }
  }
  return {.name = "random model " + std::to_string(seed), .options = o};
}

SmallTransformer small_transformer(const std::string& name) {
  for (const SmallTransformer& small : make()) {
    if (small.name == name) {
      return small;
    }
  }
  throw std::runtime_error("no model of the name " + name);
}

Tokens random_tokens(std::size_t batch, std::size_t length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tokens tokens = Tokens::from_shape({batch, length});
  std::generate(tokens.begin(), tokens.end(), [&] {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(vocabulary_size));
  });
  return tokens;
}

}  // namespace headwise::test
