#include <algorithm>
#include <functional>
#include <headwise/attention/positional_encoding.hpp>
#include <headwise/models/model_parameters.hpp>
#include <headwise/random.hpp>
#include <numeric>
#include <utility>

namespace headwise {

std::string prefix_of_layer(std::size_t layer) { return "layers." + std::to_string(layer) + "."; }

std::size_t ModelParameters::Entry::size() const noexcept {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

ModelParameters::ModelParameters(const Sizes& sizes, std::uint64_t seed)
    : sizes_(sizes), unembedding_({.in = sizes.num_hiddens, .out = sizes.vocabulary_size}, false) {
  const auto [vocabulary_size, max_length, num_hiddens, num_layers, learned_positions, layer_norm] =
      sizes;
  add("embedding.weight", {vocabulary_size, num_hiddens});
  if (learned_positions) {
    add("position.weight", {max_length, num_hiddens});
  } else {
    sinusoids_ = Tensor<2>::from_shape({max_length, num_hiddens});
    positional_encoding_into(max_length, num_hiddens, sinusoids_.data());
  }
  for (std::size_t layer = 0; layer_norm && layer <= num_layers; ++layer) {
    const std::string prefix = (layer < num_layers ? prefix_of_layer(layer) : "") + "norm.";
    add(prefix + "weight", {num_hiddens});
    add(prefix + "bias", {num_hiddens});
  }
  add("unembedding.weight", {vocabulary_size, num_hiddens});
  values_ = Tensor<1>::from_shape({entries_.back().offset});
  initialize(seed);
}

void ModelParameters::add(std::string name, std::vector<std::size_t> shape) {
  const std::size_t offset = entries_.empty() ? 0 : entries_.back().offset + entries_.back().size();
  entries_.push_back({.name = std::move(name), .shape = std::move(shape), .offset = offset});
}

/// PyTorch's defaults: N(0, 1) for `nn.Embedding`, 1 and 0 for `nn.LayerNorm`, U(−1/√n, 1/√n) for
/// `nn.Linear`.
void ModelParameters::initialize(std::uint64_t seed) {
  std::fill(values_.begin(), values_.end(), 0.0F);
  fill_normal(writable_values(embedding), entries_[embedding].size(), seed, random_stream::model);
  if (sizes_.learned_positions) {
    fill_normal(writable_values(position), entries_[position].size(), seed,
                random_stream::model + 1);
  }
  for (std::size_t layer = 0; sizes_.layer_norm && layer <= sizes_.num_layers; ++layer) {
    std::fill_n(writable_values(norm(layer)), sizes_.num_hiddens, 1.0F);
  }
  unembedding_.initialize(seed, random_stream::model + 2);
}

const float* ModelParameters::values(std::size_t place) const noexcept {
  return place == unembedding_place() ? unembedding_.weight().data()
                                      : values_.data() + entries_[place].offset;
}

float* ModelParameters::writable_values(std::size_t place) noexcept {
  return place == unembedding_place() ? unembedding_.weight_data()
                                      : values_.data() + entries_[place].offset;
}

void ModelParameters::prepare_gradients() {
  if (!have_gradients()) {
    gradients_ = Tensor<1>::from_shape({entries_.back().offset + entries_.back().size()});
    zero_gradients();
  }
}

std::vector<TrainableParameter> ModelParameters::trainable_parameters() {
  std::vector<TrainableParameter> result;
  for (std::size_t place = 0; have_gradients() && place < entries_.size(); ++place) {
    const Entry& entry = entries_[place];
    const std::size_t rows = entry.shape.front();
    result.push_back({.name = entry.name,
                      .values = writable_values(place),
                      .gradients = gradient(place),
                      .rows = rows,
                      .columns = entry.size() / rows});
  }
  return result;
}

}  // namespace headwise
