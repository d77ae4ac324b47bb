#include "options.hpp"

#include <type_traits>
#include <variant>

namespace headwise::test {
namespace {

const char* name_of(Projection projection) {
  switch (projection) {
    case Projection::linear:
      return "linear";
    case Projection::convolution:
      return "convolution";
    default:
      return "none";
  }
}

const char* name_of(WeightsStage stage) {
  switch (stage) {
    case WeightsStage::raw:
      return "raw";
    case WeightsStage::softcap:
      return "softcap";
    case WeightsStage::masked:
      return "masked";
    default:
      return "softmax";
  }
}

template <typename Value>
void set_if_given(JsonObject& json, std::string_view name, const std::optional<Value>& value) {
  if (value.has_value()) {
    json.set(name, *value);
  }
}

}  // namespace

JsonObject json_of(const MultiHeadAttentionOptions& options) {
  JsonObject json;
  json.set("numHiddens", options.num_hiddens)
      .set("numHeads", options.num_heads)
      .set("dropout", options.dropout)
      .set("bias", options.bias)
      .set("pooling", options.pooling == Pooling::additive ? "additive" : "dot-product")
      .set("projection", name_of(options.projection))
      .set("softcap", options.softcap)
      .set("biasKv", options.bias_kv)
      .set("zeroAttention", options.zero_attention);
  set_if_given(json, "outputProjection", options.output_projection);
  set_if_given(json, "querySize", options.query_size);
  set_if_given(json, "keySize", options.key_size);
  set_if_given(json, "valueSize", options.value_size);
  set_if_given(json, "outputSize", options.output_size);
  set_if_given(json, "numKvHeads", options.num_kv_heads);
  set_if_given(json, "attentionHiddens", options.attention_hiddens);
  set_if_given(json, "scale", options.scale);
  set_if_given(json, "seed", options.seed);
  if (options.rotary.has_value()) {
    JsonObject rotary;
    rotary.set("base", options.rotary->base).set("interleaved", options.rotary->interleaved);
    set_if_given(rotary, "size", options.rotary->size);
    json.set("rotary", rotary);
  }
  return json;
}

void set_mask_options(JsonObject& json, const ForwardOptions& options) {
  if (options.causal == Causal::top_left) {
    json.set("causal", true);
  } else if (options.causal == Causal::bottom_right) {
    json.set("causal", "bottom-right");
  }
  if (options.window.has_value()) {
    json.set("window", std::vector{options.window->left, options.window->right});
  }
  json.set("emptyRows", options.empty_rows == EmptyRows::uniform ? "uniform" : "zero")
      .set("weightsStage", name_of(options.weights_stage));
}

void add_mask_tensors(VectorFile& file, const std::string& prefix, const ForwardOptions& options) {
  const auto add = [&](const std::string& name, const auto& given) {
    std::visit(
        [&](const auto& tensor) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(tensor)>, std::monostate>) {
            file.add(prefix + name, tensor);
          }
        },
        given);
  };
  add("validLens", options.valid_lens);
  add("mask", options.mask);
  add("headGate", options.head_gate);
  add("positions", options.positions);
}

void add_parameters(VectorFile& file, const std::string& prefix, const StateDict& parameters) {
  for (const auto& [name, tensor] : parameters) {
    file.add(prefix + name, tensor);
  }
}

std::string gradient_name(const std::string& name) {
  return name == "head_gate" ? "headGate" : name;
}

}  // namespace headwise::test
