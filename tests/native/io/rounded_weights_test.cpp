#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <cmath>
#include <headwise/core/io/number_types.hpp>

#include "compare.hpp"

/// Files of weights of less than 32 bits, and the conversion to float16.
namespace headwise::test {
namespace {

StateDict dict_of(Precision weights) {
  return MultiHeadAttention({.num_hiddens = 12,
                             .num_heads = 3,
                             .bias = true,
                             .query_size = 7,
                             .key_size = 5,
                             .value_size = 12,
                             .weights = weights,
                             .seed = 1})
      .state_dict();
}

TEST_CASE("Rounded weights come back from a file of their precision as they were") {
  for (const Precision precision : {Precision::float16, Precision::int8}) {
    const StateDict dict = dict_of(precision);
    const auto file = save_safetensors(dict, {}, {}, precision);
    CHECK(file.size() < save_safetensors(dict).size());
    CHECK(state_dict_of(load_safetensors(file)) == dict);
  }
}

TEST_CASE("A file rounds weights and leaves biases alone") {
  const StateDict dict = dict_of(Precision::float32);
  const Safetensors halves = load_safetensors(save_safetensors(dict, {}, {}, Precision::float16));
  CHECK(halves.tensors == dict_of(Precision::float16));
  const Safetensors int8 = load_safetensors(save_safetensors(dict, {}, {}, Precision::int8));
  CHECK(int8.integers.size() == 4);
  CHECK(int8.tensors.at("W_q.weight_scale").shape() == xt::dynamic_shape<std::size_t>{12, 1});
  CHECK(int8.tensors.at("W_q.bias") == dict.at("W_q.bias"));
  CHECK(state_dict_of(int8) == dict_of(Precision::int8));
}

TEST_CASE("Factors have names that no other tensor has") {
  StateDict dict = dict_of(Precision::float32);
  dict.emplace("W_k.weight_scale", xt::xarray<float>::from_shape({2}));
  CHECK_NOTHROW(save_safetensors(dict));
  CHECK_THROWS_WITH(save_safetensors(dict, {}, {}, Precision::int8),
                    "tensors: expected every name once, got 'W_k.weight_scale' twice");
}

TEST_CASE("float_to_half rounds to nearest, the even one of two") {
  // Between neighbours: just below the middle, the middle, just above it.
  for (std::uint32_t half = 0; half < 0x7BFF; ++half) {
    const float low = io::half_to_float(static_cast<std::uint16_t>(half));
    const float high = io::half_to_float(static_cast<std::uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;  // exact
    REQUIRE(io::float_to_half(low) == half);
    REQUIRE(io::float_to_half(std::nextafter(middle, low)) == half);
    REQUIRE(io::float_to_half(std::nextafter(middle, high)) == half + 1);
    REQUIRE(io::float_to_half(middle) == half + half % 2);
    REQUIRE(io::float_to_half(-middle) == 0x8000 + half + half % 2);
  }
  CHECK(std::isnan(io::half_to_float(io::float_to_half(nan))));
  CHECK(io::float_to_half(65519.99F) == 0x7BFF);
  CHECK(io::float_to_half(65520.0F) == 0x7C00);
  CHECK(io::float_to_half(-infinity) == 0xFC00);
  CHECK(io::float_to_half(std::numeric_limits<float>::denorm_min()) == 0);
}

}  // namespace
}  // namespace headwise::test
