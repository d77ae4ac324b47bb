#include "peer_problem.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headwise::benchmarks {
namespace {

struct Shape {
  std::string kind;
  std::size_t batch = 0;
  std::size_t queries = 0;
  std::size_t keys = 0;
  std::size_t num_hiddens = 0;
  std::int64_t num_heads = 0;
  ValidLens valid_lens;
};

Shape read_shape(std::istream& in) {
  std::string text;
  std::getline(in, text);
  std::istringstream line(text);
  Shape shape;
  line >> shape.kind >> shape.batch >> shape.queries >> shape.keys >> shape.num_hiddens >>
      shape.num_heads;
  if (!line) {
    throw std::runtime_error("expected a problem, got '" + text + "'");
  }
  const std::vector<std::int64_t> lens(std::istream_iterator<std::int64_t>(line), {});
  if (!lens.empty()) {
    auto tensor = xt::xtensor<std::int64_t, 1>::from_shape({lens.size()});
    std::copy(lens.begin(), lens.end(), tensor.begin());
    shape.valid_lens = std::move(tensor);
  }
  return shape;
}

void read_numbers(std::istream& in, float* numbers, std::size_t count) {
  const auto bytes = static_cast<std::streamsize>(count * sizeof(float));
  in.read(reinterpret_cast<char*>(numbers), bytes);
  if (in.gcount() != bytes) {
    throw std::runtime_error("the numbers end too early");
  }
}

Tensor<3> read_tensor(std::istream& in, std::size_t batch, std::size_t rows, std::size_t columns) {
  auto tensor = Tensor<3>::from_shape({batch, rows, columns});
  read_numbers(in, tensor.data(), tensor.size());
  return tensor;
}

std::span<const float> numbers_of(const Tensor<3>& tensor) {
  return {tensor.data(), tensor.size()};
}

Call softmax(std::istream& in, const Shape& shape) {
  return [scores = read_tensor(in, shape.batch, shape.queries, shape.keys),
          valid_lens = shape.valid_lens, weights = Tensor<3>()]() mutable {
    weights = masked_softmax(scores, valid_lens);
    return numbers_of(weights);
  };
}

/// A layer with its inputs; not to be copied, as a cache knows the layer that made it.
struct Layer {
  Tensor<3> queries;
  Tensor<3> keys;
  MultiHeadAttention attention;
  ForwardOptions options = {};
  std::optional<KeyValueCache> cache = {};
  Tensor<3> output = {};
};

MultiHeadAttention read_layer(std::istream& in, const Shape& shape) {
  StateDict parameters;
  for (const char* name : {"W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight"}) {
    auto weight = xt::xarray<float>::from_shape({shape.num_hiddens, shape.num_hiddens});
    read_numbers(in, weight.data(), weight.size());
    parameters[name] = std::move(weight);
  }
  return MultiHeadAttention::from_state_dict(parameters, {.num_heads = shape.num_heads});
}

Call layer(std::istream& in, const Shape& shape) {
  auto queries = read_tensor(in, shape.batch, shape.queries, shape.num_hiddens);
  auto keys =
      shape.kind == "self" ? queries : read_tensor(in, shape.batch, shape.keys, shape.num_hiddens);
  const auto problem = std::make_shared<Layer>(Layer{.queries = std::move(queries),
                                                     .keys = std::move(keys),
                                                     .attention = read_layer(in, shape),
                                                     .options = {.valid_lens = shape.valid_lens}});
  if (shape.kind == "cached") {
    auto& [x, y, attention, options, cache, output] = *problem;
    cache = attention.create_cache({.batch_size = static_cast<std::int64_t>(shape.batch),
                                    .max_length = static_cast<std::int64_t>(shape.keys)});
    options.cache = &*cache;
    attention.forward(x, y, y, options);
  }
  return [problem] {
    auto& [x, y, attention, options, cache, output] = *problem;
    // With a cache, the query attends to what it holds and adds nothing to it.
    output = (cache ? attention.forward(x, options) : attention.forward(x, y, y, options)).output;
    return numbers_of(output);
  };
}

}  // namespace

Call read_problem(std::istream& in) {
  const Shape shape = read_shape(in);
  return shape.kind == "softmax" ? softmax(in, shape) : layer(in, shape);
}

}  // namespace headwise::benchmarks
