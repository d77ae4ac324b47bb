#include <algorithm>
#include <array>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/multi_head_attention.hpp>

namespace headwise::validation {

std::vector<std::size_t> check_prune_heads(const MultiHeadAttention& layer,
                                           std::span<const double> heads, std::string_view name) {
  check_in_use(layer.in_use(), "layer");
  const LayerSettings& settings = layer.settings();
  if (settings.projection == Projection::convolution) {
    fail_option("prune_heads: expected projection 'linear', got 'convolution'", {});
  }
  if (!settings.output_projection) {
    fail_option("prune_heads: expected a layer with W_o, got one without", {});
  }
  check_sizes_known(layer, "prune_heads");
  const std::array<std::size_t, 1> shape = {heads.size()};
  check_indices(name, {heads.data(), shape}, settings.num_heads);
  const std::size_t group_size = settings.num_heads / settings.num_kv_heads;
  std::vector<std::size_t> each_once;
  for (std::size_t first = 0; first < settings.num_heads; first += group_size) {
    const std::size_t before = each_once.size();
    for (std::size_t head = first; head < first + group_size; ++head) {
      if (std::ranges::find(heads, static_cast<double>(head)) != heads.end()) {
        each_once.push_back(head);
      }
    }
    const std::size_t given = each_once.size() - before;
    if (given != 0 && given != group_size) {
      fail_option(
          "#: expected all or none of the heads # to #, which share a key-value head, got # of #",
          {name, first, first + group_size - 1, given, group_size});
    }
  }
  if (each_once.size() == settings.num_heads) {
    fail_option("#: expected at least one head to be left, got all #", {name, settings.num_heads});
  }
  return each_once;
}

}  // namespace headwise::validation
