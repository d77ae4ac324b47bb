#include "transformer_call.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "compare.hpp"
#include "problem.hpp"

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

}  // namespace

std::vector<SmallTransformer> small_transformers() {
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
  if (random.chance(0.5)) {
    using Type = RotaryScaling::Type;
    o.rotary.scaling = RotaryScaling{.type = random.pick({Type::linear, Type::llama3, Type::yarn}),
                                     .factor = 4,
                                     .original_length = 30,
                                     .slow_turns = 0.5,
                                     .fast_turns = 2,
                                     .truncate = !perhaps()};
    if (perhaps()) {
      o.rotary.scaling->attention_factor = 0.7;
    }
  }
  o.qk_norm = perhaps();
  o.parallel_residual = o.norm_first && perhaps();
  o.post_norms = o.norm_first && perhaps();
  o.logits_softcap = random.pick({0.0, 0.0, 1.5});
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
  if (perhaps()) {
    o.window.reset();
    for (std::int64_t layer = 0; layer < o.num_layers; ++layer) {
      o.windows.push_back(perhaps() ? std::nullopt
                                    : std::optional(Window{.left = 1 + layer, .right = {}}));
    }
  }
  o.softcap = random.pick({0.0, 0.0, 0.5});
  if (perhaps()) {
    o.scale = 1.5;
  }
  o.position_offset = random.pick<std::int64_t>({0, 2});
  o.weights = random.pick({Precision::float32, Precision::float32, Precision::float32,
                           Precision::float16, Precision::int8, Precision::int4});
  if (random.chance(0.15)) {
    o.vocabulary_size = o.max_length = 0;
    o.patches = PatchOptions{
        .image_size = 6, .patch_size = 3, .channels = 2, .class_token = random.chance(0.5)};
  } else {
    o.head = random.chance(0.8);
    o.segments = random.pick<std::int64_t>({0, 0, 3});
    if (perhaps()) {
      o.parallel_residual = false;
      o.encoder = EncoderOptions{.num_layers = random.pick<std::int64_t>({1, 2})};
    }
    if (o.positions == Positions::learned && o.position_offset > 0 && !o.causal) {
      o.padding_token = 3;
    }
    if (o.encoder && perhaps()) {
      o.encoder->num_heads = 2;
      o.encoder->ffn_hiddens = random.pick<std::int64_t>({0, 7});
    }
  }
  if (perhaps()) {
    o.ffn_bias = perhaps();
  }
  o.scale_by_layer = perhaps();
  return {.name = "random model " + std::to_string(seed), .options = o};
}

SmallTransformer small_transformer(const std::string& name) {
  for (const SmallTransformer& small : small_transformers()) {
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

namespace {

ValidLens random_lens(Random& random, std::size_t batch, std::size_t queries, std::size_t keys,
                      bool by_query) {
  using Shape = std::vector<std::size_t>;
  auto lens = xt::xarray<std::int64_t>::from_shape(by_query ? Shape{batch, queries} : Shape{batch});
  for (std::int64_t& length : lens) {
    length = static_cast<std::int64_t>(random.below(keys + 1));
  }
  return lens;
}

HeadGate random_gate(Random& random, std::size_t batch, std::size_t heads) {
  const std::uint64_t seed = random.next();
  const std::size_t axes = random.below(3);
  return axes == 0   ? HeadGate()
         : axes == 1 ? HeadGate(randn<1>({heads}, seed))
                     : HeadGate(randn<2>({batch, heads}, seed));
}

}  // namespace

Mask random_key_mask(Random& random, std::size_t batch, std::size_t keys) {
  const auto kind = random.pick(
      {KeyMaskKind::before, KeyMaskKind::behind, KeyMaskKind::around, KeyMaskKind::among});
  return xt::cast<std::int64_t>(draw_key_mask(kind, batch, keys, random));
}

std::vector<std::int64_t> some_below(Random& random, std::size_t end) {
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < end; ++i) {
    if (random.chance(0.6)) {
      chosen.insert(chosen.begin() + static_cast<std::ptrdiff_t>(random.below(chosen.size() + 1)),
                    static_cast<std::int64_t>(i));
    }
  }
  return chosen;
}

TransformerForwardOptions random_pass(Random& random, const Transformer& model, std::size_t batch,
                                      std::size_t length, std::size_t source_length) {
  const TransformerSettings& settings = model.settings();
  TransformerForwardOptions pass;
  if (!settings.has_patches() && random.chance(0.5)) {
    pass.valid_lens = random_lens(random, batch, length, length, random.chance(0.3));
  }
  if (!settings.has_patches() && random.chance(0.5)) {
    pass.key_mask = random_key_mask(random, batch, length);
  }
  if (settings.segments > 0 && random.chance(0.8)) {
    pass.segments =
        random_tokens(batch, length, random.next()) % static_cast<std::int64_t>(settings.segments);
  }
  if (settings.has_encoder()) {
    pass.source = random_tokens(batch, source_length, random.next());
    if (random.chance(0.6)) {
      pass.source_valid_lens = random_lens(random, batch, 1, source_length, false);
    }
    if (random.chance(0.5)) {
      pass.source_key_mask = random_key_mask(random, batch, source_length);
    }
  }
  for (const Side side : all_sides) {
    if (random.chance(0.5)) {
      for (const MultiHeadAttention& layer : model.attention_layers(side)) {
        gates_of(pass, side).push_back(random_gate(random, batch, layer.num_heads()));
      }
    }
  }
  return pass;
}

TransformerCall random_call(const SmallTransformer& small, std::uint64_t seed) {
  Random random(seed);
  TransformerCall call{.name = small.name, .options = small.options};
  const std::size_t batch = 1 + random.below(3);
  const std::size_t length = 1 + random.below(8);
  if (const auto& patches = call.options.patches) {
    const auto size = static_cast<std::size_t>(patches->image_size);
    call.pixels = randn<4>({batch, static_cast<std::size_t>(patches->channels), size, size}, seed);
  } else {
    call.tokens = random_tokens(batch, length, random.next());
    call.targets = random_tokens(batch, length, random.next());
    for (std::int64_t& target : call.targets) {
      target = random.chance(0.2) ? ignored_target : target;
    }
  }
  call.pass = random_pass(random, Transformer(call.options), batch, length, random.below(6));
  return call;
}

std::vector<TransformerCall> all_calls(std::size_t random_models) {
  std::vector<TransformerCall> calls;
  for (const SmallTransformer& small : small_transformers()) {
    calls.push_back(random_call(small, calls.size()));
  }
  for (std::size_t number = 0; number < random_models; ++number) {
    calls.push_back(random_call(random_transformer(number), number));
  }
  return calls;
}

Transformer model_of(const TransformerCall& call) {
  Transformer model(call.options);
  StateDict parameters = model.state_dict();
  std::uint64_t seed = 100;
  for (auto& [name, tensor] : parameters) {
    const auto noise = randn<1>({tensor.size()}, ++seed);
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      tensor.data()[i] += 0.2F * noise(i);
    }
  }
  Transformer loaded(call.options);
  loaded.load_state_dict(parameters);
  // Integers have no floats to write.
  if (call.batch() == 1 || holds_integers(call.options.weights)) {
    return loaded;
  }
  if (call.batch() == 2) {
    return loaded.copy();
  }
  // Written in place, after the model was used.
  static_cast<void>(forward(model, call, call.pass));
  const std::vector<Trainable*> from = loaded.trainables();
  const std::vector<Trainable*> to = model.trainables();
  for (std::size_t part = 0; part < to.size(); ++part) {
    const auto source = from[part]->trainable_parameters();
    const auto target = to[part]->trainable_parameters();
    for (std::size_t i = 0; i < target.size(); ++i) {
      std::copy_n(source[i].values, source[i].size(), target[i].values);
    }
    to[part]->parameters_changed();
  }
  return model;
}

TransformerResult forward(Transformer& model, const TransformerCall& call,
                          const TransformerForwardOptions& pass) {
  return call.has_images() ? model.forward(call.pixels, pass)
         : call.embeddings ? model.forward(Embeddings{*call.embeddings}, pass)
                           : model.forward(call.tokens, pass);
}

std::vector<HeadGate>& gates_of(TransformerForwardOptions& pass, Side side) {
  return by_side(side, pass.head_gates, pass.cross_head_gates, pass.encoder_head_gates);
}

const std::vector<Tensor<4>>& weights_of(const TransformerResult& result, Side side) {
  return by_side(side, result.attention_weights, result.cross_attention_weights,
                 result.encoder_attention_weights);
}

const ModelCaptures& captured_of(const TransformerResult& result, Side side) {
  return by_side(side, result.captured, result.cross_captured, result.encoder_captured);
}

TransformerForwardOptions part_of(const TransformerForwardOptions& pass, std::size_t begin,
                                  std::size_t end, ModelCache& cache) {
  TransformerForwardOptions part = pass;
  if (pass.valid_lens.has_two_axes()) {
    part.valid_lens = columns(LensByQuery(*pass.valid_lens), begin, end);
  }
  if (part.valid_lens.has_value()) {
    *part.valid_lens = xt::minimum(*part.valid_lens, static_cast<std::int64_t>(end));
  }
  if (pass.segments) {
    part.segments = columns(*pass.segments, begin, end);
  }
  if (const Mask& mask = pass.key_mask; mask.has_value()) {
    const std::array<std::size_t, 2> shape = {mask.shape()[0], mask.shape()[1]};
    part.key_mask =
        columns(Tokens(xt::adapt(mask.allowed(), mask.size(), xt::no_ownership(), shape)), 0, end);
  }
  if (cache.memory().has_source) {
    part.source.reset();
    part.source_valid_lens = {};
    part.source_key_mask = {};
  }
  part.cache = &cache;
  return part;
}

ModelMeasureBatch measured_batch(const TransformerCall& call) {
  return {.tokens = call.tokens,
          .targets = call.has_logits() ? call.targets : Tokens(),
          .pixels = call.pixels,
          .valid_lens = call.pass.valid_lens,
          .key_mask = call.pass.key_mask,
          .segments = call.pass.segments,
          .source = call.pass.source,
          .source_valid_lens = call.pass.source_valid_lens,
          .source_key_mask = call.pass.source_key_mask};
}

Tokens columns(const Tokens& tokens, std::size_t begin, std::size_t end) {
  return xt::view(tokens, xt::all(), xt::range(begin, end));
}

}  // namespace headwise::test
