#include <catch2/catch_test_macros.hpp>
#include <headwise/headwise.hpp>
#include <vector>

#include "compare.hpp"

// What callers may pass in place of tensors of the library's own kind.
namespace headwise::test {
namespace {

constexpr MultiHeadAttentionOptions small = {.num_hiddens = 4, .num_heads = 2, .seed = 1};

TEST_CASE("Row-major floats are read where they lie, and everything else is evaluated") {
  const Tensor<3> X = randn<3>({2, 3, 4}, 1);
  std::vector<float> numbers(X.begin(), X.end());
  const xt::xarray<float> array = X;
  const auto adapted = xt::adapt(numbers, std::array<std::size_t, 3>{2, 3, 4});
  const xt::xtensor<float, 3, xt::layout_type::column_major> columns = X;
  const xt::xtensor<double, 3> doubles = X;
  CHECK(TensorView<3>(X).data() == X.data());
  CHECK(TensorView<3>(array).data() == array.data());
  CHECK(TensorView<3>(adapted).data() == numbers.data());
  CHECK(TensorView<3>(numbers, {2, 3, 4}).data() == numbers.data());

  MultiHeadAttention attention(small);
  const Tensor<3> expected = attention.forward(X, X, X).output;
  const std::vector<TensorView<3>> views = {X,       array,   adapted,  {numbers, {2, 3, 4}},
                                            columns, doubles, X * 1.0F, Tensor<3>(X)};
  for (const TensorView<3>& view : views) {
    CHECK(attention.forward(view, view, view).output == expected);
  }
  CHECK(attention.forward(array, adapted, columns).output == expected);
  const Tensor<2> sample = randn<2>({3, 4}, 1);
  const xt::xarray<float> one = sample;
  const TensorView<2> view(one);
  CHECK(attention.forward(view, view, view).output ==
        attention.forward(sample, sample, sample).output);
  CHECK(error_of([&] { attention.forward(one, one, one); }) ==
        "invalid-shape; tensor: expected 3 axes, got (3, 4)");
  CHECK(error_of([&] { TensorView<3>(numbers, {2, 3, 5}); }) ==
        "invalid-shape; tensor: expected 30 numbers, got 24");
}

/// Gives its own memory, of `limit` numbers.
struct Given final : ResultMemory {
  float* of(ResultName /*name*/, std::span<const std::size_t> shape) override {
    return shape[0] * shape[1] * shape[2] <= limit ? numbers.data() : throw std::bad_alloc();
  }
  std::vector<float> numbers = std::vector<float>(24);
  std::size_t limit = 24;
};

TEST_CASE("Results are written to given memory, and without memory nothing changes") {
  const Tensor<3> X = randn<3>({2, 3, 4}, 1);
  MultiHeadAttention attention(small);
  KeyValueCache cache = (attention.forward(X, X, X), attention.create_cache({2, 3}));
  const auto step = [&](Given& given) {
    const TensorView<3> view(X);
    attention.forward(view, view, view, {.cache = &cache}, given);
  };
  Given given;
  given.limit = 23;
  CHECK(error_of([&] { step(given); }).starts_with("out-of-memory"));
  CHECK(cache.length() == 0);
  given.limit = 24;
  step(given);
  const Tensor<3> expected = attention.forward(X, X, X).output;
  CHECK(std::ranges::equal(given.numbers, expected));
}

TEST_CASE("Lengths and gates may be lists, vectors and expressions") {
  const Tensor<3> X = randn<3>({2, 3, 4}, 1);
  MultiHeadAttention attention(small);
  const Tensor<3> expected =
      attention.forward(X, X, X, {.valid_lens = xt::xtensor<std::int64_t, 1>{3, 2}}).output;
  const xt::xtensor<std::int32_t, 1> ints = {3, 2};
  const xt::xarray<std::int64_t> array = {3, 2};
  for (const ValidLens& lens :
       std::vector<ValidLens>{{3, 2}, std::vector<int>{3, 2}, ints, array, ints + 0}) {
    CHECK(attention.forward(X, X, X, {.valid_lens = lens}).output == expected);
  }
  const xt::xarray<int> by_query = {{3, 3, 3}, {2, 2, 2}};
  CHECK(attention.forward(X, X, X, {.valid_lens = by_query}).output == expected);
  const Tensor<3> gated = attention.forward(X, X, X, {.head_gate = {1, 0.5F}}).output;
  CHECK(attention.forward(X, X, X, {.head_gate = std::vector<double>{1, 0.5}}).output == gated);
  const auto with_three_axes = xt::xarray<int>::from_shape({1, 1, 1});
  CHECK(error_of([&] { attention.forward(X, X, X, {.valid_lens = with_three_axes}); }) ==
        "invalid-shape; valid_lens: expected (2,) or (2, 3), got (1, 1, 1)");
}

TEST_CASE("A layer or a model is trained without a list") {
  MultiHeadAttention attention(small);
  Transformer model({.vocabulary_size = 5,
                     .max_length = 4,
                     .num_hiddens = 4,
                     .num_layers = 1,
                     .num_heads = 2,
                     .seed = 1});
  CHECK(SGD(attention, {.learning_rate = 0.5}).trains_only({&attention}));
  CHECK(Adam(model).trains_only(model.trainables()));
  CHECK(clip_gradient_norm(model, 1) == 0);
}

}  // namespace
}  // namespace headwise::test
