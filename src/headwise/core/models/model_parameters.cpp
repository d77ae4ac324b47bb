#include <algorithm>
#include <functional>
#include <headwise/core/memory/checked_sizes.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/error.hpp>
#include <headwise/positional_encoding.hpp>
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
    sinusoids_ = make_tensor<2>({max_length, num_hiddens});
    positional_encoding_into(max_length, num_hiddens, sinusoids_.data());
  }
  for (std::size_t layer = 0; layer_norm && layer <= num_layers; ++layer) {
    const std::string prefix = (layer < num_layers ? prefix_of_layer(layer) : "") + "norm.";
    add(prefix + "weight", {num_hiddens});
    add(prefix + "bias", {num_hiddens});
  }
  add("unembedding.weight", {vocabulary_size, num_hiddens});
  values_ = make_tensor<1>({entries_.back().offset});
  initialize(seed);
}

void ModelParameters::add(std::string name, std::vector<std::size_t> shape) {
  static_cast<void>(checked_count(shape, sizeof(float)));
  const std::size_t offset = entries_.empty()
                                 ? 0
                                 : checked_count(static_cast<double>(entries_.back().offset) +
                                                 static_cast<double>(entries_.back().size()));
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

Tensor<1> ModelParameters::allocate_gradients() const {
  if (have_gradients()) {
    return {};
  }
  Tensor<1> gradients = make_tensor<1>({checked_count(
      static_cast<double>(entries_.back().offset) + static_cast<double>(entries_.back().size()))});
  gradients.fill(0.0F);
  return gradients;
}

void ModelParameters::keep_gradients(Tensor<1>&& gradients) noexcept {
  if (!have_gradients()) {
    gradients_ = std::move(gradients);
  }
}

std::vector<TrainableParameter> ModelParameters::trainable_parameters() {
  return report_out_of_memory([&] {
    std::vector<TrainableParameter> result;
    for (const Entry& entry : entries_) {
      const std::size_t rows = entry.shape.front();
      result.push_back({.name = entry.name,
                        .values = nullptr,
                        .gradients = nullptr,
                        .rows = rows,
                        .columns = entry.size() / rows});
    }
    locate(result);
    return result;
  });
}

void ModelParameters::locate(std::span<TrainableParameter> parameters) noexcept {
  for (std::size_t place = 0; place < parameters.size(); ++place) {
    parameters[place].values = writable_values(place);
    parameters[place].gradients = have_gradients() ? gradient(place) : nullptr;
  }
}

}  // namespace headwise
