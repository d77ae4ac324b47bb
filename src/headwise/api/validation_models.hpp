#pragma once

#include <cstdint>
#include <headwise/api/model_inputs.hpp>
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
/// Checks the tokens, pixels or embeddings. Returns the sizes that they determine.
ModelPassSizes check_input(const Transformer& model, const ModelInputs& inputs);
/// Returns the sizes of the pass.
ModelPassSizes check_pass(const Transformer& model, const ModelInputs& inputs);
/// The name of an activation in C++.
[[nodiscard]] std::string_view name_of(ActivationName name);
/// Captures and patches of a call whose other arguments were checked.
void check_probe(const Transformer& model, const ModelInputs& inputs, const ModelPassSizes& sizes);
/// Checks gradients of hidden states and logits, at least one of them. Returns the sizes of the
/// pass whose backward is pending.
ModelPassSizes check_backward(const Transformer& model, const InputTensor& hidden,
                              const InputTensor& logits);
void check_model_cache_options(const Transformer& model, const CacheOptions& options);
void check_generate(const Transformer& model, const GenerateInputs& inputs);

/// Heads by the number of their layer. Returns those of each layer, in ascending order.
std::vector<std::vector<std::size_t>> check_prune_heads(
    const Transformer& model, const std::map<std::int64_t, std::vector<std::int64_t>>& heads,
    Side side);

/// What heads are measured with.
struct ImportanceInputs {
  HeadMeasure measure{};
  bool normalize = false;
  std::size_t num_batches = 0;
  /// Whether the loss is the caller's, and which of its functions are there.
  bool needs_loss = false;
  bool has_value = false;
  bool has_gradient = false;
  /// Of a model: the side, and whether it has layers there.
  Side side = Side::self;
  bool has_layers = true;
};
void check_importance(const ImportanceInputs& inputs);

}  // namespace headwise::validation
