#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/core/models/sampling.hpp>
#include <headwise/core/random.hpp>
#include <headwise/error.hpp>
#include <headwise/transformer.hpp>
#include <utility>

namespace headwise {
namespace {

Tokens row_of(const std::vector<std::int64_t>& tokens) {
  Tokens row = Tokens::from_shape({1, tokens.size()});
  std::copy(tokens.begin(), tokens.end(), row.begin());
  return row;
}

}  // namespace

std::vector<std::int64_t> Transformer::generate(const std::vector<std::int64_t>& tokens,
                                                const GenerateOptions& options) {
  return generate_text(tokens, options, false).tokens;
}

GeneratedText Transformer::generate_with_weights(
    const std::vector<std::int64_t>& tokens, const GenerateOptions& options,
    const std::optional<std::vector<std::int64_t>>& heads) {
  ReturnedWeights weights = ReturnedWeights::last_query();
  weights.heads = heads;
  return generate_text(tokens, options, weights);
}

GeneratedText Transformer::generate_text(const std::vector<std::int64_t>& tokens,
                                         const GenerateOptions& options,
                                         const ReturnedWeights& returned) {
  return report_out_of_memory([&] {
    validation::check_generate(*this, tokens, options);
    GeneratedText text;
    std::vector<std::int64_t>& generated = text.tokens;
    ModelCache cache =
        create_cache({.batch_size = 1,
                      .max_length = static_cast<std::int64_t>(tokens.size()) +
                                    std::max<std::int64_t>(options.max_new_tokens - 1, 0),
                      .precision = options.cache_precision});
    const std::size_t vocabulary_size = settings().vocabulary_size;
    std::vector<float> logits(vocabulary_size);
    std::vector<std::uint32_t> order(vocabulary_size);
    std::vector<double> weights(vocabulary_size);
    const SamplingOptions sampling{
        .temperature = options.temperature,
        .top_k = static_cast<std::size_t>(options.top_k.value_or(0)),
        .top_p = options.top_p.value_or(1),
        .seed = options.seed.has_value() ? *options.seed : random_seed()};
    Tokens next = row_of(tokens);
    TransformerForwardOptions pass_options;
    pass_options.return_weights = returned;
    if (options.source) {
      pass_options.source = row_of(*options.source);
    }
    pass_options.cache = &cache;
    std::vector<std::uint8_t> key_mask = bytes_of(options.key_mask);
    for (std::int64_t count = 0; count < options.max_new_tokens; ++count) {
      if (options.key_mask.has_value()) {
        pass_options.key_mask = xt::adapt(key_mask, std::array{std::size_t{1}, key_mask.size()});
      }
      validation::check_transformer_pass(*this, next, nullptr, pass_options);
      PassMemory memory(next, pass_options, *this);
      memory.pass.logits = logits.data();
      const auto last = static_cast<std::int32_t>(next.size()) - 1;
      memory.pass.positions = &last;
      memory.pass.num_positions = 1;
      TransformerResult result;
      memory.make_weights(*this, returned, false, result);
      memory.lay_out_forward(core_);
      core_.forward_into(memory.pass);
      const auto token = static_cast<std::int64_t>(
          sample_token(logits.data(), vocabulary_size, sampling, generated.size(),
                       {.order = order.data(), .weights = weights.data()}));
      generated.push_back(token);
      if (returned) {
        text.attention_weights.push_back(std::move(result.attention_weights));
        if (settings().has_encoder()) {
          text.cross_attention_weights.push_back(std::move(result.cross_attention_weights));
        }
      }
      const bool is_stopped = std::ranges::find(options.stop, token) != options.stop.end();
      if (is_stopped || (options.on_token && !options.on_token(token))) {
        break;
      }
      next = row_of({token});
      pass_options.source.reset();
      key_mask.push_back(1);
    }
    return text;
  });
}

}  // namespace headwise
