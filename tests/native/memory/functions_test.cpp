#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <headwise/headwise.hpp>
#include <span>
#include <string>

#include "every_allocation.hpp"
#include "files.hpp"
#include "worlds.hpp"

/// Functions that keep nothing and run out of memory.
namespace headwise::test {
namespace {

constexpr auto trial = [](const std::string& name, const auto& call) {
  check_every_allocation(name, call);
};

TEST_CASE("Out of memory in pooling functions") {
  const LensByQuery lens = {{4, 3, 0}, {1, 2, 4}};
  xt::xarray<bool> allowed = xt::xarray<bool>::from_shape({3, 4});
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed.data()[i] = i % 3 != 0;
  }
  const auto scores = randn<3>({2, 3, 4}, 1);
  trial("masked_softmax", [&] { return masked_softmax(scores); });
  const ValidLens by_query = lens;
  trial("masked_softmax with lengths of queries", [&] { return masked_softmax(scores, by_query); });
  const ValidLens too_long = LensBySample{9, 2};
  trial("masked_softmax with lengths that do not fit",
        [&] { return masked_softmax(scores, too_long); });

  const DotProductAttentionOptions dot_product{.valid_lens = lens,
                                               .mask = allowed,
                                               .causal = Causal::bottom_right,
                                               .window = Window{.left = 2, .right = 2},
                                               .softcap = 2,
                                               .return_weights = true};
  const auto queries = randn<3>({2, 3, 5}, 2);
  const auto keys = randn<3>({2, 4, 5}, 3);
  const auto values = randn<3>({2, 4, 6}, 4);
  const auto queries_4 = randn<4>({2, 4, 3, 5}, 2);
  const auto keys_4 = randn<4>({2, 2, 4, 5}, 3);
  const auto values_4 = randn<4>({2, 2, 4, 6}, 4);
  for (const DotProductAttentionOptions& options : {DotProductAttentionOptions{}, dot_product}) {
    trial("dot_product_attention",
          [&] { return dot_product_attention(queries, keys, values, options); });
    trial("scaled_dot_product_attention",
          [&] { return scaled_dot_product_attention(queries_4, keys_4, values_4, options); });
  }
  trial("scaled_dot_product_attention, keys that do not fit",
        [&] { return scaled_dot_product_attention(queries_4, values_4, values_4); });
  const AdditiveAttentionParameters parameters{
      .W_q = randn<2>({7, 5}, 5), .W_k = randn<2>({7, 5}, 6), .w_v = randn<2>({1, 7}, 7)};
  const AdditiveAttentionOptions masked{
      .valid_lens = lens, .mask = allowed, .return_weights = true};
  for (const AdditiveAttentionOptions& options : {AdditiveAttentionOptions{}, masked}) {
    trial("additive_attention",
          [&] { return additive_attention(queries, keys, values, parameters, options); });
  }
}

TEST_CASE("Out of memory in functions of tensors") {
  const auto X = randn<3>({2, 3, 8}, 1);
  trial("transpose_qkv", [&] { return transpose_qkv(X, 4); });
  trial("transpose_qkv, heads that do not divide", [&] { return transpose_qkv(X, 3); });
  trial("transpose_output", [&] { return transpose_output(X, 2); });
  trial("split_heads", [&] { return split_heads(X, 4); });
  trial("positional_encoding", [] { return positional_encoding(5, 6); });
  trial("positional_encoding, bad length", [] { return positional_encoding(-1, 6); });
  trial("randn", [] { return randn<3>({2, 3, 4}, 1); });
  trial("set_num_threads, bad number", [] { set_num_threads(-1); });
}

TEST_CASE("Out of memory in losses and scores") {
  const auto logits = randn<3>({2, 3, 5}, 1);
  const Tokens targets = {{0, -1, 4}, {2, 3, 1}};
  trial("cross_entropy", [&] { return cross_entropy(logits, targets); });
  const Tokens wrong = {{5, 8, 6}, {7, 5, 5}};
  trial("cross_entropy, targets that do not fit", [&] { return cross_entropy(logits, wrong); });
  const Tensor<4> of_heads = full<4>({2, 3, 4, 4}, 0.25F);
  const Tokens tokens = {{0, 2, 1, 2}, {1, 1, 0, 2}};
  const Tokens keys = {{0, -1, 3, 2}, {1, 2, -1, 0}};
  trial("pattern_scores", [&] { return pattern_scores(of_heads, true); });
  trial("induction_scores", [&] { return induction_scores(of_heads, tokens); });
  trial("key_scores", [&] { return key_scores(of_heads, keys); });
  trial("key_scores, keys that do not fit", [&] { return key_scores(of_heads, wrong); });
}

TEST_CASE("Out of memory in tasks") {
  const SortTask task({.num_symbols = 5, .num_items = 3});
  trial("batch", [&] { return task.batch(3, 2, 5); });
  trial("batch of less than nothing", [&] { return task.batch(3, -2, 5); });
  trial("constructor", [] { return CopyTask({.num_symbols = 5, .length = 6}).vocabulary_size(); });
  trial("constructor, bad number",
        [] { return CopyTask({.num_symbols = 0, .length = 6}).vocabulary_size(); });
  trial("constructor, too few symbols",
        [] { return SortTask({.num_symbols = 2, .num_items = 6}).vocabulary_size(); });
}

TEST_CASE("Out of memory in files") {
  const StateDict dict = MultiHeadAttention({.num_hiddens = 8,
                                             .num_heads = 2,
                                             .bias = true,
                                             .query_size = 3,
                                             .key_size = 3,
                                             .value_size = 3,
                                             .seed = 1})
                             .state_dict();
  const std::map<std::string, std::string> metadata = {
      {"format", "pt"}, {"a name that is long", "a text that has letters like ä and \n"}};
  trial("save_safetensors", [&] { return save_safetensors(dict, metadata); });
  const std::vector<std::byte> file = save_safetensors(dict, metadata);
  trial("load_safetensors", [&] { return load_safetensors(file); });
  const std::span<const std::byte> torn = std::span(file).first(file.size() - 1);
  trial("load_safetensors, torn", [&] { return load_safetensors(torn); });
  const std::map<std::string, std::string> no_utf_8 = {{"format", "\xFF"}};
  trial("save_safetensors, no UTF-8", [&] { return save_safetensors(dict, no_utf_8); });
  const IntegerTensors integers = {
      {"a long name of positions", xt::xarray<std::int64_t>{{0, 1, 2, 3, 4, 5, 6, 7}}},
      {"a long name of a mask", xt::xarray<bool>{{true, false, true, true, false}}}};
  trial("save_safetensors, integers", [&] { return save_safetensors(dict, metadata, integers); });
  const std::vector<std::byte> with_integers = save_safetensors(dict, metadata, integers);
  trial("load_safetensors, integers", [&] { return load_safetensors(with_integers); });
  const TemporaryFolder folder;
  const auto path = folder.write("a file with a long name.safetensors", with_integers);
  trial("SafetensorsFile", [&] { return SafetensorsFile(path).names().size(); });
  const auto torn_path =
      folder.write("another with a long name.safetensors", File(torn.begin(), torn.end()));
  trial("SafetensorsFile, torn", [&] { return SafetensorsFile(torn_path).names().size(); });
  const std::filesystem::path nowhere = folder / "none with a long name.safetensors";
  trial("SafetensorsFile, nowhere", [&] { return SafetensorsFile(nowhere).names().size(); });
  const auto index =
      folder.write("model.safetensors.index.json",
                   R"({"metadata":{"total_size":[{"of":1}]},)"
                   R"("weight_map":{"W_q.weight":"a file with a long name.safetensors"}})");
  trial("SafetensorsFile, index", [&] { return SafetensorsFile(index).names().size(); });
  const auto malformed = folder.write(
      "malformed.index.json",
      R"({"weight_map":{"a name that is not there":"a file with a long name.safetensors"}})");
  trial("SafetensorsFile, malformed index",
        [&] { return SafetensorsFile(malformed).names().size(); });
  const SafetensorsFile on_disk(path);
  trial("tensor", [&] { return on_disk.tensor("W_q.weight"); });
  trial("integer_tensor", [&] {
    return std::get<xt::xarray<bool>>(on_disk.integer_tensor("a long name of a mask"));
  });
  trial("tensors", [&] { return on_disk.tensors("W_q"); });
  const std::vector<std::string> names = {"W_k.weight", "W_v.weight"};
  trial("tensors by names", [&] { return on_disk.tensors(names); });
  trial("dtype, unknown", [&] { return on_disk.dtype("a long name that is not there"); });

  const xt::xarray<float>& tensor = dict.at("W_q.weight");
  trial("save_npy", [&] { return save_npy(tensor); });
  const std::vector<std::byte> npy = save_npy(tensor);
  trial("load_npy", [&] { return load_npy(npy); });
  const std::span<const std::byte> torn_npy = std::span(npy).first(npy.size() - 1);
  trial("load_npy, torn", [&] { return load_npy(torn_npy); });
}

}  // namespace
}  // namespace headwise::test
