#include <array>
#include <headwise/api/activations.hpp>
#include <headwise/api/model_inputs.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <string>
#include <vector>

namespace headwise::validation {
namespace {

/// In the order of the enumeration.
constexpr std::array activation_names = {
    "queries",   "keys",     "values",     "scores",      "pattern",         "dropped_weights",
    "z",         "head_out", "key_mass",   "row_entropy", "resid_pre",       "attn_out",
    "resid_mid", "mlp_out",  "resid_post", "embeddings",  "final_norm_scale"};

/// What is expected in place of an activation that the model lacks, or null.
const char* missing(const Transformer& model, Side side, ActivationName name) {
  const TransformerSettings& settings = model.settings();
  const StackSettings& stack = side == Side::encoder ? settings.encoder : settings.decoder;
  if (name == ActivationName::mlp_out && stack.ffn_hiddens == 0) {
    return "none of a model without feed-forward layers";
  }
  if (name == ActivationName::resid_mid && settings.parallel_residual) {
    return "none of a model whose layers run side by side";
  }
  if (name == ActivationName::final_norm_scale &&
      (!settings.final_norm || settings.norm == Norm::none)) {
    return "none of a model without a final norm";
  }
  return nullptr;
}

constexpr bool can_be_replaced(ActivationName name) {
  return name != ActivationName::scores && name != ActivationName::dropped_weights &&
         name != ActivationName::key_mass && name != ActivationName::row_entropy;
}

/// The value of a patch: whole, or of the chosen heads and positions.
void check_value(const std::string& argument, const PatchInputs& patch, const ActivationAxes& axes,
                 const ModelPassSizes& sizes) {
  const auto shape_of_rows = [&](std::size_t heads, std::size_t rows) {
    std::vector<std::size_t> shape;
    if (sizes.has_batch_axis) {
      shape.push_back(sizes.batch);
    }
    if (axes.has_heads) {
      shape.push_back(heads);
    }
    shape.push_back(rows);
    if (axes.has_size) {
      shape.push_back(axes.size);
    }
    return shape;
  };
  const std::vector<std::size_t> chosen =
      shape_of_rows(patch.heads.is_given() ? patch.heads.size() : axes.heads,
                    patch.positions.is_given() ? patch.positions.size() : axes.rows);
  if (!std::ranges::equal(patch.value.shape, chosen) &&
      !std::ranges::equal(patch.value.shape, shape_of_rows(axes.heads, axes.rows))) {
    fail_text(ErrorCode::invalid_shape, "#.value: expected #, got #",
              {argument, Shape(chosen), patch.value.shape});
  }
}

void check_patch(const std::string& argument, const Transformer& model, const ModelInputs& inputs,
                 const ModelPassSizes& sizes, const PatchInputs& patch) {
  const auto fail_at = [&](const char* expected) {
    fail_option("#.at: expected #, got #", {argument, expected, name_of(patch.at)});
  };
  if (!can_be_replaced(patch.at)) {
    fail_at("an activation that can be replaced");
  }
  const std::vector<MultiHeadAttention>& layers = model.attention_layers(patch.side);
  if (layers.empty() || (patch.side == Side::encoder && !inputs.source.is_given())) {
    fail_option("#.side: expected a side that runs, got #",
                {argument, patch.side == Side::cross ? "cross" : "encoder"});
  }
  const bool is_stream = patch.at >= ActivationName::resid_pre;
  if (patch.side == Side::cross && is_stream && patch.at != ActivationName::attn_out) {
    fail_at("an activation of cross-attention");
  }
  if (const char* reason = missing(model, patch.side, patch.at); reason != nullptr) {
    fail_at(reason);
  }
  if (patch.at == ActivationName::pattern && inputs.cache != nullptr) {
    fail_at("another beside a cache");
  }
  if (!is_of_model(patch.at) &&
      (patch.layer < 0 || patch.layer >= static_cast<std::int64_t>(layers.size()))) {
    fail_option("#.layer: expected an integer from 0 to #, got #",
                {argument, layers.size() - 1, patch.layer});
  }
  const ActivationAxes axes = patched_axes(model, patch, sizes);
  if (patch.heads.is_given() && !axes.has_heads) {
    fail_option("#.heads: expected none of an activation without heads, got a list", {argument});
  }
  check_chosen(text_of({argument, ".heads"}), "head", patch.heads, axes.heads);
  check_chosen(text_of({argument, ".positions"}), "position", patch.positions, axes.rows);
  if (patch.kind == PatchKind::value) {
    if (!patch.value.is_given()) {
      fail_option("#.value: expected a tensor, zero or mean, got none", {argument});
    }
    check_value(argument, patch, axes, sizes);
  }
}

}  // namespace

std::string_view name_of(ActivationName name) {
  return activation_names.at(static_cast<std::size_t>(name));
}

void check_chosen(std::string_view argument, std::string_view one, const Input<double>& chosen,
                  std::size_t count) {
  check_indices(argument, chosen, count);
  std::vector<bool> seen(chosen.is_given() ? count : 0, false);
  for (const double index : chosen.numbers()) {
    if (seen[static_cast<std::size_t>(index)]) {
      fail_twice(argument, one, index);
    }
    seen[static_cast<std::size_t>(index)] = true;
  }
}

void check_probe(const Transformer& model, const ModelInputs& inputs, const ModelPassSizes& sizes) {
  std::uint32_t names = 0;
  for (const ActivationName name : inputs.capture) {
    if ((names & bit_of(name)) != 0) {
      fail_option("capture: expected each name once, got # twice", {name_of(name)});
    }
    names |= bit_of(name);
    const bool is_of_encoder = model.settings().decoder.ffn_hiddens == 0;
    const char* reason = missing(model, is_of_encoder ? Side::encoder : Side::self, name);
    if (reason != nullptr) {
      fail_option("capture: expected #, got #", {reason, name_of(name)});
    }
  }
  const std::size_t num_layers = std::max(model.attention_layers(Side::self).size(),
                                          model.attention_layers(Side::encoder).size());
  check_chosen("capture_layers", "layer", inputs.capture_layers, num_layers);
  check_chosen("capture_positions", "position", inputs.capture_positions, sizes.length);
  for (std::size_t i = 0; i < inputs.patches.size(); ++i) {
    check_patch(text_of({"patch[", i, "]"}), model, inputs, sizes, inputs.patches[i]);
  }
}

}  // namespace headwise::validation
