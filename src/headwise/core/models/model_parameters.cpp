#include <algorithm>
#include <headwise/core/attention/positional_encoding.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/random.hpp>

namespace headwise {

std::string prefix_of_layer(std::size_t layer) { return "layers." + std::to_string(layer) + "."; }

ModelParameters::ModelParameters(const Sizes& sizes, std::uint64_t seed) : sizes_(sizes) {
  const auto [vocabulary_size, max_length, num_hiddens, num_layers, learned_positions, layer_norm] =
      sizes;
  table_.add("embedding.weight", {vocabulary_size, num_hiddens});
  if (learned_positions) {
    table_.add("position.weight", {max_length, num_hiddens});
  } else {
    sinusoids_ = AlignedFloats(saturating_product(max_length, num_hiddens));
    positional_encoding_into(max_length, num_hiddens, sinusoids_.data());
  }
  for (std::size_t layer = 0; layer_norm && layer <= num_layers; ++layer) {
    const std::string prefix = (layer < num_layers ? prefix_of_layer(layer) : "") + "norm.";
    table_.add(prefix + "weight", {num_hiddens});
    table_.add(prefix + "bias", {num_hiddens});
  }
  table_.add("unembedding.weight", {vocabulary_size, num_hiddens});
  values_ = AlignedFloats(table_.size());
  packed_unembedding_ = AlignedFloats(unembedding_sizes().packed_size());
  initialize(seed);
}

/// PyTorch's defaults: N(0, 1) for `nn.Embedding`, 1 and 0 for `nn.LayerNorm`, U(−1/√n, 1/√n) for
/// `nn.Linear`.
void ModelParameters::initialize(std::uint64_t seed) noexcept {
  values_.fill(0.0F);
  fill_normal(values(embedding), table_.entries()[embedding].size(), seed, random_stream::model);
  if (sizes_.learned_positions) {
    fill_normal(values(position), table_.entries()[position].size(), seed,
                random_stream::model + 1);
  }
  for (std::size_t layer = 0; sizes_.layer_norm && layer <= sizes_.num_layers; ++layer) {
    std::fill_n(values(norm(layer)), sizes_.num_hiddens, 1.0F);
  }
  fill_uniform(values(unembedding_index()), table_.entries().back().size(),
               inverse_root(sizes_.num_hiddens), seed, random_stream::model + 2);
}

Linear ModelParameters::unembedding() const noexcept {
  return {.sizes = unembedding_sizes(),
          .weight = values(unembedding_index()),
          .packed = packed_unembedding_.data()};
}

void ModelParameters::pack() noexcept {
  if (!packed_is_current_) {
    headwise::pack(unembedding_sizes(), values(unembedding_index()), packed_unembedding_.data());
    packed_is_current_ = true;
  }
}

}  // namespace headwise
