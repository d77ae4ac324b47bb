#include <array>
#include <cstdint>
#include <headwise/api/validation_model_options.hpp>
#include <headwise/api/validation_options.hpp>
#include <headwise/api/validation_text.hpp>
#include <limits>
#include <optional>
#include <variant>

namespace headwise::validation {
namespace {

using namespace std::string_view_literals;

/// Its row of the learned positions is the one before that of position 0.
void check_padding_token(const TransformerOptions& options) {
  const std::int64_t token = options.padding_token.value_or(0);
  const bool fits = token >= 0 && token < options.vocabulary_size && !options.causal &&
                    options.positions == Positions::learned && options.position_offset > 0;
  if (options.padding_token.has_value() && !fits) {
    fail_option(
        "padding_token: expected a token, with learned positions, a position_offset and no "
        "causality, got #",
        {token});
  }
}

void check_residuals(const TransformerOptions& options) {
  if ((options.parallel_residual || options.post_norms) && !options.norm_first) {
    fail_option("#: expected norm_first beside it, got norms after the sums",
                {options.parallel_residual ? "parallel_residual"sv : "post_norms"sv});
  }
  if (options.parallel_residual && options.encoder.has_value()) {
    fail_option("parallel_residual: expected no encoder beside it, got both", {});
  }
}

void check_windows(const TransformerOptions& options) {
  const auto num_windows = static_cast<std::int64_t>(options.windows.size());
  const bool are_both = options.window.has_value();
  if (num_windows != 0 && (num_windows != options.num_layers || are_both)) {
    fail_option("windows: expected one a layer (#), and no window beside them, got #",
                {options.num_layers, are_both ? Part("both"sv) : Part(num_windows)});
  }
  for (const std::optional<Window>& window : options.windows) {
    check_window(window, "windows");
  }
}

/// The layers of the decoder or the encoder, whose number of heads errors call `num_heads`.
void check_layers(const TransformerOptions& options, Side side, std::string_view num_heads) {
  const MultiHeadAttentionOptions layer = layer_options_of(options, side);
  if (layer.num_hiddens > std::numeric_limits<std::int32_t>::max()) {
    fail_option("head_size: expected at most 2147483647 / #, got #",
                {num_heads, options.head_size.value_or(0)});
  }
  check_layer_options(layer);
}

void check_none_beside_patches(std::string_view argument, std::int64_t number) {
  if (number != 0) {
    fail_option("#: expected none beside patches, got #", {argument, number});
  }
}

void check_patches(const PatchOptions& patches, const TransformerOptions& options) {
  check_size("patches.image_size", patches.image_size);
  check_size("patches.patch_size", patches.patch_size);
  check_size("patches.channels", patches.channels);
  if (patches.image_size % patches.patch_size != 0) {
    fail_option("patches.image_size: expected a multiple of patches.patch_size (#), got #",
                {patches.patch_size, patches.image_size});
  }
  check_none_beside_patches("vocabulary_size", options.vocabulary_size);
  check_none_beside_patches("max_length", options.max_length);
  check_none_beside_patches("segments", options.segments);
  if (options.encoder.has_value()) {
    fail_option("encoder: expected none beside patches, got both", {});
  }
}

void check_encoder(const EncoderOptions& encoder, const TransformerOptions& options) {
  check_size("encoder.num_layers", encoder.num_layers);
  check_from_0("encoder.ffn_hiddens", encoder.ffn_hiddens.value_or(0));
  const std::int64_t num_heads = encoder.num_heads.value_or(options.num_heads);
  check_size("encoder.num_heads", num_heads);
  if (!options.head_size.has_value() && options.num_hiddens % num_heads != 0) {
    fail_option("encoder.num_heads: expected a divisor of num_hiddens (#), got #",
                {options.num_hiddens, num_heads});
  }
  check_layers(options, Side::encoder, "encoder.num_heads");
}

void check_betas(const std::array<double, 2>& betas) {
  for (const double beta : betas) {
    if (!(beta >= 0 && beta < 1)) {
      fail_option("betas: expected two numbers from 0 to below 1, got #", {beta});
    }
  }
}

}  // namespace

void check_transformer_options(const TransformerOptions& options) {
  if (options.patches.has_value()) {
    check_patches(*options.patches, options);
  } else {
    check_size("vocabulary_size", options.vocabulary_size);
    check_size("max_length", options.max_length);
  }
  check_size("num_layers", options.num_layers);
  check_size("num_hiddens", options.num_hiddens);
  check_size("num_heads", options.num_heads);
  check_size("head_size", options.head_size.value_or(1));
  check_from_0("ffn_hiddens", options.ffn_hiddens.value_or(0));
  check_from_0("segments", options.segments);
  check_from_0("position_offset", options.position_offset);
  check_padding_token(options);
  check_at_least_0("norm_epsilon", options.norm_epsilon);
  check_scale(options.embedding_scale, "embedding_scale");
  check_at_least_0("logits_softcap", options.logits_softcap);
  check_residuals(options);
  check_window(options.window);
  check_windows(options);
  check_layers(options, Side::self, "num_heads");
  if (options.encoder.has_value()) {
    check_encoder(*options.encoder, options);
  }
}

void check_optimizer_options(const UncheckedOptimizer::Options& options) {
  if (const auto* sgd = std::get_if<SGDOptions>(&options); sgd != nullptr) {
    check_at_least_0("learning_rate", sgd->learning_rate);
    check_at_least_0("momentum", sgd->momentum);
    check_at_least_0("weight_decay", sgd->weight_decay);
  } else if (const auto* adam = std::get_if<AdamOptions>(&options); adam != nullptr) {
    check_at_least_0("learning_rate", adam->learning_rate);
    check_betas(adam->betas);
    check_at_least_0("epsilon", adam->epsilon);
    check_at_least_0("weight_decay", adam->weight_decay);
  }
}

}  // namespace headwise::validation
