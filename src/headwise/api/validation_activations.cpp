#include <array>
#include <headwise/api/activations.hpp>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <set>
#include <string>
#include <vector>

namespace headwise::validation {
namespace {

/// In the order of the enumeration.
constexpr std::array activation_names = {
    "queries",   "keys",     "values",     "scores",      "pattern",         "dropped_weights",
    "z",         "head_out", "key_mass",   "row_entropy", "resid_pre",       "attn_out",
    "resid_mid", "mlp_out",  "resid_post", "embeddings",  "final_norm_scale"};

/// What the model lacks for this activation, or null.
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

void check_available(std::string_view argument, const Transformer& model, Side side,
                     ActivationName name) {
  if (const char* reason = missing(model, side, name); reason != nullptr) {
    fail(ErrorCode::invalid_option, argument, {reason}, {name_of(name)});
  }
}

constexpr bool can_be_replaced(ActivationName name) {
  return name != ActivationName::scores && name != ActivationName::dropped_weights &&
         name != ActivationName::key_mass && name != ActivationName::row_entropy;
}

void check_value(std::string_view argument, const xt::xarray<float>& value,
                 const ActivationAxes& axes, const Patch& patch, std::size_t batch) {
  const auto shape_of_rows = [&](std::size_t heads, std::size_t rows) {
    std::vector<std::size_t> shape = {batch};
    if (axes.has_heads) {
      shape.push_back(heads);
    }
    shape.push_back(rows);
    if (axes.has_size) {
      shape.push_back(axes.size);
    }
    return shape;
  };
  const std::vector<std::size_t> whole = shape_of_rows(axes.heads, axes.rows);
  const std::vector<std::size_t> chosen =
      shape_of_rows(patch.heads ? patch.heads->size() : axes.heads,
                    patch.positions ? patch.positions->size() : axes.rows);
  const std::span<const std::size_t> given(value.shape());
  if (!std::ranges::equal(given, whole) && !std::ranges::equal(given, chosen)) {
    fail(ErrorCode::invalid_shape, argument, {std::span<const std::size_t>(chosen)}, {given});
  }
}

void check_patch(const std::string& argument, const Transformer& model, std::size_t batch,
                 const UncheckedTransformer::Sizes& sizes, const Patch& patch,
                 const TransformerForwardOptions& options) {
  const std::string at = argument + ".at";
  if (!can_be_replaced(patch.at)) {
    fail(ErrorCode::invalid_option, at, {"an activation that can be replaced"},
         {name_of(patch.at)});
  }
  const std::vector<MultiHeadAttention>& layers = model.attention_layers(patch.side);
  if (layers.empty() || (patch.side == Side::encoder && !options.source)) {
    fail(ErrorCode::invalid_option, argument + ".side", {"a side that runs"},
         {patch.side == Side::cross ? "cross" : "encoder"});
  }
  const bool is_stream = patch.at >= ActivationName::resid_pre;
  if (patch.side == Side::cross && is_stream && patch.at != ActivationName::attn_out) {
    fail(ErrorCode::invalid_option, at, {"an activation of cross-attention"}, {name_of(patch.at)});
  }
  check_available(at, model, patch.side, patch.at);
  if (patch.at == ActivationName::pattern && options.cache != nullptr) {
    fail(ErrorCode::invalid_option, at, {"another beside a cache"}, {"pattern"});
  }
  if (!is_of_model(patch.at) &&
      (patch.layer < 0 || patch.layer >= static_cast<std::int64_t>(layers.size()))) {
    fail(ErrorCode::invalid_option, argument + ".layer",
         {"an integer from 0 to ", layers.size() - 1}, {patch.layer});
  }
  ActivationSizes of_layer = activation_sizes(
      model, patch.side, is_of_model(patch.at) ? 0 : static_cast<std::size_t>(patch.layer), sizes);
  of_layer.keys = patch.at == ActivationName::pattern ? of_layer.keys : of_layer.new_keys;
  const ActivationAxes axes = axes_of(patch.at, of_layer);
  if (patch.heads && !axes.has_heads) {
    fail(ErrorCode::invalid_option, argument + ".heads", {"none of an activation without heads"},
         {"a list"});
  }
  check_chosen(argument + ".heads", "head", IntegerInput(patch.heads).input(), axes.heads);
  check_chosen(argument + ".positions", "position", IntegerInput(patch.positions).input(),
               axes.rows);
  if (const auto* value = std::get_if<xt::xarray<float>>(&patch.value); value != nullptr) {
    check_value(argument + ".value", *value, axes, patch, batch);
  } else if (std::get<PatchKind>(patch.value) == PatchKind::value) {
    fail(ErrorCode::invalid_option, argument + ".value", {"a tensor, zero or mean"}, {"none"});
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

void check_probe(const Transformer& model, std::size_t batch, std::size_t length,
                 const TransformerForwardOptions& options) {
  std::set<ActivationName> names;
  for (const ActivationName name : options.capture) {
    if (!names.insert(name).second) {
      fail(ErrorCode::invalid_option, "capture", {"each name once"}, {name_of(name), " twice"});
    }
    const bool is_of_encoder = model.settings().decoder.ffn_hiddens == 0;
    check_available("capture", model, is_of_encoder ? Side::encoder : Side::self, name);
  }
  const std::size_t num_layers = std::max(model.attention_layers(Side::self).size(),
                                          model.attention_layers(Side::encoder).size());
  check_chosen("capture_layers", "layer", IntegerInput(options.capture_layers).input(), num_layers);
  check_chosen("capture_positions", "position", IntegerInput(options.capture_positions).input(),
               length);
  const std::size_t cached = options.cache != nullptr ? options.cache->length() : 0;
  const std::size_t cached_source =
      options.cache != nullptr ? options.cache->memory().source_length() : 0;
  const std::size_t source_length = options.source ? options.source->shape(1) : 0;
  const UncheckedTransformer::Sizes sizes{.batch = batch,
                                          .length = length,
                                          .num_keys = cached + length,
                                          .source_length = source_length,
                                          .num_source_keys = cached_source + source_length};
  for (std::size_t i = 0; i < options.patch.size(); ++i) {
    check_patch("patch[" + std::to_string(i) + "]", model, batch, sizes, options.patch[i], options);
  }
}

}  // namespace headwise::validation
