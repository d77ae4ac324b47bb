#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/io/message.hpp>
#include <headwise/core/models/pretrained/families.hpp>
#include <span>
#include <utility>

namespace headwise {
namespace {

using Name = PretrainedName;

constexpr std::array gpt2_names = {
    Name{.parameter = "embedding.", .tensor = "wte."},
    Name{.parameter = "position.", .tensor = "wpe."},
    Name{.parameter = "layers.#.norm.", .tensor = "h.#.ln_1."},
    Name{.parameter = "layers.#.ffn_norm.", .tensor = "h.#.ln_2."},
    Name{.parameter = "layers.#.attention.W_q.", .tensor = "h.#.attn.c_attn.", .transposed = true},
    Name{.parameter = "layers.#.attention.W_k.", .tensor = "h.#.attn.c_attn.", .transposed = true},
    Name{.parameter = "layers.#.attention.W_v.", .tensor = "h.#.attn.c_attn.", .transposed = true},
    Name{.parameter = "layers.#.attention.W_o.", .tensor = "h.#.attn.c_proj.", .transposed = true},
    Name{.parameter = "layers.#.ffn.dense1.", .tensor = "h.#.mlp.c_fc.", .transposed = true},
    Name{.parameter = "layers.#.ffn.dense2.", .tensor = "h.#.mlp.c_proj.", .transposed = true},
    Name{.parameter = "norm.", .tensor = "ln_f."},
    Name{.parameter = "unembedding.", .tensor = "lm_head."}};

constexpr auto nanogpt_names = [] {
  auto names = gpt2_names;
  for (Name& name : names) {
    name.transposed = false;
  }
  return names;
}();

constexpr std::array llama_names = {
    Name{.parameter = "embedding.", .tensor = "embed_tokens."},
    Name{.parameter = "layers.#.norm.", .tensor = "layers.#.input_layernorm."},
    Name{.parameter = "layers.#.ffn_norm.", .tensor = "layers.#.post_attention_layernorm."},
    Name{.parameter = "layers.#.attention.W_q.", .tensor = "layers.#.self_attn.q_proj."},
    Name{.parameter = "layers.#.attention.W_k.", .tensor = "layers.#.self_attn.k_proj."},
    Name{.parameter = "layers.#.attention.W_v.", .tensor = "layers.#.self_attn.v_proj."},
    Name{.parameter = "layers.#.attention.W_o.", .tensor = "layers.#.self_attn.o_proj."},
    Name{.parameter = "layers.#.ffn.gate.", .tensor = "layers.#.mlp.gate_proj."},
    Name{.parameter = "layers.#.ffn.dense1.", .tensor = "layers.#.mlp.up_proj."},
    Name{.parameter = "layers.#.ffn.dense2.", .tensor = "layers.#.mlp.down_proj."},
    Name{.parameter = "norm.", .tensor = "norm."},
    Name{.parameter = "unembedding.", .tensor = "lm_head."}};

constexpr std::array bert_names = {
    Name{.parameter = "embedding.", .tensor = "embeddings.word_embeddings."},
    Name{.parameter = "position.", .tensor = "embeddings.position_embeddings."},
    Name{.parameter = "segment.", .tensor = "embeddings.token_type_embeddings."},
    Name{.parameter = "embedding_norm.", .tensor = "embeddings.LayerNorm."},
    Name{.parameter = "layers.#.norm.", .tensor = "encoder.layer.#.attention.output.LayerNorm."},
    Name{.parameter = "layers.#.ffn_norm.", .tensor = "encoder.layer.#.output.LayerNorm."},
    Name{.parameter = "layers.#.attention.W_q.", .tensor = "encoder.layer.#.attention.self.query."},
    Name{.parameter = "layers.#.attention.W_k.", .tensor = "encoder.layer.#.attention.self.key."},
    Name{.parameter = "layers.#.attention.W_v.", .tensor = "encoder.layer.#.attention.self.value."},
    Name{.parameter = "layers.#.attention.W_o.",
         .tensor = "encoder.layer.#.attention.output.dense."},
    Name{.parameter = "layers.#.ffn.dense1.", .tensor = "encoder.layer.#.intermediate.dense."},
    Name{.parameter = "layers.#.ffn.dense2.", .tensor = "encoder.layer.#.output.dense."}};

constexpr std::array distilbert_names = {
    Name{.parameter = "embedding.", .tensor = "embeddings.word_embeddings."},
    Name{.parameter = "position.", .tensor = "embeddings.position_embeddings."},
    Name{.parameter = "embedding_norm.", .tensor = "embeddings.LayerNorm."},
    Name{.parameter = "layers.#.norm.", .tensor = "transformer.layer.#.sa_layer_norm."},
    Name{.parameter = "layers.#.ffn_norm.", .tensor = "transformer.layer.#.output_layer_norm."},
    Name{.parameter = "layers.#.attention.W_q.", .tensor = "transformer.layer.#.attention.q_lin."},
    Name{.parameter = "layers.#.attention.W_k.", .tensor = "transformer.layer.#.attention.k_lin."},
    Name{.parameter = "layers.#.attention.W_v.", .tensor = "transformer.layer.#.attention.v_lin."},
    Name{.parameter = "layers.#.attention.W_o.",
         .tensor = "transformer.layer.#.attention.out_lin."},
    Name{.parameter = "layers.#.ffn.dense1.", .tensor = "transformer.layer.#.ffn.lin1."},
    Name{.parameter = "layers.#.ffn.dense2.", .tensor = "transformer.layer.#.ffn.lin2."}};

constexpr std::array vit_names = {
    Name{.parameter = "patches.", .tensor = "embeddings.patch_embeddings.projection."},
    Name{.parameter = "class_token", .tensor = "embeddings.cls_token"},
    Name{.parameter = "position.weight", .tensor = "embeddings.position_embeddings"},
    Name{.parameter = "layers.#.norm.", .tensor = "encoder.layer.#.layernorm_before."},
    Name{.parameter = "layers.#.ffn_norm.", .tensor = "encoder.layer.#.layernorm_after."},
    Name{.parameter = "layers.#.attention.W_q.",
         .tensor = "encoder.layer.#.attention.attention.query."},
    Name{.parameter = "layers.#.attention.W_k.",
         .tensor = "encoder.layer.#.attention.attention.key."},
    Name{.parameter = "layers.#.attention.W_v.",
         .tensor = "encoder.layer.#.attention.attention.value."},
    Name{.parameter = "layers.#.attention.W_o.",
         .tensor = "encoder.layer.#.attention.output.dense."},
    Name{.parameter = "layers.#.ffn.dense1.", .tensor = "encoder.layer.#.intermediate.dense."},
    Name{.parameter = "layers.#.ffn.dense2.", .tensor = "encoder.layer.#.output.dense."},
    Name{.parameter = "norm.", .tensor = "layernorm."}};

constexpr std::array bart_names = {
    Name{.parameter = "embedding.", .tensor = "shared."},
    Name{.parameter = "position.", .tensor = "decoder.embed_positions."},
    Name{.parameter = "embedding_norm.", .tensor = "decoder.layernorm_embedding."},
    Name{.parameter = "layers.#.norm.", .tensor = "decoder.layers.#.self_attn_layer_norm."},
    Name{.parameter = "layers.#.cross_norm.",
         .tensor = "decoder.layers.#.encoder_attn_layer_norm."},
    Name{.parameter = "layers.#.ffn_norm.", .tensor = "decoder.layers.#.final_layer_norm."},
    Name{.parameter = "layers.#.attention.W_q.", .tensor = "decoder.layers.#.self_attn.q_proj."},
    Name{.parameter = "layers.#.attention.W_k.", .tensor = "decoder.layers.#.self_attn.k_proj."},
    Name{.parameter = "layers.#.attention.W_v.", .tensor = "decoder.layers.#.self_attn.v_proj."},
    Name{.parameter = "layers.#.attention.W_o.", .tensor = "decoder.layers.#.self_attn.out_proj."},
    Name{.parameter = "layers.#.cross_attention.W_q.",
         .tensor = "decoder.layers.#.encoder_attn.q_proj."},
    Name{.parameter = "layers.#.cross_attention.W_k.",
         .tensor = "decoder.layers.#.encoder_attn.k_proj."},
    Name{.parameter = "layers.#.cross_attention.W_v.",
         .tensor = "decoder.layers.#.encoder_attn.v_proj."},
    Name{.parameter = "layers.#.cross_attention.W_o.",
         .tensor = "decoder.layers.#.encoder_attn.out_proj."},
    Name{.parameter = "layers.#.ffn.dense1.", .tensor = "decoder.layers.#.fc1."},
    Name{.parameter = "layers.#.ffn.dense2.", .tensor = "decoder.layers.#.fc2."},
    Name{.parameter = "encoder.position.", .tensor = "encoder.embed_positions."},
    Name{.parameter = "encoder.embedding_norm.", .tensor = "encoder.layernorm_embedding."},
    Name{.parameter = "encoder.layers.#.norm.", .tensor = "encoder.layers.#.self_attn_layer_norm."},
    Name{.parameter = "encoder.layers.#.ffn_norm.", .tensor = "encoder.layers.#.final_layer_norm."},
    Name{.parameter = "encoder.layers.#.attention.W_q.",
         .tensor = "encoder.layers.#.self_attn.q_proj."},
    Name{.parameter = "encoder.layers.#.attention.W_k.",
         .tensor = "encoder.layers.#.self_attn.k_proj."},
    Name{.parameter = "encoder.layers.#.attention.W_v.",
         .tensor = "encoder.layers.#.self_attn.v_proj."},
    Name{.parameter = "encoder.layers.#.attention.W_o.",
         .tensor = "encoder.layers.#.self_attn.out_proj."},
    Name{.parameter = "encoder.layers.#.ffn.dense1.", .tensor = "encoder.layers.#.fc1."},
    Name{.parameter = "encoder.layers.#.ffn.dense2.", .tensor = "encoder.layers.#.fc2."},
    Name{.parameter = "unembedding.bias", .tensor = "final_logits_bias"},
    Name{.parameter = "unembedding.weight", .tensor = "lm_head.weight"}};

constexpr std::array<std::string_view, 1> transformer_prefix = {"transformer."};
constexpr std::array<std::string_view, 1> model_prefix = {"model."};
constexpr std::array<std::string_view, 2> bert_prefixes = {"bert.", "roberta."};
constexpr std::array<std::string_view, 1> distilbert_prefixes = {"distilbert."};
constexpr std::array<std::string_view, 1> vit_prefixes = {"vit."};

constexpr std::array<std::string_view, 2> gpt2_ignored = {"score.", "classifier."};
constexpr std::array<std::string_view, 3> llama_ignored = {"score.", "qa_outputs.", "classifier."};
constexpr std::array<std::string_view, 9> encoder_ignored = {
    "pooler.",     "cls.",   "lm_head.",        "classifier.",
    "qa_outputs.", "vocab_", "pre_classifier.", "embeddings.mask_token",
    "decoder."};
constexpr std::array<std::string_view, 2> bart_ignored = {"classification_head.", "qa_outputs."};
constexpr std::array<std::string_view, 2> marian_ignored = {"encoder.embed_positions.",
                                                            "decoder.embed_positions."};

constexpr std::array<std::string_view, 1> lm_head = {"lm_head.weight"};
constexpr std::array<std::string_view, 3> bart_tied = {
    "lm_head.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"};

Activation activation_of(PretrainedConfig& config, std::string_view name,
                         std::string_view otherwise) {
  constexpr std::array<std::pair<std::string_view, Activation>, 8> words = {
      {{"relu", Activation::relu},
       {"gelu", Activation::gelu},
       {"gelu_python", Activation::gelu},
       {"gelu_new", Activation::gelu_tanh},
       {"gelu_pytorch_tanh", Activation::gelu_tanh},
       {"gelu_fast", Activation::gelu_tanh},
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

TransformerOptions gpt2_options(PretrainedConfig& config) {
  TransformerOptions options;
  options.vocabulary_size = config.size("vocab_size");
  options.max_length =
      config.has("n_positions") ? config.size("n_positions") : config.size("block_size");
  options.num_hiddens = config.size("n_embd");
  options.num_layers = config.size("n_layer");
  options.num_heads = config.size("n_head");
  options.ffn_hiddens = config.optional_size("n_inner");
  options.activation = activation_of(config, "activation_function", "gelu_new");
  options.norm_epsilon = config.number("layer_norm_epsilon", 1e-5);
  options.tied_embeddings = config.flag("tie_word_embeddings", true);
  if (!config.flag("scale_attn_weights", true)) {
    options.scale = 1;
  }
  config.require_off("scale_attn_by_inverse_layer_idx");
  config.require_off("add_cross_attention");
  return options;
}

TransformerOptions nanogpt_options(PretrainedConfig& config) {
  TransformerOptions options = gpt2_options(config);
  if (!config.has("activation_function")) {
    options.activation = Activation::gelu;
  }
  options.bias = options.norm_bias = config.flag("bias", true);
  return options;
}

double rope_base(PretrainedConfig& config, double otherwise) {
  return config.number("rope_theta", config.number("rope_parameters.rope_theta", otherwise));
}

/// Which of its kinds all layers' attention is; empty if the config does not list them.
std::string_view kind_of_layers(PretrainedConfig& config) {
  const std::string_view first = config.text("layer_types.0", "");
  const auto name_of = [](std::size_t layer) {
    std::string name = "layer_types.";
    io::append_decimal(name, layer);
    return name;
  };
  for (std::size_t layer = 0; config.has(name_of(layer)); ++layer) {
    const std::string name = name_of(layer);
    config.require_text(name, {"full_attention", "sliding_attention"});
    if (config.text(name, "") != first) {
      config.reject(name, "the same as layer_types.0");
    }
  }
  return first;
}

/// What Llama, Mistral and Qwen2 share.
TransformerOptions llama_like_options(PretrainedConfig& config) {
  TransformerOptions options;
  options.vocabulary_size = config.size("vocab_size");
  options.max_length = config.size("max_position_embeddings", 2048);
  options.num_hiddens = config.size("hidden_size");
  options.num_layers = config.size("num_hidden_layers");
  options.num_heads = config.size("num_attention_heads");
  options.num_kv_heads = config.optional_size("num_key_value_heads");
  options.head_size = config.optional_size("head_dim");
  options.ffn_hiddens = config.size("intermediate_size");
  options.activation = activation_of(config, "hidden_act", "silu");
  options.gated = true;
  options.norm = Norm::rms;
  options.norm_epsilon = config.number("rms_norm_eps", 1e-6);
  options.positions = Positions::rotary;
  options.rotary.base = rope_base(config, 10000);
  options.bias = false;
  options.tied_embeddings = config.flag("tie_word_embeddings", false);
  for (const std::string_view name : {"rope_scaling", "rope_parameters"}) {
    if (config.has(name)) {
      const std::string type = std::string(name) + ".type";
      const std::string rope_type = std::string(name) + ".rope_type";
      config.require_text(config.has(type) ? type : rope_type, {"default"});
      if (config.find(name) != nullptr) {
        config.reject(name, "an object");
      }
    }
  }
  if (config.number("partial_rotary_factor", 1) != 1) {
    config.reject("partial_rotary_factor", "1");
  }
  return options;
}

TransformerOptions llama_options(PretrainedConfig& config) {
  TransformerOptions options = llama_like_options(config);
  options.bias = config.flag("attention_bias", false);
  if (config.flag("mlp_bias", false) != options.bias) {
    config.reject("mlp_bias", "the same as attention_bias");
  }
  return options;
}

TransformerOptions mistral_options(PretrainedConfig& config) {
  TransformerOptions options = llama_like_options(config);
  if (const auto keys = config.optional_size("sliding_window"); keys.has_value()) {
    options.window = Window{.left = *keys - 1, .right = std::nullopt};
  }
  return options;
}

TransformerOptions qwen2_options(PretrainedConfig& config) {
  TransformerOptions options = llama_like_options(config);
  options.qkv_bias = true;
  const auto keys = config.optional_size("sliding_window");
  const std::string_view kind = kind_of_layers(config);
  if (!config.flag("use_sliding_window", false) || !keys.has_value()) {
    return options;
  }
  const double full = config.number("max_window_layers", 28);
  if (kind.empty() ? full <= 0 : kind == "sliding_attention") {
    options.window = Window{.left = *keys - 1, .right = std::nullopt};
  } else if (kind.empty() && full < static_cast<double>(options.num_layers)) {
    config.reject("max_window_layers", "0 or at least num_hidden_layers, all layers alike");
  }
  return options;
}

/// What BERT, RoBERTa and DistilBERT share.
TransformerOptions bert_like_options() {
  TransformerOptions options;
  options.norm_first = false;
  options.embedding_norm = true;
  options.norm_epsilon = 1e-12;
  options.causal = false;
  options.head = false;
  return options;
}

TransformerOptions bert_options(PretrainedConfig& config) {
  TransformerOptions options = bert_like_options();
  options.vocabulary_size = config.size("vocab_size");
  options.max_length = config.size("max_position_embeddings");
  options.num_hiddens = config.size("hidden_size");
  options.num_layers = config.size("num_hidden_layers");
  options.num_heads = config.size("num_attention_heads");
  options.ffn_hiddens = config.size("intermediate_size");
  options.activation = activation_of(config, "hidden_act", "gelu");
  options.norm_epsilon = config.number("layer_norm_eps", 1e-12);
  options.segments = config.size("type_vocab_size", 2);
  config.require_text("position_embedding_type", {"absolute"});
  config.require_off("is_decoder");
  config.require_off("add_cross_attention");
  return options;
}

/// The positions of a row of tokens begin behind the padding's.
TransformerOptions roberta_options(PretrainedConfig& config) {
  TransformerOptions options = bert_options(config);
  const double padding = config.number("pad_token_id", 1);
  if (!(padding >= 0 && padding < static_cast<double>(options.max_length - 1)) ||
      padding != std::floor(padding)) {
    config.reject("pad_token_id", "an integer from 0 to below max_position_embeddings - 1");
    return options;
  }
  options.position_offset = static_cast<std::int64_t>(padding) + 1;
  options.max_length -= options.position_offset;
  return options;
}

TransformerOptions distilbert_options(PretrainedConfig& config) {
  TransformerOptions options = bert_like_options();
  options.vocabulary_size = config.size("vocab_size");
  options.max_length = config.size("max_position_embeddings");
  options.num_hiddens = config.size("dim");
  options.num_layers = config.size("n_layers");
  options.num_heads = config.size("n_heads");
  options.ffn_hiddens = config.size("hidden_dim");
  options.activation = activation_of(config, "activation", "gelu");
  return options;
}

TransformerOptions vit_options(PretrainedConfig& config) {
  TransformerOptions options;
  options.num_hiddens = config.size("hidden_size");
  options.num_layers = config.size("num_hidden_layers");
  options.num_heads = config.size("num_attention_heads");
  options.ffn_hiddens = config.size("intermediate_size");
  options.activation = activation_of(config, "hidden_act", "gelu");
  options.norm_epsilon = config.number("layer_norm_eps", 1e-12);
  options.qkv_bias = config.flag("qkv_bias", true);
  options.causal = false;
  options.patches = PatchOptions{.image_size = config.size("image_size", 224),
                                 .patch_size = config.size("patch_size", 16),
                                 .channels = config.size("num_channels", 3),
                                 .class_token = true};
  return options;
}

/// What BART and Marian share.
TransformerOptions bart_like_options(PretrainedConfig& config) {
  TransformerOptions options;
  options.vocabulary_size = config.size("vocab_size");
  options.max_length = config.size("max_position_embeddings", 1024);
  options.num_hiddens = config.size("d_model");
  options.num_layers = config.size("decoder_layers");
  options.num_heads = config.size("decoder_attention_heads");
  options.ffn_hiddens = config.size("decoder_ffn_dim");
  options.norm_first = config.flag("normalize_before", false);
  options.final_norm = config.flag("add_final_layer_norm", options.norm_first);
  options.encoder = EncoderOptions{.num_layers = config.size("encoder_layers"),
                                   .num_heads = config.size("encoder_attention_heads"),
                                   .ffn_hiddens = config.size("encoder_ffn_dim")};
  options.logits_bias = true;
  options.tied_embeddings = config.flag("tie_word_embeddings", true);
  if (config.flag("scale_embedding", false)) {
    options.embedding_scale = std::sqrt(static_cast<double>(options.num_hiddens));
  }
  return options;
}

TransformerOptions bart_options(PretrainedConfig& config) {
  TransformerOptions options = bart_like_options(config);
  options.activation = activation_of(config, "activation_function", "gelu");
  options.embedding_norm = config.flag("normalize_embedding", true);
  options.position_offset = 2;
  return options;
}

TransformerOptions marian_options(PretrainedConfig& config) {
  TransformerOptions options = bart_like_options(config);
  options.activation = activation_of(config, "activation_function", "gelu");
  options.positions = Positions::sinusoidal_halves;
  options.embedding_norm = config.flag("normalize_embedding", false);
  if (!config.flag("share_encoder_decoder_embeddings", true)) {
    config.reject("share_encoder_decoder_embeddings", "true");
  }
  return options;
}

constexpr PretrainedFamily gpt2 = {.names = gpt2_names,
                                   .prefixes = transformer_prefix,
                                   .ignored = gpt2_ignored,
                                   .tied = lm_head,
                                   .options = gpt2_options};
constexpr PretrainedFamily nanogpt = {.names = nanogpt_names,
                                      .prefixes = transformer_prefix,
                                      .ignored = gpt2_ignored,
                                      .tied = lm_head,
                                      .options = nanogpt_options};

constexpr PretrainedFamily llama_like(TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = llama_names,
          .prefixes = model_prefix,
          .ignored = llama_ignored,
          .tied = lm_head,
          .options = options};
}

constexpr PretrainedFamily encoder_only(std::span<const PretrainedName> names,
                                        std::span<const std::string_view> prefixes,
                                        TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = names,
          .prefixes = prefixes,
          .ignored = encoder_ignored,
          .tied = {},
          .options = options};
}

constexpr PretrainedFamily bart_like(std::span<const std::string_view> ignored,
                                     TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = bart_names,
          .prefixes = model_prefix,
          .ignored = ignored,
          .tied = bart_tied,
          .options = options};
}

constexpr std::array<std::pair<std::string_view, PretrainedFamily>, 11> families = {
    {{"gpt2", gpt2},
     {"nanogpt", nanogpt},
     {"llama", llama_like(llama_options)},
     {"mistral", llama_like(mistral_options)},
     {"qwen2", llama_like(qwen2_options)},
     {"bert", encoder_only(bert_names, bert_prefixes, bert_options)},
     {"roberta", encoder_only(bert_names, bert_prefixes, roberta_options)},
     {"distilbert", encoder_only(distilbert_names, distilbert_prefixes, distilbert_options)},
     {"vit", encoder_only(vit_names, vit_prefixes, vit_options)},
     {"bart", bart_like(bart_ignored, bart_options)},
     {"marian", bart_like(marian_ignored, marian_options)}}};

const std::pair<std::string_view, PretrainedFamily>* find(std::string_view type) noexcept {
  return std::find_if(families.begin(), families.end(),
                      [&](const auto& family) { return family.first == type; });
}

}  // namespace

const PretrainedFamily* find_family(PretrainedConfig& config) {
  const std::string_view type = config.text("model_type", "");
  if (const auto* family = find(type); family != families.end()) {
    return &family->second;
  }
  std::string expected;
  for (const auto& [name, of_name] : families) {
    expected += (expected.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  config.reject("model_type", "one of " + expected);
  return nullptr;
}

std::string_view without_prefixes(const PretrainedFamily& family, std::string_view name) noexcept {
  const auto remove = [&](std::string_view prefix) {
    const bool has_prefix = name.starts_with(prefix);
    name.remove_prefix(has_prefix ? prefix.size() : 0);
    return has_prefix;
  };
  while (remove("module.") || remove("_orig_mod.")) {
  }
  for (const std::string_view prefix : family.prefixes) {
    if (remove(prefix)) {
      break;
    }
  }
  return name;
}

const PretrainedFamily* with_layout_of(const PretrainedFamily* family,
                                       std::span<const io::NamedTensor> tensors) {
  if (family->options != gpt2_options && family->options != nanogpt_options) {
    return family;
  }
  const auto matrix = [&](std::string_view name) -> std::span<const std::size_t> {
    const auto tensor = std::ranges::find_if(tensors, [&](const io::NamedTensor& each) {
      return each.shape.size() == 2 && without_prefixes(*family, each.name) == name;
    });
    return tensor != tensors.end() ? tensor->shape : std::span<const std::size_t>();
  };
  const auto embedding = matrix("wte.weight");
  const auto projection = matrix("h.0.attn.c_attn.weight");
  // Where heads were removed, those of a layer may be smaller together than the embeddings.
  for (const auto weight : {matrix("h.0.mlp.c_fc.weight"), projection}) {
    if (!embedding.empty() && !weight.empty() &&
        (weight[0] == embedding[1]) != (weight[1] == embedding[1])) {
      return &find(weight[0] == embedding[1] ? "gpt2" : "nanogpt")->second;
    }
  }
  if (!projection.empty()) {
    return &find(projection[0] < projection[1] ? "gpt2" : "nanogpt")->second;
  }
  return family;
}

}  // namespace headwise
