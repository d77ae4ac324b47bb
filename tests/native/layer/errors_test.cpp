#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>

#include "compare.hpp"
#include "table.hpp"

namespace headwise::test {
namespace {

template <std::size_t Rank>
Tensor<Rank> tensor_of(const Record& record, const std::string& key) {
  return randn<Rank>(shape_of<Rank>(record, key), 1);
}

StateDict state_dict_of(const Record& record) {
  StateDict dict;
  for (const std::string& line : record.all("parameter")) {
    const auto words = Record::words(line);
    dict[words.at(0)] = xt::xarray<float>(sizes_in(words, 1), 1.0F);
  }
  return dict;
}

template <typename Options>
Options pooling_options_of(const Record& record) {
  auto options = mask_options_of<Options>(record);
  options.query_offset = record.number<std::int64_t>("query_offset");
  return options;
}

HeadGate head_gate_of(const Record& record) {
  if (!record.has("head_gate")) {
    return {};
  }
  return xt::xarray<float>(record.numbers<std::size_t>("head_gate"), 1.0F);
}

std::optional<std::vector<std::int64_t>> indices_of(const Record& record, const std::string& key) {
  return record.has(key) ? std::optional(record.numbers<std::int64_t>(key)) : std::nullopt;
}

RotaryPositions positions_of(const Record& record) {
  if (!record.has("positions")) {
    return {};
  }
  return xt::xarray<std::int64_t>(record.numbers<std::size_t>("positions"),
                                  record.number<std::int64_t>("position"));
}

CacheOptions cache_options_of(const Record& record) {
  return {.batch_size = record.number<std::int64_t>("batch_size"),
          .max_length = record.number<std::int64_t>("max_length")};
}

/// The layer's cache with as many positions in it as the record says. The layer stays as it was.
KeyValueCache filled_cache(const Record& record, MultiHeadAttention& layer) {
  const CacheOptions options = cache_options_of(record);
  KeyValueCache cache = layer.create_cache(options);
  const auto inputs = [&](const std::optional<std::size_t>& size) {
    return randn<3>({cache.batch_size(), record.number<std::size_t>("held"), size.value()}, 1);
  };
  const bool training = layer.training();
  layer.eval();
  layer.forward(inputs(layer.query_size()), inputs(layer.key_size()), inputs(layer.value_size()),
                {.cache = &cache});
  layer.set_training(training);
  return cache;
}

/// Another layer of the same options whose sizes are known.
MultiHeadAttention other_layer(const Record& record) {
  auto options = options_of(record);
  for (auto* size : {&options.query_size, &options.key_size, &options.value_size}) {
    *size = size->value_or(4);
  }
  return MultiHeadAttention(options);
}

/// A call with a filled cache, of the layer or of another, that must leave the cache as it was.
void with_cache(const Record& record, MultiHeadAttention& layer,
                const std::function<void(KeyValueCache&)>& call) {
  MultiHeadAttention other = other_layer(record);
  KeyValueCache cache = filled_cache(record, record.text("cache") == "own" ? layer : other);
  try {
    call(cache);
  } catch (const Error&) {
    CHECK(cache.length() == record.number<std::size_t>("held"));
    throw;
  }
}

template <std::size_t Rank>
void forward_ranked(const Record& record, MultiHeadAttention& layer,
                    const ForwardOptions& options) {
  const auto queries = tensor_of<Rank>(record, "queries");
  if (record.has("keys")) {
    layer.forward(queries, tensor_of<Rank>(record, "keys"), tensor_of<Rank>(record, "values"),
                  options);
  } else {
    layer.forward(queries, options);
  }
}

void forward_of(const Record& record, MultiHeadAttention& layer, KeyValueCache* cache) {
  auto options = mask_options_of<ForwardOptions>(record);
  options.head_gate = head_gate_of(record);
  options.cache = cache;
  options.positions = positions_of(record);
  options.return_weights =
      ReturnedWeights(indices_of(record, "weights_heads"), indices_of(record, "weights_queries"));
  options.requires_grad = record.has("requires_grad");
  const bool batched = record.numbers<std::size_t>("queries").size() == 3;
  (batched ? forward_ranked<3> : forward_ranked<2>)(record, layer, options);
}

/// A backward after what the record says came before. The layer stays as it was.
void backward_of(const Record& record, MultiHeadAttention& layer) {
  if (record.has("queries")) {
    const bool training = layer.training();
    layer.eval();
    const bool batched = record.numbers<std::size_t>("queries").size() == 3;
    (batched ? forward_ranked<3> : forward_ranked<2>)(record, layer, {.requires_grad = true});
    layer.set_training(training);
  }
  const auto go_back = [&] {
    if (record.numbers<std::size_t>("grad_output").size() == 3) {
      layer.backward(tensor_of<3>(record, "grad_output"));
    } else {
      layer.backward(tensor_of<2>(record, "grad_output"));
    }
  };
  if (record.has("done")) {
    go_back();
  }
  if (record.has("loaded")) {
    layer.load_state_dict(layer.state_dict());
  }
  go_back();
}

using LayerCall = std::function<void(const Record&, MultiHeadAttention&)>;
using ErrorCall = std::function<void(const Record&)>;

const std::map<std::string, LayerCall> layer_calls = {
    {"forward",
     [](const Record& record, MultiHeadAttention& layer) {
       if (record.has("cache")) {
         with_cache(record, layer,
                    [&](KeyValueCache& cache) { forward_of(record, layer, &cache); });
       } else {
         forward_of(record, layer, nullptr);
       }
     }},
    {"create_cache",
     [](const Record& record, MultiHeadAttention& layer) {
       static_cast<void>(layer.create_cache(cache_options_of(record)));
     }},
    {"truncate",
     [](const Record& record, MultiHeadAttention& layer) {
       with_cache(record, layer, [&](KeyValueCache& cache) {
         cache.truncate(record.number<std::int64_t>("length"));
       });
     }},
    {"backward", backward_of},
    {"gradients",
     [](const Record&, MultiHeadAttention& layer) { static_cast<void>(layer.gradients()); }},
    {"prune_heads",
     [](const Record& record, MultiHeadAttention& layer) {
       layer.prune_heads(record.numbers<std::int64_t>("heads"));
     }},
    {"state_dict",
     [](const Record&, MultiHeadAttention& layer) { static_cast<void>(layer.state_dict()); }},
    {"load_state_dict", [](const Record& record, MultiHeadAttention& layer) {
       layer.load_state_dict(state_dict_of(record));
     }}};

void from_state_dict(const Record& record) {
  const auto options = options_of(record);
  const auto layer = MultiHeadAttention::from_state_dict(
      state_dict_of(record), {.num_heads = options.num_heads,
                              .prefix = record.has("prefix") ? record.text("prefix") : "",
                              .dropout = options.dropout,
                              .scale = options.scale,
                              .softcap = options.softcap,
                              .zero_attention = options.zero_attention,
                              .seed = options.seed});
}

/// A call of one of the functions that take X and a number of heads.
template <typename Function>
ErrorCall heads_call(Function function) {
  return [function](const Record& record) {
    static_cast<void>(
        function(tensor_of<3>(record, "X"), record.number<std::int64_t>("num_heads")));
  };
}

Tensor<4> weights_of(const Record& record) {
  return full<4>(shape_of<4>(record, "attention_weights"), 0);
}

const std::map<std::string, ErrorCall> other_calls = {
    {"construct", [](const Record& record) { const MultiHeadAttention layer(options_of(record)); }},
    {"construct_rotary",
     [](const Record& record) { const MultiHeadAttention layer(options_of(record)); }},
    {"from_state_dict", from_state_dict},
    {"masked_softmax",
     [](const Record& record) {
       static_cast<void>(masked_softmax(tensor_of<3>(record, "scores"), valid_lens_of(record)));
     }},
    {"scaled_dot_product_attention",
     [](const Record& record) {
       auto options = pooling_options_of<DotProductAttentionOptions>(record);
       options.scale = options_of(record).scale;
       options.softcap = options_of(record).softcap;
       static_cast<void>(scaled_dot_product_attention(tensor_of<4>(record, "queries"),
                                                      tensor_of<4>(record, "keys"),
                                                      tensor_of<4>(record, "values"), options));
     }},
    {"additive_attention",
     [](const Record& record) {
       static_cast<void>(additive_attention(
           tensor_of<3>(record, "queries"), tensor_of<3>(record, "keys"),
           tensor_of<3>(record, "values"),
           {tensor_of<2>(record, "W_q"), tensor_of<2>(record, "W_k"), tensor_of<2>(record, "w_v")},
           pooling_options_of<AdditiveAttentionOptions>(record)));
     }},
    {"transpose_qkv", heads_call(transpose_qkv)},
    {"transpose_output", heads_call(transpose_output)},
    {"split_heads", heads_call(split_heads)},
    {"positional_encoding",
     [](const Record& record) {
       static_cast<void>(positional_encoding(record.number<std::int64_t>("length"),
                                             record.number<std::int64_t>("num_hiddens")));
     }},
    {"construct_task", [](const Record& record) { static_cast<void>(task_of(record)); }},
    {"task_batch",
     [](const Record& record) {
       static_cast<void>(task_of(record)->batch(1, record.number<std::int64_t>("batch_size"),
                                                record.number<std::int64_t>("first")));
     }},
    {"pattern_scores",
     [](const Record& record) { static_cast<void>(pattern_scores(weights_of(record), true)); }},
    {"induction_scores",
     [](const Record& record) {
       static_cast<void>(induction_scores(weights_of(record), tokens_of(record, "tokens")));
     }},
    {"key_scores", [](const Record& record) {
       static_cast<void>(key_scores(weights_of(record), tokens_of(record, "tokens")));
     }}};

void check_fails(const Record& record, const auto& call) {
  CHECK(error_of(call) == record.text("code") + "; " + record.text("message"));
}

/// A pass in training mode that fits the layer's sizes, those that are still unknown taken as 6:
/// no bad call of the table has that size, so an inferred one shows.
AttentionResult good_forward(MultiHeadAttention& layer) {
  return forward(layer.train(), random_inputs({.batch = 2,
                                               .queries = 3,
                                               .keys = 4,
                                               .query_size = layer.query_size().value_or(6),
                                               .key_size = layer.key_size().value_or(6),
                                               .value_size = layer.value_size().value_or(6)}));
}

void check_layer_call(const Record& record, const LayerCall& call) {
  auto options = options_of(record);
  options.dropout = 0.5;
  MultiHeadAttention layer(options);
  MultiHeadAttention twin(options);
  check_fails(record, [&] { call(record, layer); });
  CHECK(layer.query_size() == twin.query_size());
  CHECK(layer.key_size() == twin.key_size());
  CHECK(layer.value_size() == twin.value_size());
  const auto result = good_forward(layer);
  const auto expected = good_forward(twin);
  CHECK(max_difference(result.output, expected.output) == 0);
  CHECK(max_difference(*result.attention_weights, *expected.attention_weights) == 0);

  // Once more, with sizes and parameters that must not change; but sizes are known now.
  if (record.text("code") != "sizes-unknown") {
    CHECK_THROWS_AS(call(record, layer), Error);
    CHECK(max_difference(good_forward(layer).output, good_forward(twin).output) == 0);
  }
}

TEST_CASE("Every bad call of the table fails with its code and text and changes nothing") {
  for (const Record& record : read_records("errors.txt")) {
    CAPTURE(record.text("name"));
    if (const auto call = layer_calls.find(record.text("call")); call != layer_calls.end()) {
      check_layer_call(record, call->second);
    } else {
      check_fails(record, [&] { other_calls.at(record.text("call"))(record); });
    }
  }
}

TEST_CASE("dot_product_attention checks as its sister with heads does") {
  const Tensor<3> queries = randn<3>({2, 3, 4}, 1);
  const Tensor<3> keys = randn<3>({2, 5, 4}, 1);
  CHECK(error_of([&] { return dot_product_attention(queries, randn<3>({2, 5, 3}, 1), keys); }) ==
        "invalid-shape; keys: expected (2, keys, 4), got (2, 5, 3)");
}

TEST_CASE("Norms of heads need projections") {
  CHECK(error_of([] {
          return MultiHeadAttention({.num_hiddens = 8,
                                     .num_heads = 2,
                                     .projection = Projection::none,
                                     .qk_norm = HeadNormOptions{}});
        }) ==
        "invalid-option; qk_norm: expected projection 'linear' or 'convolution' beside it, got "
        "'none'");
}

}  // namespace
}  // namespace headwise::test
