#pragma once

#include <cstdint>
#include <headwise/state_dict.hpp>
#include <headwise/tokens.hpp>
#include <map>
#include <vector>

namespace headwise {
class AttentionOnlyTransformer;
struct AttentionOnlyTransformerOptions;
struct TransformerForwardOptions;
}  // namespace headwise

/// The checks of the models' public functions, as in validation.hpp.
namespace headwise::validation {

/// Throws disposed for a model that was moved from, and invalid-option where a layer was replaced
/// by one of other sizes.
void check_model(const AttentionOnlyTransformer& model);
void check_transformer_options(const AttentionOnlyTransformerOptions& options);
/// `targets` is null where the call takes none.
void check_transformer_pass(const AttentionOnlyTransformer& model, const Tokens& tokens,
                            const Tokens* targets, const TransformerForwardOptions& options);
void check_transformer_state_dict(const AttentionOnlyTransformer& model,
                                  const StateDict& state_dict);

/// Heads by the number of their layer.
void check_prune_heads(const AttentionOnlyTransformer& model,
                       const std::map<std::int64_t, std::vector<std::int64_t>>& heads);

}  // namespace headwise::validation
