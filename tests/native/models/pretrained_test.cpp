#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "checkpoint.hpp"
#include "compare.hpp"
#include "files.hpp"

// tests/data/models holds small models of all families, with random parameters, as their frameworks
// write them; results and gradients were computed by PyTorch in float64.
namespace headwise::test {
namespace {

constexpr double forward_tolerance = 2e-5;
constexpr double gradient_tolerance = 2e-4;

/// The largest difference, as a share of the largest expected value, or of `scale` if that is
/// larger.
template <typename Tensor>
double relative_difference(const Tensor& got, const xt::xarray<double>& expected,
                           double scale = 1e-30) {
  return max_difference(got, expected) / std::fmax(largest_magnitude(expected), scale);
}

void check_weights(const Checkpoint& checkpoint, const std::string& name,
                   const std::vector<Tensor<4>>& weights) {
  for (std::size_t layer = 0; layer < weights.size(); ++layer) {
    const std::string of_layer = name + std::to_string(layer);
    INFO(of_layer);
    CHECK(relative_difference(weights[layer], checkpoint.expected.at(of_layer)) <
          forward_tolerance);
  }
}

/// Targets: the next token of each position, where that is no padding.
Tokens next_tokens(const Tokens& tokens, const Checkpoint& checkpoint, bool padded) {
  Tokens targets(tokens.shape(), ignored_target);
  const Tokens mask = padded ? checkpoint.tokens("in.mask") : Tokens();
  for (std::size_t row = 0; row < tokens.shape(0); ++row) {
    for (std::size_t next = 1; next < tokens.shape(1); ++next) {
      if (!padded || mask(row, next) != 0) {
        targets(row, next - 1) = tokens(row, next);
      }
    }
  }
  return targets;
}

void check_gradients(const Checkpoint& checkpoint, const Transformer& model) {
  const StateDict gradients = model.gradients(ParameterNames::pretrained);
  std::size_t count = 0;
  double largest = 0;
  for (const auto& [name, expected] : checkpoint.expected) {
    largest = name.starts_with("grad.") ? std::fmax(largest, largest_magnitude(expected)) : largest;
  }
  for (const auto& [name, expected] : checkpoint.expected) {
    if (name.starts_with("grad.")) {
      INFO(name);
      REQUIRE(gradients.contains(name.substr(5)));
      const auto& gradient = gradients.at(name.substr(5));
      CHECK(gradient.shape() == expected.shape());
      // Softmax cancels the bias of keys: its gradient is 0 but for rounding.
      CHECK(relative_difference(gradient, expected, 1e-3 * largest) < gradient_tolerance);
      ++count;
    }
  }
  CHECK(count == gradients.size());
}

TEST_CASE("Pretrained models give PyTorch's results, losses and gradients") {
  for (const std::string& name : checkpoint_names("abcd")) {
    INFO(name);
    const Checkpoint checkpoint(name);
    Transformer model = checkpoint.model();
    const TransformerResult result = checkpoint.forward(model);
    if (checkpoint.has("out.logits")) {
      CHECK(relative_difference(result.logits, checkpoint.expected.at("out.logits")) <
            forward_tolerance);
    } else {
      CHECK(relative_difference(result.hidden, checkpoint.expected.at("out.hidden")) <
            forward_tolerance);
    }
    if (checkpoint.has("out.encoder")) {
      CHECK(relative_difference(*result.encoder_hidden, checkpoint.expected.at("out.encoder")) <
            forward_tolerance);
    }
    check_weights(checkpoint, "out.attention.", result.attention_weights);
    check_weights(checkpoint, "out.cross.", result.cross_attention_weights);
    check_weights(checkpoint, "out.encoder_attention.", result.encoder_attention_weights);

    const double expected_loss = checkpoint.expected.at("out.loss").data()[0];
    if (checkpoint.has("in.cotangent")) {
      const Tensor<3> cotangent = xt::cast<float>(checkpoint.expected.at("in.cotangent"));
      const double loss = xt::sum(xt::cast<double>(result.hidden) * cotangent)();
      CHECK(std::abs(loss - expected_loss) < forward_tolerance * std::abs(expected_loss));
      static_cast<void>(model.backward(cotangent));
    } else {
      const bool padded = !checkpoint.has("in.target");
      const Tokens tokens = checkpoint.tokens(padded ? "in.tokens" : "in.target");
      TransformerForwardOptions options = checkpoint.options();
      options.return_weights = options.requires_grad = false;
      const double loss =
          model.loss_and_gradients(tokens, next_tokens(tokens, checkpoint, padded), options).loss;
      CHECK(std::abs(loss - expected_loss) < forward_tolerance * std::abs(expected_loss));
    }
    check_gradients(checkpoint, model);
  }
}

}  // namespace
}  // namespace headwise::test
