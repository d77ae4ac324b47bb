#include <algorithm>
#include <headwise/api/make_tensor.hpp>
#include <headwise/api/microscope_passes.hpp>
#include <headwise/api/native_model_inputs.hpp>
#include <headwise/api/validation_text.hpp>
#include <headwise/microscope.hpp>
#include <limits>
#include <numeric>

namespace headwise {
namespace {

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

}  // namespace

Tensor<4> logit_lens(Transformer& model, const Tokens& tokens, const LogitLensOptions& options) {
  return report_out_of_memory([&] {
    const TransformerForwardOptions pass = inputs_of(options.pass);
    const NativePass given(tokens, pass);
    const IntegerInput layers(options.layers);
    const IntegerInput positions(options.positions);
    Tensor<4> logits;
    ResultsIn results([&](const ModelResult&, std::span<const std::size_t> shape) {
      return make_result(logits, shape);
    });
    logit_lens(model, given.inputs(), layers.input(), positions.input(), results);
    return logits;
  });
}

LogitAttributions attribute_logits(Transformer& model, const Tokens& tokens,
                                   const AttributionOptions& options) {
  return report_out_of_memory([&] {
    const TransformerForwardOptions pass = inputs_of(options.pass);
    const NativePass given(tokens, pass);
    const IntegerInput target{std::optional(options.target)};
    const auto against =
        options.against.empty() ? IntegerInput() : IntegerInput(std::optional(options.against));
    const auto position = options.position
                              ? IntegerInput(std::optional(std::vector{*options.position}))
                              : IntegerInput();
    LogitAttributions result;
    ResultsIn results([&](const ModelResult& place, std::span<const std::size_t> shape) {
      switch (place.name) {
        case ModelResultName::heads:
          return make_result(result.heads, shape);
        case ModelResultName::cross_heads:
          return make_result(result.cross_heads.emplace(), shape);
        case ModelResultName::mlps:
          return make_result(result.mlps, shape);
        case ModelResultName::embeddings:
          return make_result(result.embeddings, shape);
        case ModelResultName::biases:
          return make_result(result.biases, shape);
        default:
          return make_result(result.total, shape);
      }
    });
    attribute_logits(model, given.inputs(), target.input(), against.input(), position.input(),
                     results);
    return result;
  });
}

Tensor<2> patch_heads(Transformer& model, const Tokens& clean, const Tokens& corrupted,
                      const PatchHeadsOptions& options) {
  return report_out_of_memory([&] {
    const TransformerForwardOptions pass = inputs_of(options.pass);
    const NativePass of_clean(clean, pass);
    const NativePass of_corrupted(corrupted, pass);
    const IntegerInput positions(options.positions);
    HeadPatching patching(model, of_clean.inputs(), of_corrupted.inputs(), options.at,
                          positions.input());
    if (!options.metric) {
      validation::fail_option("metric: expected a function, got none", {});
    }
    const std::size_t num_layers = model.num_layers();
    std::vector<std::size_t> counts(num_layers);
    for (std::size_t layer = 0; layer < num_layers; ++layer) {
      counts[layer] = patching.num_heads(layer);
    }
    auto result = make_tensor<2>({num_layers, std::ranges::max(counts)});
    result.fill(std::numeric_limits<float>::quiet_NaN());
    const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    std::size_t done = 0;
    Tensor<4> of_heads;
    ResultsIn results([&](const ModelResult&, std::span<const std::size_t> shape) {
      return make_result(of_heads, shape);
    });
    for (std::size_t layer = 0; layer < num_layers; ++layer) {
      for (std::size_t head = 0; head < counts[layer];) {
        const std::size_t end =
            head + patching.run(of_corrupted.inputs(), ModelResultName::logits, results);
        auto logits = make_tensor<3>({of_heads.shape(1), of_heads.shape(2), of_heads.shape(3)});
        for (const float* next = of_heads.data(); head < end; ++head, next += logits.size()) {
          std::copy_n(next, logits.size(), logits.data());
          result(layer, head) = static_cast<float>(options.metric(logits));
          patching.check_unchanged();
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
