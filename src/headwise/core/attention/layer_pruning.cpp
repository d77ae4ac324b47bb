#include <algorithm>
#include <headwise/core/attention/attention_layer.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/heap_sort.hpp>
#include <ranges>
#include <utility>

namespace headwise {
namespace {

using Axis = RemovedSlice::Axis;

/// Consecutive heads.
struct HeadRun {
  std::size_t first;
  std::size_t count;
};

/// Runs of heads, the last first, so that its removal moves none of the others.
std::vector<HeadRun> runs_from_the_last(std::span<const std::size_t> heads) {
  std::vector<HeadRun> runs;
  for (const std::size_t head : std::views::reverse(heads)) {
    if (!runs.empty() && runs.back().first == head + 1) {
      runs.back() = {.first = head, .count = runs.back().count + 1};
    } else {
      runs.push_back({.first = head, .count = 1});
    }
  }
  return runs;
}

/// Settings of the pruned layer: only numbers of heads and `num_hiddens` change, not the scale.
LayerSettings without_heads(const LayerSettings& settings, std::span<const std::size_t> heads) {
  const std::size_t group_size = settings.num_heads / settings.num_kv_heads;
  LayerSettings left = settings;
  left.num_heads -= heads.size();
  left.num_kv_heads -= heads.size() / group_size;
  left.num_hiddens = left.num_heads * left.head_size;
  return left;
}

/// Slices to be removed, in this order, from the layer's parameters and gradients: rows of W_q, W_k
/// and W_v with their biases, columns of W_o, and the heads' parts of bias_k and bias_v. The heads
/// share the parameters of additive pooling, which stay.
std::vector<RemovedSlice> slices_of_heads(const LayerSettings& settings,
                                          std::span<const std::size_t> heads) {
  const std::size_t group_size = settings.num_heads / settings.num_kv_heads;
  std::vector<RemovedSlice> slices;
  for (const auto [first, count] : runs_from_the_last(heads)) {
    const auto cut = [&](std::size_t number, Axis axis, std::size_t heads_of_row) {
      slices.push_back({.name = parameter_names[number],
                        .axis = axis,
                        .first = first / heads_of_row * settings.head_size,
                        .count = count / heads_of_row * settings.head_size});
    };
    const auto cut_projection = [&](std::size_t weight, std::size_t heads_of_row) {
      cut(weight, Axis::rows, heads_of_row);
      if (settings.bias) {
        cut(weight + 1, Axis::rows, heads_of_row);
      }
    };
    cut_projection(parameter_number::W_q, 1);
    cut_projection(parameter_number::W_k, group_size);
    cut_projection(parameter_number::W_v, group_size);
    cut(parameter_number::W_o, Axis::columns, 1);
    if (settings.bias_kv) {
      cut(parameter_number::bias_k, Axis::columns, group_size);
      cut(parameter_number::bias_v, Axis::columns, group_size);
    }
  }
  return slices;
}

}  // namespace

PrunedLayer AttentionLayer::allocate_without(std::span<const std::size_t> heads) const {
  const LayerSettings settings = without_heads(settings_, heads);
  PrunedLayer pruned{.settings = settings,
                     .parameters = LayerParameters(settings, input_sizes()),
                     .gradients = {},
                     .old_table = parameters_->table(),
                     .values = AlignedFloats(parameters_->table().size()),
                     .slices = slices_of_heads(settings_, heads),
                     .removed_slices = removed_slices_};
  if (!gradients_.empty()) {
    pruned.gradients = AlignedFloats(pruned.parameters.table().size());
  }
  for (const RemovedSlice& slice : pruned.slices) {
    pruned.removed_slices.push_back(slice);
  }
  return pruned;
}

void AttentionLayer::remove_heads(PrunedLayer&& pruned) noexcept {
  if (pruned.slices.empty()) {
    return;
  }
  const auto& entries = pruned.old_table.entries();
  for (std::size_t index = 0; index < entries.size(); ++index) {
    parameters_->stored().read(index, 0, entries[index].rows(),
                               pruned.values.data() + entries[index].offset);
  }
  // Blocks are compacted in place.
  for (const RemovedSlice& slice : pruned.slices) {
    pruned.old_table.cut(slice, pruned.values.data(), 1);
    if (!gradients_.empty()) {
      pruned.old_table.cut(slice, gradients_.data(), 1);
    }
    pruned.old_table.remove(slice);
  }
  for (std::size_t index = 0; index < entries.size(); ++index) {
    pruned.parameters.stored().write(index, 0, entries[index].rows(),
                                     pruned.values.data() + entries[index].offset);
  }
  std::copy_n(gradients_.data(), pruned.gradients.size(), pruned.gradients.data());
  parameters_ = std::move(pruned.parameters);
  gradients_ = std::move(pruned.gradients);
  settings_ = pruned.settings;
  removed_slices_ = std::move(pruned.removed_slices);
  parameters_changed();
}

std::vector<std::size_t> AttentionLayer::removed_heads() const {
  std::vector<std::size_t> removed;
  // The last removal is undone first: heads behind the removed ones move back by as many.
  for (const RemovedSlice& slice : std::views::reverse(removed_slices_)) {
    if (slice.name != parameter_names[parameter_number::W_q]) {
      continue;
    }
    const std::size_t first = slice.first / settings_.head_size;
    const std::size_t count = slice.count / settings_.head_size;
    for (std::size_t& head : removed) {
      head += head >= first ? count : 0;
    }
    for (std::size_t head = first; head < first + count; ++head) {
      removed.push_back(head);
    }
  }
  heap_sort(removed);
  return removed;
}

}  // namespace headwise
