#pragma once

#include <cstdint>
#include <headwise/head_importance.hpp>
#include <headwise/state_dict.hpp>
#include <headwise/tensor.hpp>
#include <headwise/tokens.hpp>
#include <headwise/transformer.hpp>
#include <map>
#include <string_view>
#include <vector>

/// The checks of the models' public functions, as in validation.hpp.
namespace headwise::validation {

/// Throws disposed for a model that was moved from.
void check_model_in_use(const Transformer& model);
/// Also throws invalid-option where a layer was replaced by one of other sizes.
void check_model(const Transformer& model);
/// `targets` is null where the call takes none.
void check_transformer_pass(const Transformer& model, const Tokens& tokens, const Tokens* targets,
                            const TransformerForwardOptions& options);
void check_transformer_pass(const Transformer& model, const TensorView<4>& pixels,
                            const Tokens* targets, const TransformerForwardOptions& options);
void check_transformer_pass(const Transformer& model, const Embeddings& embeddings,
                            const Tokens* targets, const TransformerForwardOptions& options);
/// The name of an activation in C++.
[[nodiscard]] std::string_view name_of(ActivationName name);
/// Captures and patches of a call whose other options were checked.
void check_probe(const Transformer& model, std::size_t batch, std::size_t length,
                 const TransformerForwardOptions& options);
/// Returns the sizes of the pass whose backward is pending.
SavedPass::Sizes check_transformer_backward(const Transformer& model,
                                            const TransformerOutputGradients& gradients);
void check_transformer_state_dict(const Transformer& model, const StateDict& state_dict);
void check_model_cache_options(const Transformer& model, const CacheOptions& options);
void check_generate(const Transformer& model, const std::vector<std::int64_t>& tokens,
                    const GenerateOptions& options);

/// Heads by the number of their layer. Returns those of each layer, in ascending order.
std::vector<std::vector<std::size_t>> check_prune_heads(
    const Transformer& model, const std::map<std::int64_t, std::vector<std::int64_t>>& heads,
    Side side);
void check_model_importance(const Transformer& model, const HeadImportanceOptions& options,
                            Side side, const OutputLoss& loss);

}  // namespace headwise::validation
