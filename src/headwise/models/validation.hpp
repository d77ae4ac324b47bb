#pragma once

#include <headwise/state_dict.hpp>
#include <headwise/tokens.hpp>

namespace headwise {
class AttentionOnlyTransformer;
struct AttentionOnlyTransformerOptions;
struct TransformerForwardOptions;
}  // namespace headwise

/// The checks of the models' public edge, as in attention/validation.hpp.
namespace headwise::validation {

void check_transformer_options(const AttentionOnlyTransformerOptions& options);
/// `targets` is null where the call takes none.
void check_transformer_pass(const AttentionOnlyTransformer& model, const Tokens& tokens,
                            const Tokens* targets, const TransformerForwardOptions& options);
void check_transformer_state_dict(const AttentionOnlyTransformer& model,
                                  const StateDict& state_dict);

}  // namespace headwise::validation
