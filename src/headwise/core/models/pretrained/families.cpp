#include <algorithm>
#include <array>
#include <headwise/core/models/pretrained/families.hpp>
#include <headwise/core/models/pretrained/family_options.hpp>
#include <headwise/core/models/pretrained/names.hpp>
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
    "layers.#.attention.q_norm. layers.#.self_attn.q_norm. "
    "layers.#.attention.k_norm. layers.#.self_attn.k_norm. "
    "layers.#.ffn.gate. layers.#.mlp.gate_proj. "
    "layers.#.ffn.dense1. layers.#.mlp.up_proj. "
    "layers.#.ffn.dense2. layers.#.mlp.down_proj. "
    "norm. norm. "
    "unembedding. lm_head.";

constexpr std::string_view gemma2_names =
    "embedding. embed_tokens. "
    "layers.#.norm. layers.#.input_layernorm. "
    "layers.#.post_norm. layers.#.post_attention_layernorm. "
    "layers.#.ffn_norm. layers.#.pre_feedforward_layernorm. "
    "layers.#.ffn_post_norm. layers.#.post_feedforward_layernorm. "
    "layers.#.attention.W_q. layers.#.self_attn.q_proj. "
    "layers.#.attention.W_k. layers.#.self_attn.k_proj. "
    "layers.#.attention.W_v. layers.#.self_attn.v_proj. "
    "layers.#.attention.W_o. layers.#.self_attn.o_proj. "
    "layers.#.ffn.gate. layers.#.mlp.gate_proj. "
    "layers.#.ffn.dense1. layers.#.mlp.up_proj. "
    "layers.#.ffn.dense2. layers.#.mlp.down_proj. "
    "norm. norm. "
    "unembedding. lm_head.";

constexpr std::string_view gpt_neo_names =
    "embedding. wte. "
    "position. wpe. "
    "layers.#.norm. h.#.ln_1. "
    "layers.#.ffn_norm. h.#.ln_2. "
    "layers.#.attention.W_q. h.#.attn.attention.q_proj. "
    "layers.#.attention.W_k. h.#.attn.attention.k_proj. "
    "layers.#.attention.W_v. h.#.attn.attention.v_proj. "
    "layers.#.attention.W_o. h.#.attn.attention.out_proj. "
    "layers.#.ffn.dense1. h.#.mlp.c_fc. "
    "layers.#.ffn.dense2. h.#.mlp.c_proj. "
    "norm. ln_f. "
    "unembedding. lm_head.";

constexpr std::string_view gpt_neox_names =
    "embedding. embed_in. "
    "layers.#.norm. layers.#.input_layernorm. "
    "layers.#.ffn_norm. layers.#.post_attention_layernorm. "
    "layers.#.attention.W_q. layers.#.attention.query_key_value. "
    "layers.#.attention.W_k. layers.#.attention.query_key_value. "
    "layers.#.attention.W_v. layers.#.attention.query_key_value. "
    "layers.#.attention.W_o. layers.#.attention.dense. "
    "layers.#.ffn.dense1. layers.#.mlp.dense_h_to_4h. "
    "layers.#.ffn.dense2. layers.#.mlp.dense_4h_to_h. "
    "norm. final_layer_norm. "
    "unembedding. embed_out.";

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

/// Those of Transformers 5.10, which saves files with the older names.
constexpr std::string_view newer_vit_names =
    "patches. embeddings.patch_embeddings.projection. "
    "class_token embeddings.cls_token "
    "position.weight embeddings.position_embeddings "
    "layers.#.norm. layers.#.layernorm_before. "
    "layers.#.ffn_norm. layers.#.layernorm_after. "
    "layers.#.attention.W_q. layers.#.attention.q_proj. "
    "layers.#.attention.W_k. layers.#.attention.k_proj. "
    "layers.#.attention.W_v. layers.#.attention.v_proj. "
    "layers.#.attention.W_o. layers.#.attention.o_proj. "
    "layers.#.ffn.dense1. layers.#.mlp.fc1. "
    "layers.#.ffn.dense2. layers.#.mlp.fc2. "
    "norm. layernorm.";

constexpr std::string_view bart_names =
    "embedding. shared. "
    "position. decoder.embed_positions. "
    "embedding_norm. decoder.layernorm_embedding. "
    "norm. decoder.layer_norm. "
    "encoder.norm. encoder.layer_norm. "
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
constexpr std::string_view gpt_neox_prefix = "gpt_neox.";
constexpr std::string_view model_prefix = "model.";
constexpr std::string_view bert_prefixes = "bert. roberta.";
constexpr std::string_view distilbert_prefixes = "distilbert.";
constexpr std::string_view vit_prefixes = "vit.";

constexpr std::string_view gpt2_ignored = "score. classifier. multiple_choice_head. qa_outputs.";
constexpr std::string_view llama_ignored = "score. qa_outputs. classifier.";
constexpr std::string_view encoder_ignored =
    "pooler. cls. lm_head. classifier. qa_outputs. vocab_ pre_classifier. embeddings.mask_token "
    "decoder. fit_dense linear.";
constexpr std::string_view bart_ignored = "classification_head. qa_outputs.";
constexpr std::string_view marian_ignored = "encoder.embed_positions. decoder.embed_positions.";

constexpr std::string_view lm_head = "lm_head.weight";
constexpr std::string_view embed_out = "embed_out.weight";
constexpr std::string_view encoder_heads =
    "cls.predictions.decoder.weight lm_head.decoder.weight vocab_projector.weight";
constexpr std::string_view bart_embeddings =
    "encoder.embed_tokens.weight decoder.embed_tokens.weight";

constexpr PretrainedFamily gpt2_like(bool transposed,
                                     TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = gpt2_names,
          .prefixes = transformer_prefix,
          .ignored = gpt2_ignored,
          .input_embeddings = {},
          .heads = lm_head,
          .logits_bias = {},
          .options = options,
          .transposed = transposed};
}

constexpr PretrainedFamily llama_like(TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = llama_names,
          .prefixes = model_prefix,
          .ignored = llama_ignored,
          .input_embeddings = {},
          .heads = lm_head,
          .logits_bias = {},
          .options = options};
}

constexpr PretrainedFamily gpt_neo_like(std::string_view names, std::string_view prefixes,
                                        std::string_view heads, bool by_head,
                                        TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = names,
          .prefixes = prefixes,
          .ignored = gpt2_ignored,
          .input_embeddings = {},
          .heads = heads,
          .logits_bias = {},
          .options = options,
          .by_head = by_head};
}

/// Norms multiply by 1 + weight.
constexpr PretrainedFamily gemma_like(std::string_view names,
                                      TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = names,
          .prefixes = model_prefix,
          .ignored = llama_ignored,
          .input_embeddings = {},
          .heads = lm_head,
          .logits_bias = {},
          .options = options,
          .norm_offset = 1};
}

constexpr PretrainedFamily encoder_only(std::string_view names, std::string_view prefixes,
                                        TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = names,
          .prefixes = prefixes,
          .ignored = encoder_ignored,
          .input_embeddings = {},
          .heads = encoder_heads,
          .logits_bias = {},
          .options = options};
}

constexpr PretrainedFamily bart_like(std::string_view ignored,
                                     TransformerOptions (*options)(PretrainedConfig&)) {
  return {.names = bart_names,
          .prefixes = model_prefix,
          .ignored = ignored,
          .input_embeddings = bart_embeddings,
          .heads = lm_head,
          .logits_bias = "final_logits_bias",
          .options = options};
}

constexpr std::array<std::pair<std::string_view, PretrainedFamily>, 19> families = {
    {{"gpt2", gpt2_like(true, gpt2_options)},
     {"nanogpt", gpt2_like(false, nanogpt_options)},
     {"mingpt", gpt2_like(false, mingpt_options)},
     {"llama", llama_like(llama_options)},
     {"mistral", llama_like(mistral_options)},
     {"qwen2", llama_like(qwen2_options)},
     {"qwen3", llama_like(qwen3_options)},
     {"gemma", gemma_like(llama_names, gemma_options)},
     {"gemma2", gemma_like(gemma2_names, gemma2_options)},
     {"gpt_neo", gpt_neo_like(gpt_neo_names, transformer_prefix, lm_head, false, gpt_neo_options)},
     {"gpt_neox", gpt_neo_like(gpt_neox_names, gpt_neox_prefix, embed_out, true, gpt_neox_options)},
     {"bert", encoder_only(bert_names, bert_prefixes, bert_options)},
     {"roberta", encoder_only(bert_names, bert_prefixes, roberta_options)},
     {"xlm-roberta", encoder_only(bert_names, bert_prefixes, roberta_options)},
     {"camembert", encoder_only(bert_names, bert_prefixes, roberta_options)},
     {"distilbert", encoder_only(distilbert_names, distilbert_prefixes, distilbert_options)},
     {"vit", encoder_only(vit_names, vit_prefixes, vit_options)},
     {"bart", bart_like(bart_ignored, bart_options)},
     {"marian", bart_like(marian_ignored, marian_options)}}};

constexpr PretrainedFamily newer_vit = encoder_only(newer_vit_names, vit_prefixes, vit_options);

const PretrainedFamily* find(std::string_view type) noexcept {
  const auto* const family = std::find_if(families.begin(), families.end(),
                                          [&](const auto& each) { return each.first == type; });
  return family != families.end() ? &family->second : nullptr;
}

}  // namespace

const PretrainedFamily* find_family(PretrainedConfig& config) {
  const std::string_view type = config.text("model_type", "");
  if (const PretrainedFamily* family = find(type); family != nullptr) {
    return family;
  }
  if (is_mingpt_type(type)) {
    return find("mingpt");
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

const PretrainedFamily* with_layout_of(const PretrainedFamily* family,
                                       const PretrainedConfig& config, const PretrainedNames& names,
                                       std::span<const io::NamedTensor> tensors) {
  if (family->names == vit_names) {
    // One of them may be missing.
    const bool is_newer = names.find("layers.0.attention.q_proj.weight") != PretrainedNames::none ||
                          names.find("layers.0.mlp.fc1.weight") != PretrainedNames::none;
    return is_newer ? &newer_vit : family;
  }
  if (family->names != gpt2_names) {
    return family;
  }
  const auto matrix = [&](std::string_view name) -> std::span<const std::size_t> {
    const std::size_t tensor = names.find(name);
    const bool is_matrix = tensor != PretrainedNames::none && tensors[tensor].shape.size() == 2;
    return is_matrix ? tensors[tensor].shape : std::span<const std::size_t>();
  };
  const auto embedding = matrix("wte.weight");
  const auto projection = matrix("h.0.attn.c_attn.weight");
  const auto of_layout = [&](bool transposed) {
    return transposed == family->transposed ? family
           : transposed                     ? find("gpt2")
           : is_mingpt_config(config)       ? find("mingpt")
                                            : find("nanogpt");
  };
  // Where heads were removed, those of a layer may be smaller together than the embeddings.
  for (const auto weight : {matrix("h.0.mlp.c_fc.weight"), projection}) {
    if (!embedding.empty() && !weight.empty() &&
        (weight[0] == embedding[1]) != (weight[1] == embedding[1])) {
      return of_layout(weight[0] == embedding[1]);
    }
  }
  return projection.empty() ? family : of_layout(projection[0] < projection[1]);
}

}  // namespace headwise
