#include "transformer_call.hpp"

#include "compare.hpp"

namespace headwise::test {
namespace {

ValidLens random_lens(Random& random, std::size_t batch, std::size_t queries, std::size_t keys,
                      bool by_query) {
  const auto draw = [&](auto lens) {
    for (std::int64_t& length : lens) {
      length = static_cast<std::int64_t>(random.below(keys + 1));
    }
    return ValidLens(lens);
  };
  return by_query ? draw(LensByQuery::from_shape({batch, queries}))
                  : draw(LensBySample::from_shape({batch}));
}

HeadGate random_gate(Random& random, std::size_t batch, std::size_t heads) {
  const std::uint64_t seed = random.next();
  switch (random.below(3)) {
    case 0:
      return {};
    case 1:
      return randn<1>({heads}, seed);
    default:
      return randn<2>({batch, heads}, seed);
  }
}

}  // namespace

TransformerCall random_call(const SmallTransformer& small, std::uint64_t seed) {
  Random random(seed);
  TransformerCall call{.name = small.name, .options = small.options};
  const TransformerOptions& options = call.options;
  const std::size_t batch = 1 + random.below(3);
  const std::size_t length = 1 + random.below(8);
  if (options.patches) {
    const auto size = static_cast<std::size_t>(options.patches->image_size);
    call.pixels =
        randn<4>({batch, static_cast<std::size_t>(options.patches->channels), size, size}, seed);
  } else {
    call.tokens = random_tokens(batch, length, random.next());
    call.targets = random_tokens(batch, length, random.next());
    for (std::int64_t& target : call.targets) {
      target = random.chance(0.2) ? ignored_target : target;
    }
    if (random.chance(0.5)) {
      call.pass.valid_lens = random_lens(random, batch, length, length, random.chance(0.3));
    }
  }
  if (options.segments > 0 && random.chance(0.8)) {
    call.pass.segments = random_tokens(batch, length, random.next());
    for (std::int64_t& segment : *call.pass.segments) {
      segment %= options.segments;
    }
  }
  if (options.encoder) {
    const std::size_t source_length = random.below(6);
    call.pass.source = random_tokens(batch, source_length, random.next());
    if (random.chance(0.6)) {
      call.pass.source_valid_lens = random_lens(random, batch, 1, source_length, false);
    }
  }
  const Transformer model(options);
  for (const Side side : all_sides) {
    if (random.chance(0.5)) {
      for (const MultiHeadAttention& layer : model.attention_layers(side)) {
        gates_of(call.pass, side).push_back(random_gate(random, batch, layer.num_heads()));
      }
    }
  }
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
  model.load_state_dict(parameters);
  return model;
}

TransformerResult forward(Transformer& model, const TransformerCall& call,
                          const TransformerForwardOptions& pass) {
  return call.has_images() ? model.forward(call.pixels, pass) : model.forward(call.tokens, pass);
}

std::vector<HeadGate>& gates_of(TransformerForwardOptions& pass, Side side) {
  return side == Side::self    ? pass.head_gates
         : side == Side::cross ? pass.cross_head_gates
                               : pass.encoder_head_gates;
}

const std::vector<Tensor<4>>& weights_of(const TransformerResult& result, Side side) {
  return side == Side::self    ? result.attention_weights
         : side == Side::cross ? result.cross_attention_weights
                               : result.encoder_attention_weights;
}

const std::vector<CapturedTensors<3>>& captured_of(const TransformerResult& result, Side side) {
  return side == Side::self    ? result.captured
         : side == Side::cross ? result.cross_captured
                               : result.encoder_captured;
}

Tokens columns(const Tokens& tokens, std::size_t begin, std::size_t end) {
  Tokens part = Tokens::from_shape({tokens.shape(0), end - begin});
  for (std::size_t row = 0; row < tokens.shape(0); ++row) {
    for (std::size_t i = begin; i < end; ++i) {
      part(row, i - begin) = tokens(row, i);
    }
  }
  return part;
}

}  // namespace headwise::test
