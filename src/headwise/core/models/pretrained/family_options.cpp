#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/io/message.hpp>
#include <headwise/core/models/pretrained/family_options.hpp>
#include <headwise/core/models/pretrained/shared_fields.hpp>
#include <string>
#include <utility>
#include <vector>

namespace headwise {
namespace {

constexpr std::int64_t max_width = 2147483647;

Activation activation_of(PretrainedConfig& config, std::string_view name,
                         std::string_view otherwise) {
  constexpr std::array<std::pair<std::string_view, Activation>, 9> words = {
      {{"relu", Activation::relu},
       {"gelu", Activation::gelu},
       {"gelu_python", Activation::gelu},
       {"gelu_new", Activation::gelu_tanh},
       {"gelu_pytorch_tanh", Activation::gelu_tanh},
       {"gelu_fast", Activation::gelu_tanh},
       {"gelu_accurate", Activation::gelu_tanh},
       {"silu", Activation::silu},
       {"swish", Activation::silu}}};
  const std::string_view text = config.text(name, otherwise);
  for (const auto& [word, activation] : words) {
    if (word == text) {
      return activation;
    }
  }
  config.reject(name,
                "'relu', 'gelu', 'gelu_new', 'gelu_pytorch_tanh', 'gelu_fast', 'silu' or 'swish'");
  return Activation::gelu;
}

double epsilon_of(PretrainedConfig& config, std::string_view name, double otherwise) {
  constexpr double max = 1e30;
  const double epsilon = config.number(name, otherwise);
  if (!(epsilon >= 0 && epsilon <= max)) {
    config.reject(name, "a number from 0 to 1e30");
  }
  return epsilon;
}

/// A number that must divide that of another field, where both are numbers.
void require_divisor(PretrainedConfig& config, std::string_view name, std::int64_t number,
                     std::string_view of, std::int64_t whole) {
  if (config.problems().empty() && whole % number != 0) {
    std::string expected = "a divisor of ";
    expected.append(of).append(" (");
    expected += io::Decimal(static_cast<std::uint64_t>(whole)).text();
    config.reject(name, expected += ")");
  }
}

/// Heads that divide the hidden units.
std::int64_t heads_of(PretrainedConfig& config, std::string_view name, std::string_view of,
                      std::int64_t num_hiddens) {
  const std::int64_t heads = config.size(name);
  require_divisor(config, name, heads, of, num_hiddens);
  return heads;
}

/// What differs between GPT-2, nanoGPT and minGPT where the config does not say it.
struct GptDefaults {
  std::string_view positions;  ///< the field of the number of positions
  std::string_view activation;
  bool tied_embeddings;
  // 0: the field is required.
  std::int64_t vocabulary_size;
  std::int64_t max_length;
  std::int64_t num_layers;
  std::int64_t num_heads;
  std::int64_t num_hiddens;
};

TransformerOptions gpt_options(PretrainedConfig& config, const GptDefaults& defaults) {
  const auto size = [&](std::string_view name, std::int64_t otherwise) {
    return otherwise == 0 ? config.size(name) : config.size(name, otherwise);
  };
  TransformerOptions options;
  options.vocabulary_size = size("vocab_size", defaults.vocabulary_size);
  options.max_length = size(config.has("n_positions")  ? "n_positions"
                            : config.has("block_size") ? "block_size"
                                                       : defaults.positions,
                            defaults.max_length);
  options.num_hiddens = size("n_embd", defaults.num_hiddens);
  options.num_layers = size("n_layer", defaults.num_layers);
  options.num_heads = size("n_head", defaults.num_heads);
  require_divisor(config, "n_head", options.num_heads, "n_embd", options.num_hiddens);
  options.ffn_hiddens = config.optional_size("n_inner");
  options.activation = activation_of(config, "activation_function", defaults.activation);
  options.norm_epsilon = epsilon_of(config, "layer_norm_epsilon", 1e-5);
  options.tied_embeddings = config.flag("tie_word_embeddings", defaults.tied_embeddings);
  if (!config.flag("scale_attn_weights", true)) {
    options.scale = 1;
  }
  options.causal = config.flag("is_causal", true);
  options.scale_by_layer = config.flag("scale_attn_by_inverse_layer_idx", false);
  config.require_off("add_cross_attention");
  return options;
}

/// The sizes of minGPT's models by their `model_type`, which its code adds to the config.
struct MinGptType {
  std::string_view name;
  std::int64_t num_layers;
  std::int64_t num_heads;
  std::int64_t num_hiddens;
};

constexpr std::array<MinGptType, 8> mingpt_types = {{{"gpt2", 12, 12, 768},
                                                     {"gpt2-medium", 24, 16, 1024},
                                                     {"gpt2-large", 36, 20, 1280},
                                                     {"gpt2-xl", 48, 25, 1600},
                                                     {"gopher-44m", 8, 16, 512},
                                                     {"gpt-mini", 6, 6, 192},
                                                     {"gpt-micro", 4, 4, 128},
                                                     {"gpt-nano", 3, 3, 48}}};

const MinGptType* mingpt_type(std::string_view model_type) noexcept {
  const auto* const type = std::find_if(mingpt_types.begin(), mingpt_types.end(),
                                        [&](const auto& each) { return each.name == model_type; });
  return type != mingpt_types.end() ? type : nullptr;
}

/// What the relatives of Llama have where the config does not say it.
struct LlamaDefaults {
  std::int64_t vocabulary_size;
  std::int64_t ffn_hiddens;
  std::int64_t max_length;
  std::int64_t num_hiddens = 4096;
  std::int64_t num_layers = 32;
  std::optional<std::int64_t> head_size = {};  ///< none: hidden_size / num_attention_heads
  bool tied_embeddings = false;
};

TransformerOptions llama_like_options(PretrainedConfig& config, const LlamaDefaults& defaults) {
  TransformerOptions options;
  options.vocabulary_size = config.size("vocab_size", defaults.vocabulary_size);
  options.max_length =
      config.optional_size("max_position_embeddings").value_or(defaults.max_length);
  options.num_hiddens = config.size("hidden_size", defaults.num_hiddens);
  options.num_layers = config.size("num_hidden_layers", defaults.num_layers);
  options.num_heads = config.size("num_attention_heads");
  options.num_kv_heads = config.optional_size("num_key_value_heads");
  require_divisor(config, "num_key_value_heads", options.num_kv_heads.value_or(1),
                  "num_attention_heads", options.num_heads);
  options.head_size = config.optional_size("head_dim");
  if (!options.head_size && defaults.head_size) {
    options.head_size = config.size("head_dim", *defaults.head_size);
  }
  if (!options.head_size) {
    require_divisor(config, "num_attention_heads", options.num_heads, "hidden_size",
                    options.num_hiddens);
  } else if (*options.head_size > max_width / options.num_heads) {
    config.reject("head_dim", "at most 2147483647 / num_attention_heads");
  }
  if (config.problems().empty() &&
      options.head_size.value_or(options.num_hiddens / options.num_heads) % 2 != 0) {
    config.reject(options.head_size ? "head_dim" : "num_attention_heads",
                  "heads of an even size, for rotary positions");
  }
  options.ffn_hiddens = config.size("intermediate_size", defaults.ffn_hiddens);
  options.activation = activation_of(config, "hidden_act", "silu");
  options.gated = true;
  options.norm = Norm::rms;
  options.norm_epsilon = epsilon_of(config, "rms_norm_eps", 1e-6);
  options.positions = Positions::rotary;
  options.bias = false;
  options.ffn_bias = false;
  options.tied_embeddings = config.flag("tie_word_embeddings", defaults.tied_embeddings);
  options.causal = config.flag("is_causal", true);
  read_rotary(config, options);
  return options;
}

/// The window of `sliding_window`, which has a default unless it is null.
std::optional<Window> window_of(PretrainedConfig& config) {
  constexpr std::int64_t by_default = 4096;
  const auto keys = config.mentions("sliding_window") ? config.optional_size("sliding_window")
                                                      : std::optional(by_default);
  return keys ? std::optional(Window{.left = *keys - 1, .right = std::nullopt}) : std::nullopt;
}

/// The sliding layers of Qwen2 and Qwen3.
void read_qwen_windows(PretrainedConfig& config, TransformerOptions& options) {
  const std::optional<Window> window = window_of(config);
  LayerKinds sliding = sliding_layers(config, options.num_layers);
  if (!config.flag("use_sliding_window", false) || !window) {
    return;
  }
  if (const double full = config.number("max_window_layers", 28);
      sliding.empty() && full < static_cast<double>(options.num_layers)) {
    if (full <= 0) {
      options.window = window;
      return;
    }
    sliding = layers_that(config, "num_hidden_layers", options.num_layers,
                          [&](std::int64_t layer) { return static_cast<double>(layer) >= full; });
  }
  set_windows(sliding, *window, options);
}

constexpr LlamaDefaults gemma_defaults = {.vocabulary_size = 256000,
                                          .ffn_hiddens = 24576,
                                          .max_length = 8192,
                                          .num_hiddens = 3072,
                                          .num_layers = 28,
                                          .head_size = 256,
                                          .tied_embeddings = true};

/// What Gemma and Gemma 2 share.
TransformerOptions gemma_like_options(PretrainedConfig& config, const LlamaDefaults& defaults) {
  TransformerOptions options = llama_like_options(config, defaults);
  options.activation = activation_of(config, "hidden_activation", "gelu_pytorch_tanh");
  options.bias = config.flag("attention_bias", false);
  options.embedding_scale = static_cast<double>(std::sqrt(static_cast<float>(options.num_hiddens)));
  config.require_off("use_bidirectional_attention");
  return options;
}

/// Gemma's activation. Until Transformers 4.47 it was `hidden_activation`, since 4.48 `hidden_act`.
/// Google's first configs say 'gelu' in the latter, and mean the approximation.
void read_gemma_activation(PretrainedConfig& config, TransformerOptions& options) {
  if (config.has("hidden_act") && config.text("hidden_act", "") != "gelu") {
    const Activation activation = activation_of(config, "hidden_act", "");
    if (config.has("hidden_activation") && options.activation != activation) {
      config.reject("hidden_activation", "the activation of hidden_act");
    }
    options.activation = activation;
  }
}

/// A cap, which has a default unless it is null.
double cap_of(PretrainedConfig& config, std::string_view name, double otherwise) {
  if (config.mentions(name) && !config.has(name)) {
    return 0;
  }
  return number_above(config, std::string(name), 0, otherwise);
}

/// The layers of GPT-Neo whose attention is local.
LayerKinds local_layers(PretrainedConfig& config, std::int64_t num_layers) {
  LayerKinds listed;
  if (config.has("attention_layers")) {
    read_kinds(config, "attention_layers", "global", "local", listed);
    require_kinds(config, "attention_layers", listed.size(), "num_layers", num_layers);
  }
  if (!config.has("attention_types")) {
    return !listed.empty() ? listed
                           : layers_that(config, "num_layers", num_layers,
                                         [](std::int64_t layer) { return layer % 2 == 1; });
  }
  LayerKinds local;
  if (!check_listed_layers(config, "num_layers", num_layers)) {
    return local;
  }
  for (std::size_t i = 0; config.has(member("attention_types", i)); ++i) {
    const std::string group = member("attention_types", i);
    LayerKinds kinds;
    read_kinds(config, member(group, 0), "global", "local", kinds);
    const auto* const count = config.find(member(group, 1));
    if (count == nullptr || count->kind != PretrainedConfig::Kind::number || kinds.empty()) {
      break;
    }
    for (double repeat = 0; repeat < count->number && std::ssize(local) < num_layers; ++repeat) {
      local.insert(local.end(), kinds.begin(), kinds.end());
    }
  }
  require_kinds(config, "attention_types", local.size(), "num_layers", num_layers);
  if (!listed.empty() && listed != local && config.problems().empty()) {
    config.reject("attention_layers", "the layers of attention_types");
  }
  return local;
}

/// What BERT, RoBERTa and DistilBERT share.
TransformerOptions bert_like_options(PretrainedConfig& config) {
  TransformerOptions options;
  options.tied_embeddings = config.flag("tie_word_embeddings", true);
  options.norm_first = false;
  options.embedding_norm = true;
  options.norm_epsilon = 1e-12;
  options.causal = false;
  options.head = false;
  return options;
}

TransformerOptions bert_options_for(PretrainedConfig& config, std::int64_t vocabulary_size) {
  TransformerOptions options = bert_like_options(config);
  options.vocabulary_size = config.size("vocab_size", vocabulary_size);
  options.max_length = config.size("max_position_embeddings", 512);
  options.num_hiddens = config.size("hidden_size", 768);
  options.num_layers = config.size("num_hidden_layers", 12);
  options.num_heads = heads_of(config, "num_attention_heads", "hidden_size", options.num_hiddens);
  options.ffn_hiddens = config.size("intermediate_size", 3072);
  options.activation = activation_of(config, "hidden_act", "gelu");
  options.norm_epsilon = epsilon_of(config, "layer_norm_eps", 1e-12);
  options.segments = config.size("type_vocab_size", 2);
  config.require_text("position_embedding_type", {"absolute"});
  config.require_off("is_decoder");
  config.require_off("add_cross_attention");
  return options;
}

/// What BART and Marian share.
TransformerOptions bart_like_options(PretrainedConfig& config, std::int64_t vocabulary_size) {
  TransformerOptions options;
  options.vocabulary_size = config.size("vocab_size", vocabulary_size);
  options.num_hiddens = config.size("d_model", 1024);
  options.num_layers = config.size("decoder_layers", 12);
  options.num_heads = heads_of(config, "decoder_attention_heads", "d_model", options.num_hiddens);
  options.ffn_hiddens = config.size("decoder_ffn_dim", 4096);
  options.activation = activation_of(config, "activation_function", "gelu");
  options.norm_first = config.flag("normalize_before", false);
  options.final_norm = config.flag("add_final_layer_norm", options.norm_first);
  options.encoder = EncoderOptions{
      .num_layers = config.size("encoder_layers", 12),
      .num_heads = heads_of(config, "encoder_attention_heads", "d_model", options.num_hiddens),
      .ffn_hiddens = config.size("encoder_ffn_dim", 4096)};
  options.logits_bias = true;
  options.tied_embeddings = config.flag("tie_word_embeddings", true);
  if (config.flag("scale_embedding", false)) {
    options.embedding_scale = std::sqrt(static_cast<double>(options.num_hiddens));
  }
  return options;
}

}  // namespace

TransformerOptions gpt2_options(PretrainedConfig& config) {
  return gpt_options(config, {.positions = "n_positions",
                              .activation = "gelu_new",
                              .tied_embeddings = true,
                              .vocabulary_size = 50257,
                              .max_length = 1024,
                              .num_layers = 12,
                              .num_heads = 0,
                              .num_hiddens = 768});
}

TransformerOptions nanogpt_options(PretrainedConfig& config) {
  TransformerOptions options = gpt_options(config, {.positions = "block_size",
                                                    .activation = "gelu",
                                                    .tied_embeddings = true,
                                                    .vocabulary_size = 50304,
                                                    .max_length = 1024,
                                                    .num_layers = 12,
                                                    .num_heads = 0,
                                                    .num_hiddens = 768});
  options.bias = options.norm_bias = config.flag("bias", true);
  return options;
}

TransformerOptions mingpt_options(PretrainedConfig& config) {
  const MinGptType* type = mingpt_type(config.text("model_type", ""));
  const MinGptType sizes = type != nullptr ? *type : MinGptType{};
  TransformerOptions options = gpt_options(config, {.positions = "block_size",
                                                    .activation = "gelu_new",
                                                    .tied_embeddings = false,
                                                    .vocabulary_size = 0,
                                                    .max_length = 0,
                                                    .num_layers = sizes.num_layers,
                                                    .num_heads = sizes.num_heads,
                                                    .num_hiddens = sizes.num_hiddens});
  options.bias = options.norm_bias = config.flag("bias", true);
  return options;
}

bool is_mingpt_type(std::string_view model_type) noexcept {
  return model_type != "gpt2" && mingpt_type(model_type) != nullptr;
}

bool is_mingpt_config(const PretrainedConfig& config) noexcept {
  return config.has("block_size") && config.has("attn_pdrop") && !config.has("n_positions");
}

TransformerOptions llama_options(PretrainedConfig& config) {
  TransformerOptions options = llama_like_options(
      config, {.vocabulary_size = 32000, .ffn_hiddens = 11008, .max_length = 2048});
  options.bias = config.flag("attention_bias", false);
  options.ffn_bias = config.flag("mlp_bias", false);
  return options;
}

TransformerOptions mistral_options(PretrainedConfig& config) {
  TransformerOptions options = llama_like_options(
      config, {.vocabulary_size = 32000, .ffn_hiddens = 14336, .max_length = 131072});
  options.window = window_of(config);
  return options;
}

TransformerOptions qwen2_options(PretrainedConfig& config) {
  TransformerOptions options = llama_like_options(
      config, {.vocabulary_size = 151936, .ffn_hiddens = 22016, .max_length = 32768});
  options.qkv_bias = true;
  read_qwen_windows(config, options);
  return options;
}

TransformerOptions qwen3_options(PretrainedConfig& config) {
  TransformerOptions options = llama_like_options(
      config,
      {.vocabulary_size = 151936, .ffn_hiddens = 22016, .max_length = 32768, .head_size = 128});
  options.bias = config.flag("attention_bias", false);
  options.qk_norm = true;
  read_qwen_windows(config, options);
  return options;
}

TransformerOptions gemma_options(PretrainedConfig& config) {
  TransformerOptions options = gemma_like_options(config, gemma_defaults);
  read_gemma_activation(config, options);
  return options;
}

TransformerOptions gemma2_options(PretrainedConfig& config) {
  LlamaDefaults defaults = gemma_defaults;
  defaults.ffn_hiddens = 9216;
  defaults.num_hiddens = 2304;
  defaults.num_layers = 26;
  TransformerOptions options = gemma_like_options(config, defaults);
  options.post_norms = true;
  options.scale = 1 / std::sqrt(number_above(config, "query_pre_attn_scalar", 0, 256));
  options.softcap = cap_of(config, "attn_logit_softcapping", 50);
  options.logits_softcap = cap_of(config, "final_logit_softcapping", 30);
  LayerKinds sliding = sliding_layers(config, options.num_layers);
  if (!config.has("layer_types")) {
    sliding = layers_that(config, "num_hidden_layers", options.num_layers,
                          [](std::int64_t layer) { return layer % 2 == 0; });
  }
  if (const std::optional<Window> window = window_of(config); window) {
    set_windows(sliding, *window, options);
  }
  return options;
}

TransformerOptions gpt_neo_options(PretrainedConfig& config) {
  TransformerOptions options;
  options.vocabulary_size = config.size("vocab_size", 50257);
  options.max_length = config.size("max_position_embeddings", 2048);
  options.num_hiddens = config.size("hidden_size", 2048);
  options.num_layers = config.size("num_layers", 24);
  options.num_heads = heads_of(config, "num_heads", "hidden_size", options.num_hiddens);
  options.ffn_hiddens = config.optional_size("intermediate_size");
  options.activation = activation_of(config, "activation_function", "gelu_new");
  options.norm_epsilon = epsilon_of(config, "layer_norm_epsilon", 1e-5);
  options.tied_embeddings = config.flag("tie_word_embeddings", true);
  options.qkv_bias = false;
  options.scale = 1;
  const Window window{.left = config.size("window_size", 256) - 1, .right = std::nullopt};
  set_windows(local_layers(config, options.num_layers), window, options);
  return options;
}

TransformerOptions gpt_neox_options(PretrainedConfig& config) {
  TransformerOptions options;
  options.vocabulary_size = config.size("vocab_size", 50432);
  options.max_length = config.size("max_position_embeddings", 2048);
  options.num_hiddens = config.size("hidden_size", 6144);
  options.num_layers = config.size("num_hidden_layers", 44);
  options.num_heads = heads_of(config, "num_attention_heads", "hidden_size", options.num_hiddens);
  options.ffn_hiddens = config.size("intermediate_size", 24576);
  options.activation = activation_of(config, "hidden_act", "gelu");
  options.norm_epsilon = epsilon_of(config, "layer_norm_eps", 1e-5);
  options.parallel_residual = config.flag("use_parallel_residual", true);
  options.tied_embeddings = config.flag("tie_word_embeddings", false);
  options.positions = Positions::rotary;
  options.bias = config.flag("attention_bias", true);
  options.ffn_bias = true;
  read_rotary(config, options,
              {.base = "rotary_emb_base", .share = "rotary_pct", .default_share = 0.25});
  return options;
}

TransformerOptions bert_options(PretrainedConfig& config) {
  return bert_options_for(config, 30522);
}

/// The positions of a row of tokens begin behind the padding's.
TransformerOptions roberta_options(PretrainedConfig& config) {
  TransformerOptions options =
      bert_options_for(config, config.text("model_type", "") == "roberta" ? 50265 : 30522);
  const double padding = config.number("pad_token_id", 1);
  if (!(padding >= 0 && padding < static_cast<double>(options.max_length - 1)) ||
      padding != std::floor(padding)) {
    config.reject("pad_token_id", "an integer from 0 to below max_position_embeddings - 1");
    return options;
  }
  options.position_offset = static_cast<std::int64_t>(padding) + 1;
  if (options.position_offset <= options.vocabulary_size) {
    options.padding_token = options.position_offset - 1;
  }
  options.max_length -= options.position_offset;
  return options;
}

TransformerOptions distilbert_options(PretrainedConfig& config) {
  TransformerOptions options = bert_like_options(config);
  options.vocabulary_size = config.size("vocab_size", 30522);
  options.max_length = config.size("max_position_embeddings", 512);
  options.num_hiddens = config.size("dim", 768);
  options.num_layers = config.size("n_layers", 6);
  options.num_heads = heads_of(config, "n_heads", "dim", options.num_hiddens);
  options.ffn_hiddens = config.size("hidden_dim", 3072);
  options.activation = activation_of(config, "activation", "gelu");
  return options;
}

TransformerOptions vit_options(PretrainedConfig& config) {
  TransformerOptions options;
  options.num_hiddens = config.size("hidden_size", 768);
  options.num_layers = config.size("num_hidden_layers", 12);
  options.num_heads = heads_of(config, "num_attention_heads", "hidden_size", options.num_hiddens);
  options.ffn_hiddens = config.size("intermediate_size", 3072);
  options.activation = activation_of(config, "hidden_act", "gelu");
  options.norm_epsilon = epsilon_of(config, "layer_norm_eps", 1e-12);
  options.qkv_bias = config.flag("qkv_bias", true);
  options.causal = false;
  const std::int64_t image = config.side_of_square("image_size", 224);
  const std::int64_t patch = config.side_of_square("patch_size", 16);
  constexpr std::int64_t max_patches_of_side = 46340;  // whose square is below 2^31
  if (config.problems().empty() && (image % patch != 0 || image / patch > max_patches_of_side)) {
    config.reject("image_size", "a multiple of patch_size, at most 46340 times as large");
  }
  options.patches = PatchOptions{.image_size = image,
                                 .patch_size = patch,
                                 .channels = config.size("num_channels", 3),
                                 .class_token = true};
  return options;
}

TransformerOptions bart_options(PretrainedConfig& config) {
  TransformerOptions options = bart_like_options(config, 50265);
  options.max_length = config.size("max_position_embeddings", 1024);
  options.embedding_norm = config.flag("normalize_embedding", true);
  options.position_offset = 2;
  config.require_off("static_position_embeddings");
  if (config.number("extra_pos_embeddings", 2) != 2) {
    config.reject("extra_pos_embeddings", "2");
  }
  return options;
}

TransformerOptions marian_options(PretrainedConfig& config) {
  TransformerOptions options = bart_like_options(config, 58101);
  options.max_length = config.optional_size("max_position_embeddings").value_or(1024);
  // No tensor limits the sines that are computed for them.
  if (constexpr std::int64_t max_length = 1048576; options.max_length > max_length) {
    config.reject("max_position_embeddings", "at most 1048576");
  }
  options.positions = Positions::sinusoidal_halves;
  options.embedding_norm = config.flag("normalize_embedding", false);
  if (!config.flag("share_encoder_decoder_embeddings", true)) {
    config.reject("share_encoder_decoder_embeddings", "true");
  }
  if (config.optional_size("decoder_vocab_size").value_or(options.vocabulary_size) !=
      options.vocabulary_size) {
    config.reject("decoder_vocab_size", "the same as vocab_size");
  }
  return options;
}

}  // namespace headwise
