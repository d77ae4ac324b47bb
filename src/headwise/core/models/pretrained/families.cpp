#include <algorithm>
#include <array>
#include <cmath>
#include <headwise/core/io/message.hpp>
#include <headwise/core/io/words.hpp>
#include <headwise/core/models/pretrained/families.hpp>
#include <span>
#include <utility>

namespace headwise {
namespace {

// Pairs of words, with one space between: what the parameters are called in `state_dict`, and in
// the checkpoint. A text takes less room than a table of views.

constexpr std::string_view gpt2_names =
    "embedding. wte. "
    "position. wpe. "
    "layers.#.norm. h.#.ln_1. "
    "layers.#.ffn_norm. h.#.ln_2. "
    "layers.#.attention.W_q. h.#.attn.c_attn. "
    "layers.#.attention.W_k. h.#.attn.c_attn. "
    "layers.#.attention.W_v. h.#.attn.c_attn. "
    "layers.#.attention.W_o. h.#.attn.c_proj. "
    "layers.#.ffn.dense1. h.#.mlp.c_fc. "
    "layers.#.ffn.dense2. h.#.mlp.c_proj. "
    "norm. ln_f. "
    "unembedding. lm_head.";

constexpr std::string_view llama_names =
    "embedding. embed_tokens. "
    "layers.#.norm. layers.#.input_layernorm. "
    "layers.#.ffn_norm. layers.#.post_attention_layernorm. "
    "layers.#.attention.W_q. layers.#.self_attn.q_proj. "
    "layers.#.attention.W_k. layers.#.self_attn.k_proj. "
    "layers.#.attention.W_v. layers.#.self_attn.v_proj. "
    "layers.#.attention.W_o. layers.#.self_attn.o_proj. "
    "layers.#.ffn.gate. layers.#.mlp.gate_proj. "
    "layers.#.ffn.dense1. layers.#.mlp.up_proj. "
    "layers.#.ffn.dense2. layers.#.mlp.down_proj. "
    "norm. norm. "
    "unembedding. lm_head.";

constexpr std::string_view bert_names =
    "embedding. embeddings.word_embeddings. "
    "position. embeddings.position_embeddings. "
    "segment. embeddings.token_type_embeddings. "
    "embedding_norm. embeddings.LayerNorm. "
    "layers.#.norm. encoder.layer.#.attention.output.LayerNorm. "
    "layers.#.ffn_norm. encoder.layer.#.output.LayerNorm. "
    "layers.#.attention.W_q. encoder.layer.#.attention.self.query. "
    "layers.#.attention.W_k. encoder.layer.#.attention.self.key. "
    "layers.#.attention.W_v. encoder.layer.#.attention.self.value. "
    "layers.#.attention.W_o. encoder.layer.#.attention.output.dense. "
    "layers.#.ffn.dense1. encoder.layer.#.intermediate.dense. "
    "layers.#.ffn.dense2. encoder.layer.#.output.dense.";

constexpr std::string_view distilbert_names =
    "embedding. embeddings.word_embeddings. "
    "position. embeddings.position_embeddings. "
    "embedding_norm. embeddings.LayerNorm. "
    "layers.#.norm. transformer.layer.#.sa_layer_norm. "
    "layers.#.ffn_norm. transformer.layer.#.output_layer_norm. "
    "layers.#.attention.W_q. transformer.layer.#.attention.q_lin. "
    "layers.#.attention.W_k. transformer.layer.#.attention.k_lin. "
    "layers.#.attention.W_v. transformer.layer.#.attention.v_lin. "
    "layers.#.attention.W_o. transformer.layer.#.attention.out_lin. "
    "layers.#.ffn.dense1. transformer.layer.#.ffn.lin1. "
    "layers.#.ffn.dense2. transformer.layer.#.ffn.lin2.";

constexpr std::string_view vit_names =
    "patches. embeddings.patch_embeddings.projection. "
    "class_token embeddings.cls_token "
    "position.weight embeddings.position_embeddings "
    "layers.#.norm. encoder.layer.#.layernorm_before. "
    "layers.#.ffn_norm. encoder.layer.#.layernorm_after. "
    "layers.#.attention.W_q. encoder.layer.#.attention.attention.query. "
    "layers.#.attention.W_k. encoder.layer.#.attention.attention.key. "
    "layers.#.attention.W_v. encoder.layer.#.attention.attention.value. "
    "layers.#.attention.W_o. encoder.layer.#.attention.output.dense. "
    "layers.#.ffn.dense1. encoder.layer.#.intermediate.dense. "
    "layers.#.ffn.dense2. encoder.layer.#.output.dense. "
    "norm. layernorm.";

constexpr std::string_view bart_names =
    "embedding. shared. "
    "position. decoder.embed_positions. "
    "embedding_norm. decoder.layernorm_embedding. "
    "layers.#.norm. decoder.layers.#.self_attn_layer_norm. "
    "layers.#.cross_norm. decoder.layers.#.encoder_attn_layer_norm. "
    "layers.#.ffn_norm. decoder.layers.#.final_layer_norm. "
    "layers.#.attention.W_q. decoder.layers.#.self_attn.q_proj. "
    "layers.#.attention.W_k. decoder.layers.#.self_attn.k_proj. "
    "layers.#.attention.W_v. decoder.layers.#.self_attn.v_proj. "
    "layers.#.attention.W_o. decoder.layers.#.self_attn.out_proj. "
    "layers.#.cross_attention.W_q. decoder.layers.#.encoder_attn.q_proj. "
    "layers.#.cross_attention.W_k. decoder.layers.#.encoder_attn.k_proj. "
    "layers.#.cross_attention.W_v. decoder.layers.#.encoder_attn.v_proj. "
    "layers.#.cross_attention.W_o. decoder.layers.#.encoder_attn.out_proj. "
    "layers.#.ffn.dense1. decoder.layers.#.fc1. "
    "layers.#.ffn.dense2. decoder.layers.#.fc2. "
    "encoder.position. encoder.embed_positions. "
    "encoder.embedding_norm. encoder.layernorm_embedding. "
    "encoder.layers.#.norm. encoder.layers.#.self_attn_layer_norm. "
    "encoder.layers.#.ffn_norm. encoder.layers.#.final_layer_norm. "
    "encoder.layers.#.attention.W_q. encoder.layers.#.self_attn.q_proj. "
    "encoder.layers.#.attention.W_k. encoder.layers.#.self_attn.k_proj. "
    "encoder.layers.#.attention.W_v. encoder.layers.#.self_attn.v_proj. "
    "encoder.layers.#.attention.W_o. encoder.layers.#.self_attn.out_proj. "
    "encoder.layers.#.ffn.dense1. encoder.layers.#.fc1. "
    "encoder.layers.#.ffn.dense2. encoder.layers.#.fc2. "
    "unembedding.bias final_logits_bias "
    "unembedding.weight lm_head.weight";

constexpr std::string_view transformer_prefix = "transformer.";
constexpr std::string_view model_prefix = "model.";
constexpr std::string_view bert_prefixes = "bert. roberta.";
constexpr std::string_view distilbert_prefixes = "distilbert.";
constexpr std::string_view vit_prefixes = "vit.";

constexpr std::string_view gpt2_ignored = "score. classifier.";
constexpr std::string_view llama_ignored = "score. qa_outputs. classifier.";
constexpr std::string_view encoder_ignored =
    "pooler. cls. lm_head. classifier. qa_outputs. vocab_ pre_classifier. embeddings.mask_token "
    "decoder.";
constexpr std::string_view bart_ignored = "classification_head. qa_outputs.";
constexpr std::string_view marian_ignored = "encoder.embed_positions. decoder.embed_positions.";

constexpr std::string_view lm_head = "lm_head.weight";
constexpr std::string_view bart_tied =
    "lm_head.weight encoder.embed_tokens.weight decoder.embed_tokens.weight";

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
    name += io::Decimal(layer).text();
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

constexpr PretrainedFamily gpt2_like(bool transposed,
                                     TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = gpt2_names,
          .prefixes = transformer_prefix,
          .ignored = gpt2_ignored,
          .tied = lm_head,
          .options = options,
          .transposed = transposed};
}

constexpr PretrainedFamily llama_like(TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = llama_names,
          .prefixes = model_prefix,
          .ignored = llama_ignored,
          .tied = lm_head,
          .options = options};
}

constexpr PretrainedFamily encoder_only(std::string_view names, std::string_view prefixes,
                                        TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = names,
          .prefixes = prefixes,
          .ignored = encoder_ignored,
          .tied = {},
          .options = options};
}

constexpr PretrainedFamily bart_like(std::string_view ignored,
                                     TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = bart_names,
          .prefixes = model_prefix,
          .ignored = ignored,
          .tied = bart_tied,
          .options = options};
}

constexpr std::array<std::pair<std::string_view, PretrainedFamily>, 11> families = {
    {{"gpt2", gpt2_like(true, gpt2_options)},
     {"nanogpt", gpt2_like(false, nanogpt_options)},
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
  std::string expected = "one of ";
  std::string_view quote = "'";
  for (const auto& [name, of_name] : families) {
    expected.append(quote).append(name).append("'");
    quote = ", '";
  }
  config.reject("model_type", expected);
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
  for (std::string_view prefixes = family.prefixes; !prefixes.empty();) {
    if (remove(io::next_word(prefixes))) {
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
