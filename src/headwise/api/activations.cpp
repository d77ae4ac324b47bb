#include <algorithm>
#include <array>
#include <headwise/api/activations.hpp>
#include <headwise/api/mask_inputs.hpp>
#include <memory>

namespace headwise {
namespace {

using enum ActivationName;

/// Whether a side has activations of this name: the streams belong to self-attention.
bool has(const TransformerSettings& settings, Side side, ActivationName name) {
  const StackSettings& stack = side == Side::encoder ? settings.encoder : settings.decoder;
  if (name == mlp_out && stack.ffn_hiddens == 0) {
    return false;
  }
  return side != Side::cross || name < resid_pre || name == attn_out;
}

/// The sizes of a layer's activations in a pass.
ActivationSizes sizes_of(const Transformer& model, Side side, std::size_t layer,
                         const ModelPassSizes& sizes) {
  const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
  ActivationSizes result{
      .rows = side == Side::encoder ? sizes.source_length : sizes.length,
      .new_keys = side == Side::self ? sizes.length : sizes.source_length,
      .keys = by_side(side, sizes.num_keys, sizes.num_source_keys, sizes.source_length),
      .num_hiddens = model.settings().num_hiddens};
  if (layer < layers.size()) {
    const LayerSettings& settings = layers[layer].settings();
    result.num_heads = settings.num_heads;
    result.num_kv_heads = settings.num_kv_heads;
    result.head_size = settings.head_size;
  }
  return result;
}

/// The layer of a patch, which counts for activations of layers only.
std::size_t layer_of(const PatchInputs& patch) {
  return is_of_model(patch.at) ? 0 : static_cast<std::size_t>(patch.layer);
}

}  // namespace

ActivationAxes patched_axes(const Transformer& model, const PatchInputs& patch,
                            const ModelPassSizes& sizes) noexcept {
  ActivationSizes of_layer = sizes_of(model, patch.side, layer_of(patch), sizes);
  of_layer.keys = patch.at == pattern ? of_layer.keys : of_layer.new_keys;
  return axes_of(patch.at, of_layer);
}

void Probe::lay_out(Arena& arena, const Transformer& model, const ModelInputs& inputs,
                    const ModelPassSizes& sizes) noexcept {
  const Integers positions(arena, inputs.capture_positions);
  std::size_t most_captures = 0;
  for (const Side side : all_sides) {
    most_captures += inputs.capture.size() * model.attention_layers(side).size();
  }
  captures_ = arena.take<ActivationCapture>(most_captures);
  auto* const patches = arena.take<ActivationPatch>(inputs.patches.size());
  for (std::size_t i = 0; i < inputs.patches.size(); ++i) {
    const PatchInputs& given = inputs.patches[i];
    const Integers heads(arena, given.heads);
    const Integers rows(arena, given.positions);
    const ActivationAxes axes = patched_axes(model, given, sizes);
    const std::span<const float> numbers = given.value.numbers();
    const std::size_t count =
        sizes.batch * (given.heads.is_given() ? given.heads.size() : axes.heads) *
        (given.positions.is_given() ? given.positions.size() : axes.rows) * axes.size;
    // A value of another size has all rows: the chosen ones are copied.
    const bool is_part = given.kind == PatchKind::value && numbers.size() != count;
    auto* part = arena.take(is_part ? count : 0);
    if (patches == nullptr) {
      continue;
    }
    const ActivationPatch& patch = *std::construct_at(
        patches + i, ActivationPatch{.place = {given.at, given.side, layer_of(given)},
                                     .kind = given.kind,
                                     .value = is_part ? part : numbers.data(),
                                     .heads = heads.copy(given.heads),
                                     .num_heads = given.heads.size(),
                                     .positions = rows.copy(given.positions),
                                     .num_positions = given.positions.size()});
    if (is_part) {
      for_each_chosen_row(
          patch, sizes.batch, axes.heads, axes.rows,
          [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t number) {
            const std::size_t first = (sample * axes.heads + head) * axes.rows + row;
            std::copy_n(numbers.data() + first * axes.size, axes.size, part + number * axes.size);
          });
    }
  }
  if (patches != nullptr) {
    patches_ = {patches, inputs.patches.size()};
    positions_ = positions.copy(inputs.capture_positions);
    num_positions_ = inputs.capture_positions.size();
  }
}

void Probe::make_captures(const Transformer& model, const ModelInputs& inputs,
                          const ModelPassSizes& sizes, ModelResults& results) {
  const auto capture = [&](Side side, std::size_t layer, ActivationName name) {
    const ActivationAxes axes = axes_of(name, sizes_of(model, side, layer, sizes));
    const bool is_whole = is_captured_whole(name, side, inputs.cache != nullptr);
    std::array<std::size_t, 4> shape{sizes.batch};
    std::size_t rank = 1;
    if (axes.has_heads) {
      shape[rank++] = axes.heads;
    }
    shape[rank++] = positions_ != nullptr && !is_whole ? num_positions_ : axes.rows;
    if (axes.has_size) {
      shape[rank++] = axes.size;
    }
    float* const to = results.of(
        {.name = ModelResultName::captured, .side = side, .layer = layer, .activation = name},
        std::span(shape).first(rank));
    std::construct_at(captures_ + num_captures_++,
                      ActivationCapture{.place = {name, side, layer}, .to = to});
  };
  for (const Side side : all_sides) {
    const std::size_t num_layers = model.attention_layers(side).size();
    if (num_layers == 0 || (side == Side::encoder && !inputs.source.is_given())) {
      continue;
    }
    const bool has_all = !inputs.capture_layers.is_given();
    for (const ActivationName name : inputs.capture) {
      if (!has(model.settings(), side, name)) {
        continue;
      }
      if (is_of_model(name)) {
        capture(side, 0, name);
        continue;
      }
      results.begin_list({.name = ModelResultName::captured, .side = side, .activation = name});
      const std::size_t count = has_all ? num_layers : inputs.capture_layers.size();
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t layer =
            has_all ? i : static_cast<std::size_t>(inputs.capture_layers.data[i]);
        if (layer < num_layers) {
          capture(side, layer, name);
        }
      }
    }
  }
}

PassProbe Probe::probe() const noexcept {
  return {.captures = {captures_, num_captures_},
          .patches = patches_,
          .positions = positions_,
          .num_positions = num_positions_};
}

}  // namespace headwise
