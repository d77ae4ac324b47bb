#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <limits>
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
constexpr std::size_t size_two_to(int exponent) { return std::size_t{1} << exponent; }

/// Far more than what any of these tests needs, far less than what a size here asks for.
constexpr std::size_t memory_of_machine = std::size_t{1} << 26U;

/// The code of what a call throws where memory is small.
template <typename Call>
std::string code_of(const Call& call) {
  const allocations::Limit limit(memory_of_machine);
  return std::string(outcome_of(call).thrown);
}

TEST_CASE("Batches of a task whose size is beyond memory") {
  const CopyTask copy({.num_symbols = 5, .length = 32});
  const ReverseTask reverse({.num_symbols = 5, .num_items = 16});
  const SortTask sort({.num_symbols = 16, .num_items = 16});
  const AssociativeRecallTask recall(
      {.num_names = 16, .num_values = 3, .num_pairs = 12, .num_questions = 8});
  const InductionTask induction(
      {.num_symbols = 16, .length = 32, .min_period = 2, .max_period = 4});
  for (const Task* task :
       std::initializer_list<const Task*>{&copy, &reverse, &sort, &recall, &induction}) {
    REQUIRE(task->length() == 32);
    for (const std::int64_t batch_size :
         {two_to(40), two_to(55), two_to(56), two_to(57), two_to(58) + 1, two_to(59),
          two_to(59) + 1, two_to(60) + 1, two_to(62) + 1,
          std::numeric_limits<std::int64_t>::max()}) {
      CAPTURE(batch_size);
      CHECK(code_of([&] { return task->batch(1, batch_size); }) == "out-of-memory");
    }
    CHECK(task->batch(1, 2).tokens.size() == 64);
  }
}

/// What has a limit says so; what has none may be made, and gives no batch.
template <typename MyTask, typename Options>
void check_task_beyond_memory(const Options& options) {
  const std::string code = code_of([&] { return MyTask(options).batch(1, 1); });
  CHECK((code == "out-of-memory" || code == "invalid-option"));
}

TEST_CASE("Tasks of sequences beyond memory") {
  for (const std::int64_t size : {largest_size - 1, largest_size, two_to(31), two_to(61),
                                  two_to(62), std::numeric_limits<std::int64_t>::max()}) {
    CAPTURE(size);
    check_task_beyond_memory<CopyTask>(CopyOptions{.num_symbols = 5, .length = size});
    check_task_beyond_memory<CopyTask>(CopyOptions{.num_symbols = size, .length = 5});
    check_task_beyond_memory<CopyTask>(
        CopyOptions{.num_symbols = size, .length = size, .offset = size - 1});
    check_task_beyond_memory<CopyTask>(
        CopyOptions{.num_symbols = 5, .length = size, .offset = size});
    check_task_beyond_memory<ReverseTask>(SequenceOptions{.num_symbols = 5, .num_items = size});
    check_task_beyond_memory<ReverseTask>(SequenceOptions{.num_symbols = size, .num_items = 5});
    check_task_beyond_memory<SortTask>(SequenceOptions{.num_symbols = size, .num_items = 5});
    check_task_beyond_memory<SortTask>(SequenceOptions{.num_symbols = size, .num_items = size});
    check_task_beyond_memory<AssociativeRecallTask>(AssociativeRecallOptions{
        .num_names = size, .num_values = size, .num_pairs = size, .num_questions = size});
    check_task_beyond_memory<AssociativeRecallTask>(
        AssociativeRecallOptions{.num_names = 5, .num_values = size, .num_pairs = 2});
    check_task_beyond_memory<AssociativeRecallTask>(AssociativeRecallOptions{
        .num_names = 5, .num_values = 5, .num_pairs = 2, .num_questions = size});
    check_task_beyond_memory<InductionTask>(
        InductionOptions{.num_symbols = 5, .length = size, .min_period = 2, .max_period = 4});
    check_task_beyond_memory<InductionTask>(InductionOptions{
        .num_symbols = size, .length = size, .min_period = size - 1, .max_period = size - 1});
    check_task_beyond_memory<InductionTask>(
        InductionOptions{.num_symbols = size, .length = size, .min_period = 1, .max_period = size});
  }
}

TEST_CASE("Caches beyond memory") {
  for (const std::int64_t num_hiddens : {2, 8, 16, 32, 64}) {
    MultiHeadAttention layer({.num_hiddens = num_hiddens,
                              .num_heads = 2,
                              .query_size = 3,
                              .key_size = 3,
                              .value_size = 3,
                              .seed = 1});
    Fingerprint before;
    before.add("parameters", layer.state_dict());
    for (const std::int64_t batch_size : {std::int64_t{1}, two_to(29), two_to(30), largest_size}) {
      for (const std::int64_t max_length : {two_to(29), two_to(30), largest_size}) {
        CAPTURE(num_hiddens, batch_size, max_length);
        CHECK(code_of([&] {
                return layer.create_cache({.batch_size = batch_size, .max_length = max_length})
                    .length();
              }) == "out-of-memory");
      }
    }
    Fingerprint after;
    after.add("parameters", layer.state_dict());
    CHECK_FALSE(after.difference(before).has_value());
  }
}

TEST_CASE("Random tensors beyond memory") {
  const auto randn_code = [](const auto&... sizes) {
    constexpr std::size_t rank = sizeof...(sizes);
    return code_of([&] { return randn<rank>(std::array<std::size_t, rank>{sizes...}, 1).size(); });
  };
  CHECK(randn_code(size_two_to(40)) == "out-of-memory");
  CHECK(randn_code(size_two_to(62)) == "out-of-memory");
  CHECK(randn_code(size_two_to(63)) == "out-of-memory");
  CHECK(randn_code(std::numeric_limits<std::size_t>::max()) == "out-of-memory");
  CHECK(randn_code(size_two_to(33), size_two_to(33)) == "out-of-memory");
  CHECK(randn_code(size_two_to(32), size_two_to(32)) == "out-of-memory");
  CHECK(randn_code(size_two_to(32) + 1, size_two_to(32)) == "out-of-memory");
  CHECK(randn_code(size_two_to(63), std::size_t{2}) == "out-of-memory");
  CHECK(randn_code(size_two_to(63) + 1, std::size_t{2}) == "out-of-memory");
  CHECK(randn_code(size_two_to(22), size_two_to(21), size_two_to(21)) == "out-of-memory");
  CHECK(randn_code(size_two_to(16), size_two_to(16), size_two_to(16), size_two_to(16)) ==
        "out-of-memory");
  CHECK(randn_code(std::size_t{2}, std::size_t{3}).empty());
  CHECK(randn_code(std::size_t{0}, std::size_t{3}).empty());
}

TEST_CASE("Positional encodings beyond memory") {
  CHECK(code_of([] { return positional_encoding(largest_size, largest_size); }) == "out-of-memory");
  CHECK(code_of([] { return positional_encoding(two_to(30), two_to(30)); }) == "out-of-memory");
  CHECK(code_of([] { return positional_encoding(largest_size, 1); }) == "out-of-memory");
  CHECK(code_of([] { return positional_encoding(1, largest_size); }) == "out-of-memory");
  CHECK(code_of([] { return positional_encoding(two_to(33), two_to(33)); }) == "invalid-option");
}

std::vector<MultiHeadAttentionOptions> layers_beyond_memory() {
  std::vector<MultiHeadAttentionOptions> all;
  for (const std::int64_t size : {two_to(30), largest_size}) {
    const MultiHeadAttentionOptions square{.num_hiddens = size,
                                           .num_heads = 1,
                                           .query_size = size,
                                           .key_size = size,
                                           .value_size = size,
                                           .seed = 1};
    all.push_back(square);
    all.push_back(square);
    all.back().num_heads = size;
    all.push_back(square);
    all.back().bias = true;
    all.back().bias_kv = true;
    all.push_back(square);
    all.back().projection = Projection::convolution;
    all.push_back(square);
    all.back().projection = Projection::none;
    all.back().pooling = Pooling::additive;
    all.push_back(square);
    all.back().projection = Projection::none;
    all.back().pooling = Pooling::additive;
    all.back().attention_hiddens = size;
    const MultiHeadAttentionOptions small{.num_hiddens = 8,
                                          .num_heads = 2,
                                          .query_size = 3,
                                          .key_size = 3,
                                          .value_size = 3,
                                          .seed = 1};
    all.push_back(small);
    all.back().output_size = size;
    all.push_back(small);
    all.back().key_size = size;
    all.push_back(small);
    all.back().pooling = Pooling::additive;
    all.back().attention_hiddens = size;
  }
  return all;
}

TEST_CASE("Layers beyond memory") {
  for (const MultiHeadAttentionOptions& options : layers_beyond_memory()) {
    CAPTURE(options.num_hiddens, options.num_heads, static_cast<int>(options.projection),
            options.output_size.value_or(0), options.attention_hiddens.value_or(0));
    CHECK(code_of([&] { return MultiHeadAttention(options).num_heads(); }) == "out-of-memory");
  }
}

TEST_CASE("Layers beyond memory as soon as their sizes are known") {
  for (MultiHeadAttentionOptions options : layers_beyond_memory()) {
    if (options.projection != Projection::linear) {
      continue;
    }
    options.query_size = options.key_size = options.value_size = std::nullopt;
    if (options.num_hiddens == 8 && !options.output_size && !options.attention_hiddens) {
      continue;
    }
    CAPTURE(options.num_hiddens, options.num_heads, options.output_size.value_or(0));
    MultiHeadAttention layer(options);
    const auto X = randn<3>({1, 1, 1}, 1);
    CHECK(code_of([&] { return layer.forward(X, X, X); }) == "out-of-memory");
    CHECK(code_of([&] { return layer.forward(X, X, X, {.requires_grad = true}); }) ==
          "out-of-memory");
    CHECK_FALSE(layer.query_size().has_value());
    CHECK(code_of([&] { return layer.state_dict(); }) == "sizes-unknown");
  }
}

TEST_CASE("Models beyond memory") {
  const AttentionOnlyTransformerOptions small{
      .vocabulary_size = 5, .max_length = 7, .num_hiddens = 6, .num_heads = 3, .seed = 1};
  std::vector<AttentionOnlyTransformerOptions> all;
  for (const std::int64_t size : {two_to(30), largest_size}) {
    all.push_back(small);
    all.back().vocabulary_size = size;
    all.push_back(small);
    all.back().max_length = size;
    all.push_back(small);
    all.back().max_length = size;
    all.back().positions = Positions::learned;
    all.push_back(small);
    all.back().num_hiddens = size;
    all.back().num_heads = 1;
    all.push_back(small);
    all.back().num_layers = size;
    all.push_back(small);
    all.back().num_layers = size;
    all.back().layer_norm = true;
    all.push_back(small);
    all.back().vocabulary_size = all.back().max_length = all.back().num_hiddens = size;
    all.back().num_heads = 1;
    all.back().positions = Positions::learned;
    all.back().layer_norm = true;
    all.back().num_layers = size;
  }
  for (const AttentionOnlyTransformerOptions& options : all) {
    CAPTURE(options.vocabulary_size, options.max_length, options.num_hiddens, options.num_layers,
            options.layer_norm);
    CHECK(code_of([&] { return AttentionOnlyTransformer(options).num_layers(); }) ==
          "out-of-memory");
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
