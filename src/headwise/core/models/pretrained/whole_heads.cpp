#include <algorithm>
#include <headwise/core/memory/zeros.hpp>
#include <headwise/core/models/pretrained/whole_heads.hpp>

namespace headwise {
namespace {

/// How a parameter lies around the heads: (outer, heads, inner).
struct HeadAxes {
  std::size_t outer;
  std::size_t inner;
  bool is_shared;  ///< whether its heads are key-value heads
};

/// None of a parameter that heads do not have.
HeadAxes axes_of(const NamedParameter& parameter) {
  const std::string_view name = parameter.name_in_layer();
  const std::size_t head_size = parameter.layer->settings().head_size;
  const bool is_shared = name.starts_with("W_k.") || name.starts_with("W_v.");
  if (name == "W_o.weight") {
    return {.outer = parameter.rows(), .inner = head_size, .is_shared = false};
  }
  if (is_shared || name.starts_with("W_q.")) {
    return {.outer = 1, .inner = head_size * parameter.columns(), .is_shared = is_shared};
  }
  return {.outer = 0, .inner = 0, .is_shared = false};
}

/// Heads of the whole layer that are left.
std::vector<std::size_t> heads_left(const AttentionLayer& layer, bool are_shared) {
  const LayerSettings& settings = layer.settings();
  const std::vector<std::size_t> removed = layer.removed_heads();
  const std::size_t group = settings.num_heads / settings.num_kv_heads;
  std::vector<std::size_t> left;
  for (std::size_t head = 0; head < settings.num_heads + removed.size(); ++head) {
    if (!std::ranges::binary_search(removed, head) && (!are_shared || head % group == 0)) {
      left.push_back(are_shared ? head / group : head);
    }
  }
  return left;
}

std::size_t whole_heads(const AttentionLayer& layer, bool are_shared) {
  const LayerSettings& settings = layer.settings();
  const std::size_t heads = settings.num_heads + layer.removed_heads().size();
  return are_shared ? heads / (settings.num_heads / settings.num_kv_heads) : heads;
}

}  // namespace

std::vector<std::size_t> whole_shape(const NamedParameter& parameter) {
  std::vector<std::size_t> whole = parameter.shape;
  if (const AttentionLayer* layer = parameter.layer; layer != nullptr) {
    if (const HeadAxes axes = axes_of(parameter); axes.outer > 0) {
      whole[parameter.name_in_layer() == "W_o.weight" ? 1 : 0] =
          whole_heads(*layer, axes.is_shared) * layer->settings().head_size;
    }
  }
  return whole;
}

void write_whole(const NamedParameter& parameter, const float* values, float* whole) {
  const AttentionLayer& layer = *parameter.layer;
  const HeadAxes axes = axes_of(parameter);
  if (axes.outer == 0) {
    std::copy_n(values, parameter.size(), whole);
    return;
  }
  const std::vector<std::size_t> left = heads_left(layer, axes.is_shared);
  const std::size_t row = whole_heads(layer, axes.is_shared) * axes.inner;
  write_zeros(whole, axes.outer * row);
  for (std::size_t outer = 0; outer < axes.outer; ++outer) {
    for (const std::size_t head : left) {
      std::copy_n(values, axes.inner, whole + outer * row + head * axes.inner);
      values += axes.inner;
    }
  }
}

}  // namespace headwise
