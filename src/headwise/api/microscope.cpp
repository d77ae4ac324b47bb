#include <algorithm>
#include <array>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/native_inputs.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/microscope.hpp>
#include <limits>
#include <utility>

namespace headwise {
namespace {

using validation::fail;

/// The options of a pass without outputs.
TransformerForwardOptions inputs_of(const TransformerForwardOptions& given) {
  TransformerForwardOptions pass = given;
  pass.return_weights = false;
  pass.capture.clear();
  pass.capture_layers.reset();
  pass.capture_positions.reset();
  pass.patch.clear();
  pass.requires_grad = false;
  return pass;
}

void check_input(const Transformer& model, const Tokens& tokens,
                 const TransformerForwardOptions& pass) {
  validation::check_transformer_pass(model, tokens, nullptr, pass);
  if (!model.settings().head) {
    fail(ErrorCode::invalid_option, "model", {"one that has logits"}, {"one without"});
  }
  if (pass.cache != nullptr) {
    fail(ErrorCode::invalid_option, "cache", {"none"}, {"a cache"});
  }
  if (tokens.size() == 0) {
    fail(ErrorCode::invalid_shape, "tokens", {"at least one"}, {"none"});
  }
}

std::vector<std::int32_t> chosen(std::string_view argument, std::string_view one,
                                 const std::optional<std::vector<std::int64_t>>& list,
                                 std::size_t count, const std::vector<std::int32_t>& by_default) {
  validation::check_chosen(argument, one, IntegerInput(list).input(), count);
  return list ? std::vector<std::int32_t>(list->begin(), list->end()) : by_default;
}

/// One token for each sample.
std::vector<std::int32_t> tokens_of(std::string_view argument,
                                    const std::vector<std::int64_t>& given, std::size_t batch,
                                    std::size_t vocabulary_size) {
  if (given.size() != 1 && given.size() != batch) {
    fail(ErrorCode::invalid_shape, argument, {"one token, or one for each sample (", batch, ")"},
         {given.size()});
  }
  for (const std::int64_t token : given) {
    if (token < 0 || token >= static_cast<std::int64_t>(vocabulary_size)) {
      fail(ErrorCode::invalid_value, argument, {"tokens from 0 to ", vocabulary_size - 1}, {token});
    }
  }
  std::vector<std::int32_t> tokens(given.begin(), given.end());
  tokens.resize(batch, tokens.front());
  return tokens;
}

/// 0, 1, … before `end`.
std::vector<std::int32_t> numbers_to(std::size_t end) {
  std::vector<std::int32_t> numbers(end);
  std::ranges::generate(numbers, [next = 0]() mutable { return next++; });
  return numbers;
}

std::vector<std::int32_t> last_of(const Tokens& tokens) {
  return {static_cast<std::int32_t>(tokens.shape(1)) - 1};
}

std::vector<std::size_t> head_counts(const Transformer& model) {
  std::vector<std::size_t> counts;
  for (const Side side : all_sides) {
    for (const MultiHeadAttention& layer : model.attention_layers(side)) {
      counts.push_back(layer.num_heads());
    }
  }
  return counts;
}

bool has_heads_to_patch(ActivationName name) {
  using enum ActivationName;
  return name == z || name == queries || name == keys || name == values || name == pattern ||
         name == head_out;
}

}  // namespace

Tensor<4> logit_lens(Transformer& model, const Tokens& tokens, const LogitLensOptions& options) {
  return report_out_of_memory([&] {
    const TransformerForwardOptions inputs = inputs_of(options.pass);
    check_input(model, tokens, inputs);
    const std::vector<std::int32_t> all = numbers_to(model.num_layers() + 1);
    const std::vector<std::int32_t> layers =
        chosen("layers", "layer", options.layers, all.size(), all);
    const std::vector<std::int32_t> positions =
        chosen("positions", "position", options.positions, tokens.shape(1), last_of(tokens));
    PassMemory memory(tokens, inputs, model);
    auto logits = make_tensor<4>(
        {layers.size(), tokens.shape(0), positions.size(), model.settings().vocabulary_size});
    UncheckedTransformer& core = model.core();
    memory.memory.emplace([&](Arena& arena) {
      core.lay_out_lens(arena, UncheckedTransformer::sizes_of(memory.pass),
                        layers.size() * tokens.shape(0) * positions.size());
    });
    memory.pass.arena = &memory.memory->arena();
    core.logit_lens_into(memory.pass, {.layers = layers.data(),
                                       .num_layers = layers.size(),
                                       .positions = positions.data(),
                                       .num_positions = positions.size(),
                                       .logits = logits.data()});
    return logits;
  });
}

LogitAttributions attribute_logits(Transformer& model, const Tokens& tokens,
                                   const AttributionOptions& options) {
  return report_out_of_memory([&] {
    const TransformerForwardOptions inputs = inputs_of(options.pass);
    check_input(model, tokens, inputs);
    const TransformerSettings& settings = model.settings();
    if (!settings.norm_first && settings.norm != Norm::none) {
      fail(ErrorCode::invalid_option, "model", {"one whose norms come first"}, {"another"});
    }
    const std::size_t batch = tokens.shape(0);
    const std::vector<std::int32_t> targets =
        tokens_of("target", options.target, batch, settings.vocabulary_size);
    const std::vector<std::int32_t> against =
        options.against.empty()
            ? std::vector<std::int32_t>()
            : tokens_of("against", options.against, batch, settings.vocabulary_size);
    std::optional<std::vector<std::int64_t>> position;
    if (options.position) {
      position = {{*options.position}};
    }
    const std::int32_t at =
        chosen("position", "position", position, tokens.shape(1), last_of(tokens)).front();
    UncheckedTransformer& core = model.core();
    const std::size_t num_layers = model.num_layers();
    const std::size_t heads = core.max_heads();
    PassMemory memory(tokens, inputs, model);
    LogitAttributions result{.heads = make_tensor<3>({batch, num_layers, heads}),
                             .mlps = make_tensor<2>({batch, num_layers}),
                             .embeddings = make_tensor<1>({batch}),
                             .biases = make_tensor<1>({batch}),
                             .total = make_tensor<1>({batch})};
    if (settings.has_encoder()) {
      result.cross_heads = make_tensor<3>({batch, num_layers, heads});
    }
    memory.memory.emplace([&](Arena& arena) {
      core.lay_out_attribution(arena, UncheckedTransformer::sizes_of(memory.pass));
    });
    memory.pass.arena = &memory.memory->arena();
    core.attribute_logits_into(
        memory.pass, {.targets = targets.data(),
                      .against = against.empty() ? nullptr : against.data(),
                      .position = at,
                      .heads = result.heads.data(),
                      .cross_heads = result.cross_heads ? result.cross_heads->data() : nullptr,
                      .mlps = result.mlps.data(),
                      .embeddings = result.embeddings.data(),
                      .biases = result.biases.data(),
                      .total = result.total.data()});
    return result;
  });
}

Tensor<2> patch_heads(Transformer& model, const Tokens& clean, const Tokens& corrupted,
                      const PatchHeadsOptions& options) {
  return report_out_of_memory([&] {
    TransformerForwardOptions inputs = inputs_of(options.pass);
    check_input(model, clean, inputs);
    validation::check_shape("corrupted", corrupted.shape(),
                            std::array<validation::Axis, 2>{clean.shape(0), clean.shape(1)});
    check_input(model, corrupted, inputs);
    if (!options.metric) {
      fail(ErrorCode::invalid_option, "metric", {"a function"}, {"none"});
    }
    if (model.training() && model.attention(0).settings().dropout > 0) {
      // Every run would drop other weights.
      fail(ErrorCode::invalid_option, "model", {"one in evaluation mode"}, {"dropout"});
    }
    if (!has_heads_to_patch(options.at)) {
      fail(ErrorCode::invalid_option, "at", {"z, queries, keys, values, pattern or head_out"},
           {validation::name_of(options.at)});
    }
    const std::vector<std::int32_t> positions = chosen("positions", "position", options.positions,
                                                       clean.shape(1), numbers_to(clean.shape(1)));
    if (positions.empty()) {
      fail(ErrorCode::invalid_option, "positions", {"at least one"}, {"none"});
    }
    inputs.capture = {options.at};
    const TransformerResult from = model.forward(clean, inputs);
    inputs.capture = {ActivationName::resid_pre};
    const TransformerResult into = model.forward(corrupted, inputs);
    inputs.capture.clear();

    const bool by_kv_head =
        options.at == ActivationName::keys || options.at == ActivationName::values;
    const auto heads_of = [&](std::size_t layer) {
      const LayerSettings& settings = model.attention(layer).settings();
      return by_kv_head ? settings.num_kv_heads : settings.num_heads;
    };
    std::size_t most = 0;
    std::size_t total = 0;
    for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
      most = std::max(most, heads_of(layer));
      total += heads_of(layer);
    }
    auto result = make_tensor<2>({model.num_layers(), most});
    result.fill(std::numeric_limits<float>::quiet_NaN());
    UncheckedTransformer& core = model.core();
    const std::size_t batch = clean.shape(0);
    auto logits = make_tensor<3>({batch, positions.size(), model.settings().vocabulary_size});
    const std::vector<std::size_t> before = head_counts(model);
    std::size_t done = 0;
    for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
      const Tensor<4>& value = captured_of_heads(from.captured, options.at)[layer];
      const std::size_t at_once = UncheckedTransformer::heads_at_once(
          heads_of(layer), batch * clean.shape(1), logits.size());
      for (std::size_t first = 0; first < heads_of(layer); first += at_once) {
        std::vector<std::int64_t> heads(std::min(at_once, heads_of(layer) - first));
        std::ranges::generate(
            heads, [next = static_cast<std::int64_t>(first)]() mutable { return next++; });
        inputs.patch = {{.at = options.at,
                         .layer = static_cast<std::int64_t>(layer),
                         .heads = heads,
                         .value = value}};
        PassMemory memory(corrupted, inputs, model);
        memory.pass.stream = into.captured.resid_pre[layer].data();
        memory.pass.first_layer = layer;
        memory.pass.positions = positions.data();
        memory.pass.num_positions = positions.size();
        UncheckedTransformer::Sizes sizes = UncheckedTransformer::sizes_of(memory.pass);
        memory.probe.add_patches(model, inputs.patch, sizes);
        memory.pass.probe = memory.probe.probe();
        sizes.batch *= heads.size();
        sizes.probed = memory.pass.probe.names();
        memory.memory.emplace([&](Arena& arena) { core.lay_out_forward(arena, sizes, false); });
        memory.pass.arena = &memory.memory->arena();
        auto of_heads = make_tensor<4>({heads.size(), batch, positions.size(), logits.shape(2)});
        memory.pass.logits = of_heads.data();
        core.patch_heads_into(memory.pass);
        for (std::size_t i = 0; i < heads.size(); ++i) {
          std::copy_n(of_heads.data() + i * logits.size(), logits.size(), logits.data());
          result(layer, first + i) = static_cast<float>(options.metric(logits));
          if (head_counts(model) != before) {
            fail(ErrorCode::invalid_option, "model", {"one that keeps its heads during the call"},
                 {"one with other heads"});
          }
          if (options.on_progress && !options.on_progress(++done, total)) {
            return result;
          }
        }
      }
    }
    return result;
  });
}

}  // namespace headwise
