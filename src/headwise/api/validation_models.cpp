#include <algorithm>
#include <array>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>

namespace headwise::validation {

void check_model_in_use(const Transformer& model) { check_in_use(model.in_use(), "model"); }

void check_model(const Transformer& model) {
  check_model_in_use(model);
  const std::size_t size = model.settings().num_hiddens;
  model.core().for_each_layer([&](Side side, std::size_t number, const AttentionLayer& layer) {
    check_in_use(layer.in_use(), "layer");
    const std::array<std::size_t, 4> sizes = {
        layer.query_size().value_or(0), layer.key_size().value_or(0),
        layer.value_size().value_or(0), layer.settings().output_size};
    const auto other = std::ranges::find_if(sizes, [&](std::size_t each) { return each != size; });
    if (other != sizes.end()) {
      fail_option("#[#]: expected inputs and output of num_hiddens (#), got #",
                  {name_of_side(side, "layers"), number, size,
                   *other == 0 ? Part("unknown sizes") : Part(*other)});
    }
  });
}

std::vector<std::vector<std::size_t>> check_prune_heads(
    const Transformer& model, const std::map<std::int64_t, std::vector<std::int64_t>>& heads,
    Side side) {
  check_model(model);
  const std::vector<MultiHeadAttention>& layers = model.attention_layers(side);
  const auto num_layers = static_cast<std::int64_t>(layers.size());
  std::vector<std::vector<std::size_t>> removed(layers.size());
  for (const auto& [layer, list] : heads) {
    if (num_layers == 0) {
      fail_option("heads: expected no layers, got #", {layer});
    }
    if (layer < 0 || layer >= num_layers) {
      fail_option("heads: expected layers from 0 to #, got #", {num_layers - 1, layer});
    }
    const auto number = static_cast<std::size_t>(layer);
    const std::vector<double> given(list.begin(), list.end());
    removed[number] =
        check_prune_heads(layers[number], given, "heads[" + std::to_string(layer) + "]");
  }
  return removed;
}

}  // namespace headwise::validation
