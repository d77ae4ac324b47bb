#include <algorithm>
#include <headwise/core/memory/zeros.hpp>
#include <headwise/core/models/activations.hpp>
#include <ranges>

namespace headwise {
namespace {

float* row_of(const ActivationView& view, std::size_t sample, std::size_t head,
              std::size_t row) noexcept {
  return view.data.head(sample, head) + row * view.data.row_stride;
}

/// The mean of one number of a head over batch and rows.
float mean_of(const ActivationView& view, std::size_t head, std::size_t element) noexcept {
  double sum = 0;
  for (std::size_t sample = 0; sample < view.batch; ++sample) {
    for (std::size_t row = 0; row < view.rows; ++row) {
      sum += static_cast<double>(row_of(view, sample, head, row)[element]);
    }
  }
  return static_cast<float>(sum / static_cast<double>(view.batch * view.rows));
}

/// Writes each number's mean into the chosen rows.
void write_mean(const ActivationPatch& patch, const ActivationView& view) noexcept {
  const std::size_t heads = patch.heads != nullptr ? patch.num_heads : view.heads;
  for (std::size_t i = 0; i < heads; ++i) {
    const std::int32_t head =
        patch.heads != nullptr ? patch.heads[i] : static_cast<std::int32_t>(i);
    ActivationPatch of_head = patch;
    of_head.heads = &head;
    of_head.num_heads = 1;
    for (std::size_t element = 0; element < view.size; ++element) {
      const float mean = mean_of(view, static_cast<std::size_t>(head), element);
      for_each_chosen_row(of_head, view.batch, view.heads, view.rows,
                          [&](std::size_t sample, std::size_t of, std::size_t row, std::size_t) {
                            row_of(view, sample, of, row)[element] = mean;
                          });
    }
  }
}

}  // namespace

ActivationAxes axes_of(ActivationName name, const ActivationSizes& sizes) noexcept {
  using enum ActivationName;
  switch (name) {
    case queries:
    case z:
      return {
          .heads = sizes.num_heads, .rows = sizes.rows, .size = sizes.head_size, .has_heads = true};
    case keys:
    case values:
      return {.heads = sizes.num_kv_heads,
              .rows = sizes.keys,
              .size = sizes.head_size,
              .has_heads = true};
    case scores:
    case pattern:
    case dropped_weights:
      return {.heads = sizes.num_heads, .rows = sizes.rows, .size = sizes.keys, .has_heads = true};
    case head_out:
      return {.heads = sizes.num_heads,
              .rows = sizes.rows,
              .size = sizes.num_hiddens,
              .has_heads = true};
    case key_mass:
      return {.heads = sizes.num_heads, .rows = sizes.keys, .has_heads = true, .has_size = false};
    case row_entropy:
      return {.heads = sizes.num_heads, .rows = sizes.rows, .has_heads = true, .has_size = false};
    case final_norm_scale:
      return {.rows = sizes.rows, .has_size = false};
    default:
      return {.rows = sizes.rows, .size = sizes.num_hiddens};
  }
}

const ActivationCapture* PassProbe::capture(ActivationPlace place) const noexcept {
  const auto found = std::ranges::find(captures, place, &ActivationCapture::place);
  return found != captures.end() ? &*found : nullptr;
}

bool PassProbe::patches_any(ActivationPlace place) const noexcept {
  return std::ranges::find(patches, place, &ActivationPatch::place) != patches.end();
}

bool PassProbe::replaces(ActivationPlace place, std::size_t sample, std::size_t head,
                         std::size_t row) const noexcept {
  const auto chooses = [](const std::int32_t* list, std::size_t size, std::size_t index) {
    return list == nullptr ||
           std::find(list, list + size, static_cast<std::int32_t>(index)) != list + size;
  };
  return std::ranges::any_of(patches, [&](const ActivationPatch& patch) {
    return patch.place == place && patch.first_sample <= sample && sample < patch.end_sample &&
           chooses(patch.heads, patch.num_heads, head) &&
           chooses(patch.positions, patch.num_positions, row);
  });
}

void PassProbe::patch(ActivationPlace place, const ActivationView& view) const noexcept {
  for_each_patch(place, [&](const ActivationPatch& patch) {
    if (patch.kind == PatchKind::mean) {
      write_mean(patch, view);
      return;
    }
    for_each_chosen_row(
        patch, view.batch, view.heads, view.rows,
        [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t number) {
          float* to = row_of(view, sample, head, row);
          if (patch.kind == PatchKind::zero) {
            write_zeros(to, view.size);
          } else {
            std::copy_n(patch.value + number * view.size, view.size, to);
          }
        });
  });
}

void PassProbe::visit(ActivationPlace place, const ActivationView& view) const noexcept {
  patch(place, view);
  if (const ActivationCapture* wanted = capture(place); wanted != nullptr) {
    copy_positions(view, positions, num_positions, wanted->to);
  }
}

void PassProbe::clear_patched(ActivationPlace place, const ActivationView& view) const noexcept {
  for_each_patch(place, [&](const ActivationPatch& patch) {
    for_each_chosen_row(patch, view.batch, view.heads, view.rows,
                        [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t) {
                          write_zeros(row_of(view, sample, head, row), view.size);
                        });
  });
}

void copy_positions(const ActivationView& view, const std::int32_t* positions,
                    std::size_t num_positions, float* to) noexcept {
  const ActivationPatch all{.positions = positions, .num_positions = num_positions};
  for_each_chosen_row(
      all, view.batch, view.heads, view.rows,
      [&](std::size_t sample, std::size_t head, std::size_t row, std::size_t number) {
        std::copy_n(row_of(view, sample, head, row), view.size, to + number * view.size);
      });
}

KeptPatches::KeptPatches(std::span<const ActivationPatch> patches,
                         const std::function<std::size_t(const ActivationPatch&)>& floats_of)
    : patches_(patches.begin(), patches.end()) {
  std::size_t total = 0;
  const auto copy = [&](const std::int32_t*& list, std::size_t size) {
    if (list != nullptr) {
      // One more, because the address of an empty list may be null, which means all.
      std::vector<std::int32_t>& copied = lists_.emplace_back();
      copied.reserve(size + 1);
      copied.assign(list, list + size);
      list = copied.data();
    }
  };
  lists_.reserve(2 * patches_.size());
  for (ActivationPatch& patch : patches_) {
    copy(patch.heads, patch.num_heads);
    copy(patch.positions, patch.num_positions);
    total += floats_of(patch);
  }
  floats_ = AlignedFloats(total);
  float* next = floats_.data();
  for (ActivationPatch& patch : patches_) {
    patch.kept = next;
    next += floats_of(patch);
  }
}

}  // namespace headwise
