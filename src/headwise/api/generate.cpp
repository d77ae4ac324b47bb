#include <headwise/api/generation.hpp>
#include <headwise/api/native_model_inputs.hpp>
#include <headwise/api/validation_options.hpp>
#include <headwise/core/random.hpp>
#include <headwise/error.hpp>
#include <headwise/transformer.hpp>

namespace headwise {

std::vector<std::int64_t> Transformer::generate(const std::vector<std::int64_t>& tokens,
                                                const GenerateOptions& options) {
  return generate_text(tokens, options, false).tokens;
}

GeneratedText Transformer::generate_with_weights(
    const std::vector<std::int64_t>& tokens, const GenerateOptions& options,
    const std::optional<std::vector<std::int64_t>>& heads) {
  return generate_text(tokens, options, {heads, std::nullopt});
}

GeneratedText Transformer::generate_text(const std::vector<std::int64_t>& tokens,
                                         const GenerateOptions& options,
                                         const ReturnedWeights& returned) {
  return report_out_of_memory([&] {
    validation::check_layer_options({.num_hiddens = 1, .num_heads = 1, .seed = options.seed});
    const IntegerInput prompt{std::optional(tokens)};
    const IntegerInput source(options.source);
    const IntegerInput stop{std::optional(options.stop)};
    const IntegerInput heads(returned.heads);
    const KeyMaskInput key_mask("key_mask", options.key_mask);
    const GenerateInputs defaults{};
    Generation generation(*this, {.tokens = prompt.input(),
                                  .source = source.input(),
                                  .key_mask = key_mask.input(),
                                  .stop = stop.input(),
                                  .max_new_tokens = static_cast<double>(options.max_new_tokens),
                                  .temperature = options.temperature,
                                  .top_k = options.top_k.value_or(defaults.top_k),
                                  .top_p = options.top_p.value_or(defaults.top_p),
                                  .cache_precision = options.cache_precision,
                                  .seed = options.seed.has_value() ? *options.seed : random_seed(),
                                  .return_weights = returned.all,
                                  .weight_heads = heads.input()});
    GeneratedText text;
    while (!generation.ended()) {
      TransformerResult result;
      ResultsIn results([&](const ModelResult& place, std::span<const std::size_t> shape) {
        return place_in(result, place, shape);
      });
      const auto token = static_cast<std::int64_t>(generation.next(results));
      text.tokens.push_back(token);
      if (returned.all) {
        text.attention_weights.push_back(std::move(result.attention_weights));
        if (settings().has_encoder()) {
          text.cross_attention_weights.push_back(std::move(result.cross_attention_weights));
        }
      }
      if (options.on_token && !options.on_token(token)) {
        break;
      }
    }
    return text;
  });
}

}  // namespace headwise
