#pragma once

#include <headwise/headwise.hpp>
#include <optional>
#include <string>

#include "call_list.hpp"
#include "configuration.hpp"

/// Options of the library as the package takes them.
namespace headwise::test {

JsonObject json_of(const MultiHeadAttentionOptions& options);
JsonObject json_of(const TransformerOptions& options);
JsonObject json_of(const AdamOptions& options);
JsonObject json_of(const CacheOptions& options);

/// The placeholder of the tensor, if any.
std::optional<Json> tensor_of(CallList& calls, const Mask& mask);
template <typename Number>
std::optional<Json> tensor_of(CallList& calls, const Numbers<Number>& given) {
  return given.has_value() ? std::optional<Json>(calls.tensor(*given)) : std::nullopt;
}

JsonObject mask_options(CallList& calls, const ForwardOptions& options);
/// Masks, and options of the weights: what every attention call has.
JsonObject weights_options(CallList& calls, const ForwardOptions& options);
/// Options of a layer's `forward`, whose cache an earlier call named "cache".
JsonObject json_of(CallList& calls, const ForwardOptions& options);
/// Options that all passes of a model have.
JsonObject json_of(CallList& calls, const TransformerForwardOptions& options);
/// What else a pass is to return.
void set_outputs(JsonObject& json, const ReturnedWeights& weights,
                 const std::vector<std::string>& captured);
const char* name_of(Side side);
const char* name_of(HeadMeasure measure);
const char* name_of(EmptyRows empty_rows);

Capture some_capture(Random& random);

/// Where a gradient is next to nothing, its sign must not decide the step.
AdamOptions lively_adam();

/// The loss Σ x², which the replay has as `square`.
OutputLoss square_loss();

}  // namespace headwise::test
