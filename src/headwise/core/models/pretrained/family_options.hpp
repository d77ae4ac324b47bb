#pragma once

#include <headwise/core/models/pretrained/config.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <string_view>

/// The options of models that configs of the families ask for. Missing fields have the defaults of
/// Hugging Face Transformers, nanoGPT or minGPT if the tensors' shapes would show a wrong one;
/// numbers of heads are required. Every value that `Transformer` would refuse is a problem of its
/// field.
namespace headwise {

[[nodiscard]] TransformerOptions gpt2_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions nanogpt_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions mingpt_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions llama_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions mistral_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions qwen2_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions qwen3_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions gemma_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions gemma2_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions gpt_neo_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions gpt_neox_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions bert_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions roberta_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions distilbert_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions vit_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions bart_options(PretrainedConfig& config);
[[nodiscard]] TransformerOptions marian_options(PretrainedConfig& config);

/// Whether minGPT calls one of its models so, besides `gpt2`.
[[nodiscard]] bool is_mingpt_type(std::string_view model_type) noexcept;
/// Whether the fields are minGPT's, whose configs may say `gpt2`.
[[nodiscard]] bool is_mingpt_config(const PretrainedConfig& config) noexcept;

}  // namespace headwise
