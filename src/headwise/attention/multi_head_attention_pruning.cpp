#include <algorithm>
#include <headwise/attention/head_pruning.hpp>
#include <headwise/attention/multi_head_attention.hpp>
#include <headwise/attention/validation.hpp>
#include <headwise/parameter_names.hpp>
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
  if constexpr (validation::enabled) {
    validation::check_prune_heads(*this, heads);
  }
  report_out_of_memory([&] {
    const std::set<std::size_t> each_once(heads.begin(), heads.end());
    remove_heads(std::vector<std::size_t>(each_once.begin(), each_once.end()));
  });
}

void MultiHeadAttention::remove_heads(std::span<const std::size_t> heads) {
  if (heads.empty()) {
    return;
  }
  const std::vector<RemovedSlice> slices = slices_of_heads(settings_, heads);
  const std::vector<ParameterShape> shapes = parameter_shapes(settings_, input_sizes());
  const LayerSettings settings = without_heads(settings_, heads);
  LayerParameters parameters(settings, input_sizes());
  ParameterGradients gradients;
  if (gradients_.exist()) {
    gradients = ParameterGradients(settings, input_sizes());
  }
  removed_slices_.reserve(removed_slices_.size() + slices.size());

  // All memory is there: from here on nothing fails, and the old numbers may be cut to pieces.
  for (const ParameterShape& parameter : shapes) {
    const auto move_rest = [&](float* numbers, float* smaller) {
      std::copy_n(numbers, cut_slices(numbers, parameter, slices), smaller);
    };
    move_rest(parameters_->data(parameter.number), parameters.data(parameter.number));
    if (gradients_.exist()) {
      move_rest(gradients_.data(parameter.number), gradients.data(parameter.number));
    }
  }
  parameters_ = std::move(parameters);
  gradients_ = std::move(gradients);
  settings_ = settings;
  removed_slices_.insert(removed_slices_.end(), slices.begin(), slices.end());
  parameters_changed();
}

}  // namespace headwise
