#include <algorithm>
#include <headwise/api/validation.hpp>
#include <headwise/core/attention/head_pruning.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/multi_head_attention.hpp>
#include <set>
#include <utility>

namespace headwise {
namespace {

/// Cuts the parameter's slices out; what is left stands at its beginning. Returns how much that is.
std::size_t cut_slices(float* numbers, const ParameterShape& parameter,
                       std::span<const RemovedSlice> slices) noexcept {
  std::size_t rows = parameter.rows();
  std::size_t columns = parameter.columns();
  for (const RemovedSlice& slice : slices) {
    if (slice.name == parameter_names[parameter.number]) {
      cut_slice(numbers, rows, columns, slice);
      (slice.axis == RemovedSlice::Axis::rows ? rows : columns) -= slice.count;
    }
  }
  return rows * columns;
}

}  // namespace

void MultiHeadAttention::prune_heads(const std::vector<std::int64_t>& heads) {
  report_out_of_memory([&] {
    if constexpr (validation::enabled) {
      validation::check_prune_heads(*this, heads);
    }
    const std::set<std::size_t> each_once(heads.begin(), heads.end());
    remove_heads(allocate_without(std::vector<std::size_t>(each_once.begin(), each_once.end())));
  });
}

PrunedLayer MultiHeadAttention::allocate_without(std::span<const std::size_t> heads) const {
  const LayerSettings settings = without_heads(settings_, heads);
  PrunedLayer pruned{.settings = settings,
                     .parameters = LayerParameters(settings, input_sizes()),
                     .gradients = {},
                     .old_shapes = parameter_shapes(settings_, input_sizes()),
                     .slices = slices_of_heads(settings_, heads),
                     .removed_slices = removed_slices_};
  if (gradients_.exist()) {
    pruned.gradients = ParameterGradients(settings, input_sizes());
  }
  pruned.removed_slices.insert(pruned.removed_slices.end(), pruned.slices.begin(),
                               pruned.slices.end());
  return pruned;
}

void MultiHeadAttention::remove_heads(PrunedLayer&& pruned) noexcept {
  if (pruned.slices.empty()) {
    return;
  }
  for (const ParameterShape& parameter : pruned.old_shapes) {
    // The old numbers may be cut to pieces: nothing fails from here on.
    const auto move_rest = [&](float* numbers, float* smaller) {
      std::copy_n(numbers, cut_slices(numbers, parameter, pruned.slices), smaller);
    };
    move_rest(parameters_->data(parameter.number), pruned.parameters.data(parameter.number));
    if (gradients_.exist()) {
      move_rest(gradients_.data(parameter.number), pruned.gradients.data(parameter.number));
    }
  }
  parameters_ = std::move(pruned.parameters);
  gradients_ = std::move(pruned.gradients);
  settings_ = pruned.settings;
  removed_slices_ = std::move(pruned.removed_slices);
  parameters_changed();
}

}  // namespace headwise
