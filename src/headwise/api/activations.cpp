#include <algorithm>
#include <headwise/api/activations.hpp>
#include <headwise/api/make_tensor.hpp>
#include <utility>

namespace headwise {
namespace {

using enum ActivationName;

/// Calls `use` with the list of tensors that has this name.
template <typename Use>
void with_captured(ModelCaptures& captured, ActivationName name, const Use& use) {
  switch (name) {
    case queries:
      return use(captured.queries);
    case keys:
      return use(captured.keys);
    case values:
      return use(captured.values);
    case scores:
      return use(captured.scores);
    case pattern:
      return use(captured.pattern);
    case dropped_weights:
      return use(captured.dropped_weights);
    case z:
      return use(captured.z);
    case head_out:
      return use(captured.head_out);
    case key_mass:
      return use(captured.key_mass);
    case row_entropy:
      return use(captured.row_entropy);
    case resid_pre:
      return use(captured.resid_pre);
    case attn_out:
      return use(captured.attn_out);
    case resid_mid:
      return use(captured.resid_mid);
    case mlp_out:
      return use(captured.mlp_out);
    case resid_post:
      return use(captured.resid_post);
    case embeddings:
      return use(captured.embeddings);
    case final_norm_scale:
      return use(captured.final_norm_scale);
  }
}

/// Adds a tensor with these axes to a list of tensors, or puts it in an optional one.
template <std::size_t Rank>
float* emplace(std::vector<Tensor<Rank>>& tensors, const std::vector<std::size_t>& shape) {
  std::array<std::size_t, Rank> axes;
  std::ranges::copy(shape, axes.begin());
  return tensors.emplace_back(make_tensor<Rank>(axes)).data();
}

template <std::size_t Rank>
float* emplace(std::optional<Tensor<Rank>>& tensor, const std::vector<std::size_t>& shape) {
  std::array<std::size_t, Rank> axes;
  std::ranges::copy(shape, axes.begin());
  return tensor.emplace(make_tensor<Rank>(axes)).data();
}

/// Whether a side has activations of this name: the streams belong to self-attention.
bool has(const TransformerSettings& settings, Side side, ActivationName name) {
  const StackSettings& stack = side == Side::encoder ? settings.encoder : settings.decoder;
  if (name == mlp_out && stack.ffn_hiddens == 0) {
    return false;
  }
  return side != Side::cross || name < resid_pre || name == attn_out;
}

ModelCaptures& captures_of(TransformerResult& result, Side side) {
  return side == Side::self    ? result.captured
         : side == Side::cross ? result.cross_captured
                               : result.encoder_captured;
}

}  // namespace

const std::vector<Tensor<4>>& captured_of_heads(const ModelCaptures& captured,
                                                ActivationName name) {
  return name == queries   ? captured.queries
         : name == keys    ? captured.keys
         : name == values  ? captured.values
         : name == pattern ? captured.pattern
         : name == z       ? captured.z
                           : captured.head_out;
}

ActivationSizes activation_sizes(const Transformer& model, Side side, std::size_t layer,
                                 const UncheckedTransformer::Sizes& sizes) {
  const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
  ActivationSizes result{.rows = side == Side::encoder ? sizes.source_length : sizes.length,
                         .new_keys = side == Side::self ? sizes.length : sizes.source_length,
                         .keys = side == Side::self    ? sizes.num_keys
                                 : side == Side::cross ? sizes.num_source_keys
                                                       : sizes.source_length,
                         .num_hiddens = model.settings().num_hiddens};
  if (layer < layers.size()) {
    const LayerSettings& settings = layers[layer].settings();
    result.num_heads = settings.num_heads;
    result.num_kv_heads = settings.num_kv_heads;
    result.head_size = settings.head_size;
  }
  return result;
}

const std::int32_t* ProbeMemory::keep(const std::vector<std::int64_t>& list) {
  // One more, because the address of an empty list may be null, which means all.
  std::vector<std::int32_t>& kept = lists_.emplace_back();
  kept.reserve(list.size() + 1);
  kept.assign(list.begin(), list.end());
  return kept.data();
}

void ProbeMemory::add_patches(const Transformer& model, const std::vector<Patch>& patches,
                              const UncheckedTransformer::Sizes& sizes) {
  for (const Patch& given : patches) {
    ActivationPatch patch{
        .at = given.at,
        .side = given.side,
        .layer = is_of_model(given.at) ? 0 : static_cast<std::size_t>(given.layer)};
    ActivationSizes of_layer = activation_sizes(model, patch.side, patch.layer, sizes);
    of_layer.keys = given.at == pattern ? of_layer.keys : of_layer.new_keys;
    const ActivationAxes axes = axes_of(given.at, of_layer);
    if (given.heads) {
      patch.heads = keep(*given.heads);
      patch.num_heads = given.heads->size();
    }
    if (given.positions) {
      patch.positions = keep(*given.positions);
      patch.num_positions = given.positions->size();
    }
    if (const auto* kind = std::get_if<PatchKind>(&given.value); kind != nullptr) {
      patch.kind = *kind;
    } else {
      const auto& numbers = std::get<xt::xarray<float>>(given.value);
      const std::size_t chosen_heads = given.heads ? given.heads->size() : axes.heads;
      const std::size_t chosen_rows = given.positions ? given.positions->size() : axes.rows;
      std::vector<float>& value = values_.emplace_back();
      value.reserve(sizes.batch * chosen_heads * chosen_rows * axes.size + 1);
      if (numbers.size() == sizes.batch * chosen_heads * chosen_rows * axes.size) {
        value.assign(numbers.begin(), numbers.end());
      } else {
        for_each_chosen_row(
            patch, sizes.batch, axes.heads, axes.rows,
            [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t) {
              const auto first = numbers.begin() +
                                 static_cast<std::ptrdiff_t>(
                                     ((sample * axes.heads + head) * axes.rows + row) * axes.size);
              value.insert(value.end(), first, first + static_cast<std::ptrdiff_t>(axes.size));
            });
      }
      patch.kind = PatchKind::value;
      patch.value = value.data();
    }
    patches_.push_back(patch);
  }
}

void ProbeMemory::add_captures(const Transformer& model, const TransformerForwardOptions& options,
                               const UncheckedTransformer::Sizes& sizes,
                               TransformerResult& result) {
  if (options.capture_positions) {
    positions_ = keep(*options.capture_positions);
    num_positions_ = options.capture_positions->size();
  }
  for (const Side side : all_sides) {
    const std::size_t num_layers = model.attention_layers(side).size();
    if (num_layers == 0 || (side == Side::encoder && !options.source)) {
      continue;
    }
    std::vector<std::int64_t> layers(num_layers);
    std::ranges::generate(layers, [next = std::int64_t{0}]() mutable { return next++; });
    if (options.capture_layers) {
      layers = *options.capture_layers;
    }
    for (const ActivationName name : options.capture) {
      if (!has(model.settings(), side, name)) {
        continue;
      }
      const auto take = [&](std::size_t layer) {
        const ActivationAxes axes = axes_of(name, activation_sizes(model, side, layer, sizes));
        std::vector<std::size_t> shape = {sizes.batch};
        if (axes.has_heads) {
          shape.push_back(axes.heads);
        }
        const bool is_whole = is_captured_whole(name, side, options.cache != nullptr);
        shape.push_back(options.capture_positions && !is_whole ? options.capture_positions->size()
                                                               : axes.rows);
        if (axes.has_size) {
          shape.push_back(axes.size);
        }
        with_captured(captures_of(result, side), name, [&](auto& tensors) {
          captures_.push_back(
              {.at = name, .side = side, .layer = layer, .to = emplace(tensors, shape)});
        });
      };
      if (is_of_model(name)) {
        take(0);
        continue;
      }
      for (const std::int64_t layer : layers) {
        if (static_cast<std::size_t>(layer) < num_layers) {
          take(static_cast<std::size_t>(layer));
        }
      }
    }
  }
}

PassProbe ProbeMemory::probe() const noexcept {
  return {.captures = captures_,
          .patches = patches_,
          .positions = positions_,
          .num_positions = num_positions_};
}

}  // namespace headwise
