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
    check([=] { return CopyTask({.num_symbols = n, .length = 5}); });
    check([=] { return CopyTask({.num_symbols = n, .length = n, .offset = n - 1}); });
    check([=] { return ReverseTask({.num_symbols = 5, .num_items = n}); });
    check([=] { return SortTask({.num_symbols = n, .num_items = n}); });
    check([=] { return SortTask({.num_symbols = n, .num_items = 5}); });
    check([=] { return AssociativeRecallTask({n, n, n, n}); });
    check([=] { return AssociativeRecallTask({5, 5, 2, n}); });
    check([=] { return InductionTask({5, n, 2, 4}); });
    check([=] { return InductionTask({n, n, n - 1, n - 1}); });
    check([=] { return InductionTask({n, n, 1, n}); });
  }
}

TEST_CASE("Caches beyond memory") {
  for (const std::int64_t num_hiddens : {2, 64}) {
    MultiHeadAttention layer({.num_hiddens = num_hiddens,
                              .num_heads = 2,
                              .query_size = 3,
                              .key_size = 3,
                              .value_size = 3,
                              .seed = 1});
    for (const std::int64_t batch_size : {std::int64_t{1}, two_to(29), two_to(30), largest_size}) {
      for (const std::int64_t max_length : {two_to(29), two_to(30), largest_size}) {
        CAPTURE(num_hiddens, batch_size, max_length);
        const CacheOptions options{.batch_size = batch_size, .max_length = max_length};
        CHECK(code_of([&] { return layer.create_cache(options); }) == "out-of-memory");
      }
    }
  }
}

TEST_CASE("Random tensors and positional encodings beyond memory") {
  const std::size_t side = size_two_to(32);
  for (const std::array<std::size_t, 3>& shape : std::vector<std::array<std::size_t, 3>>{
           {1, 1, size_two_to(40)},
           {1, 1, size_two_to(62)},
           {size_two_to(63), 1, 1},
           {1, std::numeric_limits<std::size_t>::max(), 1},
           {1, side, side},
           {side + 1, side, 1},
           {2, 1, size_two_to(63)},
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
  std::vector<MultiHeadAttentionOptions> all;
  for (const std::int64_t size : {two_to(30), largest_size}) {
    const auto add = [&](std::int64_t hiddens, std::int64_t inputs, const auto& change) {
      all.push_back({.num_hiddens = hiddens,
                     .num_heads = 1,
                     .query_size = inputs,
                     .key_size = inputs,
                     .value_size = inputs,
                     .seed = 1});
      change(all.back());
    };
    add(size, size, [](auto& /*o*/) {});
    add(size, size, [=](auto& o) { o.num_heads = size; });
    add(size, size, [](auto& o) { o.bias = o.bias_kv = true; });
    add(size, size, [](auto& o) { o.projection = Projection::convolution; });
    for (const auto attention_hiddens : {std::optional<std::int64_t>(), std::optional(size)}) {
      add(size, size, [=](auto& o) {
        o.projection = Projection::none;
        o.pooling = Pooling::additive;
        o.attention_hiddens = attention_hiddens;
      });
    }
    add(8, 3, [=](auto& o) { o.key_size = size; });
    add(8, 3, [=](auto& o) { o.output_size = size; });
    add(8, 3, [=](auto& o) {
      o.pooling = Pooling::additive;
      o.attention_hiddens = size;
    });
  }
  for (MultiHeadAttentionOptions options : all) {
    CAPTURE(options.num_hiddens, options.num_heads, static_cast<int>(options.projection),
            options.output_size.value_or(0), options.attention_hiddens.value_or(0));
    CHECK(code_of([&] { return MultiHeadAttention(options).num_heads(); }) == "out-of-memory");
    if (options.projection != Projection::linear || options.key_size > options.num_hiddens) {
      continue;
    }
    options.query_size = options.key_size = options.value_size = std::nullopt;
    MultiHeadAttention layer(options);
    const auto X = randn<3>({1, 1, 1}, 1);
    for (const bool requires_grad : {false, true}) {
      CHECK(code_of([&] { return layer.forward(X, X, X, {.requires_grad = requires_grad}); }) ==
            "out-of-memory");
    }
    CHECK(code_of([&] { return layer.state_dict(); }) == "sizes-unknown");
  }
}

TEST_CASE("Models beyond memory") {
  for (const std::int64_t size : {two_to(30), largest_size}) {
    const auto check = [&](const auto& change) {
      AttentionOnlyTransformerOptions options{
          .vocabulary_size = 5, .max_length = 7, .num_hiddens = 6, .num_heads = 3, .seed = 1};
      change(options);
      CAPTURE(options.vocabulary_size, options.max_length, options.num_hiddens, options.num_layers,
              options.layer_norm);
      CHECK(code_of([&] { return AttentionOnlyTransformer(options).num_layers(); }) ==
            "out-of-memory");
    };
    check([&](auto& o) { o.vocabulary_size = size; });
    check([&](auto& o) { o.max_length = size; });
    check([&](auto& o) {
      o.max_length = size;
      o.positions = Positions::learned;
    });
    check([&](auto& o) {
      o.num_hiddens = size;
      o.num_heads = 1;
    });
    check([&](auto& o) { o.num_layers = size; });
    check([&](auto& o) {
      o.vocabulary_size = o.max_length = o.num_hiddens = o.num_layers = size;
      o.num_heads = 1;
      o.positions = Positions::learned;
      o.layer_norm = true;
    });
  }
}

TEST_CASE("Numbers of heads that no tensor has") {
  MultiHeadAttention layer(layer_cases().front().options);
  CHECK(code_of([&] { layer.prune_heads({two_to(62)}); }) == "invalid-option");
  CHECK(code_of([&] { return transpose_qkv(randn<3>({1, 2, 4}, 1), two_to(62)); }) ==
        "invalid-option");
  CHECK(code_of([&] { return transpose_output(randn<3>({4, 2, 1}, 1), two_to(62)); }) ==
        "invalid-option");
  CHECK(code_of([&] { return split_heads(randn<3>({1, 2, 4}, 1), two_to(62)); }) ==
        "invalid-option");
  CHECK(layer.num_heads() == 4);
}

}  // namespace
}  // namespace headwise::test
