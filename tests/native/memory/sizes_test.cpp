#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "every_allocation.hpp"
#include "worlds.hpp"

/// Sizes whose tensors no machine holds, products beyond what a number holds among them.
namespace headwise::test {
namespace {

constexpr std::int64_t largest_size = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t two_to(int exponent) { return std::int64_t{1} << exponent; }
constexpr std::int64_t all_bits = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t size_two_to(int exponent) { return std::size_t{1} << exponent; }

/// Far more than what any of these tests needs, far less than what a size here asks for.
constexpr std::size_t memory_of_machine = std::size_t{1} << 26U;

/// The code of what a call throws where memory is small.
template <typename Call>
std::string code_of(const Call& call) {
  const allocations::Limit limit(memory_of_machine);
  return std::string(thrown_by(call));
}

TEST_CASE("Batches of a task whose size is beyond memory") {
  const AssociativeRecallTask recall(
      {.num_names = 16, .num_values = 3, .num_pairs = 12, .num_questions = 8});
  const CopyTask copy({.num_symbols = 5, .length = 32});
  for (const Task* task : std::initializer_list<const Task*>{&copy, &recall}) {
    REQUIRE(task->length() == 32);
    for (const std::int64_t batch_size : {two_to(40), two_to(55), two_to(57), two_to(58) + 1,
                                          two_to(59), two_to(60) + 1, two_to(62) + 1, all_bits}) {
      CAPTURE(batch_size);
      CHECK(code_of([&] { return task->batch(1, batch_size); }) == "out-of-memory");
    }
  }
}

TEST_CASE("Tasks of sequences beyond memory") {
  for (const std::int64_t n : {largest_size, two_to(31), two_to(61), two_to(62), all_bits}) {
    CAPTURE(n);
    // Options that have a limit give invalid-option; others make a task whose batch fails.
    const auto check = [](const auto& make_task) {
      const std::string code = code_of([&] { return make_task().batch(1, 1); });
      CHECK((code == "out-of-memory" || code == "invalid-option"));
    };
    check([=] { return CopyTask({.num_symbols = 5, .length = n}); });
    check([=] { return CopyTask({.num_symbols = n, .length = n, .offset = n - 1}); });
    check([=] { return ReverseTask({.num_symbols = 5, .num_items = n}); });
    check([=] { return SortTask({.num_symbols = n, .num_items = n}); });
    check([=] { return AssociativeRecallTask({n, n, n, n}); });
    check([=] { return AssociativeRecallTask({5, 5, 2, n}); });
    check([=] { return InductionTask({n, n, 1, n}); });
  }
}

TEST_CASE("Caches beyond memory") {
  const MultiHeadAttention layer({.num_hiddens = 64,
                                  .num_heads = 2,
                                  .query_size = 3,
                                  .key_size = 3,
                                  .value_size = 3,
                                  .seed = 1});
  for (const std::int64_t batch_size : {std::int64_t{1}, two_to(29), two_to(30), largest_size}) {
    for (const std::int64_t max_length : {two_to(29), two_to(30), largest_size}) {
      CAPTURE(batch_size, max_length);
      const CacheOptions options{.batch_size = batch_size, .max_length = max_length};
      CHECK(code_of([&] { return layer.create_cache(options); }) == "out-of-memory");
    }
  }
}

TEST_CASE("Random tensors and positional encodings beyond memory") {
  const std::size_t side = size_two_to(32);
  for (const std::array<std::size_t, 3>& shape : std::vector<std::array<std::size_t, 3>>{
           {1, 1, size_two_to(40)},
           {size_two_to(63), 1, 1},
           {1, std::numeric_limits<std::size_t>::max(), 1},
           {1, side, side},
           {side + 1, side, 1},
           {2, size_two_to(63) + 1, 1},
           {size_two_to(22), size_two_to(21), size_two_to(21)}}) {
    CAPTURE(shape[0], shape[1], shape[2]);
    CHECK(code_of([&] { return randn<3>(shape, 1); }) == "out-of-memory");
  }
  CHECK(code_of([] { return randn<2>({0, 3}, 1); }).empty());
  for (const auto& [length, size] : std::vector<std::array<std::int64_t, 2>>{
           {largest_size, largest_size}, {two_to(30), two_to(30)}, {largest_size, 1}}) {
    CHECK(code_of([&] { return positional_encoding(length, size); }) == "out-of-memory");
  }
  CHECK(code_of([] { return positional_encoding(two_to(33), two_to(33)); }) == "invalid-option");
}

TEST_CASE("Layers beyond memory, at once or as soon as their sizes are known") {
  for (const std::int64_t size : {two_to(30), largest_size}) {
    const auto check = [&](bool is_large, const auto& change) {
      MultiHeadAttentionOptions options{.num_hiddens = is_large ? size : 8, .num_heads = 1};
      options.query_size = options.key_size = options.value_size = is_large ? size : 3;
      options.seed = 1;
      change(options);
      CAPTURE(options.num_hiddens, options.num_heads, static_cast<int>(options.projection),
              options.output_size.value_or(0), options.attention_hiddens.value_or(0));
      CHECK(code_of([&] { return MultiHeadAttention(options).num_heads(); }) == "out-of-memory");
      if (options.projection != Projection::linear || options.key_size > options.num_hiddens) {
        return;
      }
      options.query_size = options.key_size = options.value_size = std::nullopt;
      MultiHeadAttention layer(options);
      const auto X = randn<3>({1, 1, 1}, 1);
      for (const bool requires_grad : {false, true}) {
        CHECK(code_of([&] { return layer.forward(X, X, X, {.requires_grad = requires_grad}); }) ==
              "out-of-memory");
      }
      CHECK(code_of([&] { return layer.state_dict(); }) == "sizes-unknown");
    };
    check(true, [](auto& /*o*/) {});
    check(true, [=](auto& o) { o.num_heads = size; });
    check(true, [](auto& o) { o.bias = o.bias_kv = true; });
    check(true, [](auto& o) { o.projection = Projection::convolution; });
    for (const auto attention_hiddens : {std::optional<std::int64_t>(), std::optional(size)}) {
      check(true, [=](auto& o) {
        o.projection = Projection::none;
        o.pooling = Pooling::additive;
        o.attention_hiddens = attention_hiddens;
      });
    }
    check(false, [=](auto& o) { o.key_size = size; });
    check(false, [=](auto& o) { o.output_size = size; });
    check(false, [=](auto& o) {
      o.pooling = Pooling::additive;
      o.attention_hiddens = size;
    });
  }
}

TEST_CASE("Models beyond memory") {
  for (const std::int64_t size : {two_to(30), largest_size}) {
    const AttentionOnlyTransformerOptions small{
        .vocabulary_size = 5, .max_length = 7, .num_hiddens = 6, .num_heads = 1, .seed = 1};
    std::vector<AttentionOnlyTransformerOptions> all(6, small);
    all[0].vocabulary_size = all[1].max_length = all[2].max_length = size;
    all[2].positions = Positions::learned;
    all[3].num_hiddens = all[4].num_layers = size;
    all[5].vocabulary_size = all[5].max_length = all[5].num_hiddens = all[5].num_layers = size;
    all[5].positions = Positions::learned;
    all[5].layer_norm = true;
    for (const AttentionOnlyTransformerOptions& options : all) {
      CAPTURE(options.vocabulary_size, options.max_length, options.num_hiddens, options.num_layers);
      CHECK(code_of([&] { return AttentionOnlyTransformer(options).num_layers(); }) ==
            "out-of-memory");
    }
  }
}

TEST_CASE("Activations of all positions beyond memory, but not those of two") {
  using enum ActivationName;
  constexpr std::int64_t length = 2048;
  Transformer model({.vocabulary_size = 5,
                     .max_length = length,
                     .num_hiddens = 8,
                     .num_layers = 1,
                     .num_heads = 8,
                     .seed = 1});
  const Tokens tokens = xt::zeros<std::int64_t>({std::size_t{1}, std::size_t{length}});
  for (const ActivationName name : {scores, pattern, dropped_weights}) {
    TransformerForwardOptions options{.capture = {name}};
    CHECK(code_of([&] { return model.forward(tokens, options).hidden; }) == "out-of-memory");
    options.capture_positions = {{length - 1, 3}};
    CHECK(code_of([&] { return model.forward(tokens, options).hidden; }).empty());
  }
}

TEST_CASE("Numbers of heads that no tensor has") {
  MultiHeadAttention layer(layer_cases().front().options);
  const auto X = randn<3>({1, 2, 4}, 1);
  CHECK(code_of([&] { layer.prune_heads({two_to(62)}); }) == "invalid-option");
  CHECK(code_of([&] { return transpose_qkv(X, two_to(62)); }) == "invalid-option");
  CHECK(code_of([&] { return transpose_output(X, two_to(62)); }) == "invalid-option");
  CHECK(code_of([&] { return split_heads(X, two_to(62)); }) == "invalid-option");
  CHECK(layer.num_heads() == 4);
}

}  // namespace
}  // namespace headwise::test
