#include <algorithm>
#include <array>
#include <headwise/api/generation.hpp>
#include <headwise/api/transformer_pass.hpp>
#include <headwise/api/validation_models.hpp>
#include <tuple>
#include <utility>

namespace headwise {
namespace {

std::vector<double> copy_of(const Input<double>& list) {
  return {list.numbers().begin(), list.numbers().end()};
}

/// The prompt of inputs that it checks.
std::vector<double> checked_prompt(const Transformer& model, const GenerateInputs& inputs) {
  validation::check_generate(model, inputs);
  return copy_of(inputs.tokens);
}

}  // namespace

Generation::Generation(Transformer& model, const GenerateInputs& inputs)
    : model_(&model),
      tokens_(checked_prompt(model, inputs)),
      source_(copy_of(inputs.source)),
      gives_source_(inputs.source.is_given()),
      has_key_mask_(inputs.key_mask.is_given()),
      stop_(copy_of(inputs.stop)),
      num_left_(static_cast<std::int64_t>(inputs.max_new_tokens)),
      has_ended_(num_left_ == 0),
      return_weights_(inputs.return_weights),
      weight_heads_(copy_of(inputs.weight_heads)),
      has_all_heads_(!inputs.weight_heads.is_given()),
      sampling_({.temperature = inputs.temperature,
                 .top_k = static_cast<std::size_t>(inputs.top_k),
                 .top_p = inputs.top_p,
                 .seed = inputs.seed}),
      cache_(model.create_cache({.batch_size = 1,
                                 .max_length = static_cast<std::int64_t>(tokens_.size()) +
                                               std::max<std::int64_t>(num_left_ - 1, 0),
                                 .precision = inputs.cache_precision})) {
  if (has_key_mask_) {
    key_mask_ = std::vector<std::uint8_t>(cache_.max_length(), 1);
    std::ranges::copy(inputs.key_mask.numbers(), key_mask_.begin());
  }
}

std::size_t Generation::next(ModelResults& results) {
  const std::array length = {tokens_.size()};
  const std::array source_length = {source_.size()};
  const std::array num_keys = {cache_.length() + tokens_.size()};
  const std::array num_heads = {weight_heads_.size()};
  const std::array one = {std::size_t{1}};
  const auto last = static_cast<double>(tokens_.size() - 1);
  ModelInputs inputs;
  inputs.tokens = {tokens_.data(), length};
  if (gives_source_) {
    inputs.source = {source_.data(), source_length};
  }
  if (has_key_mask_) {
    inputs.key_mask = {key_mask_.data(), num_keys};
  }
  inputs.cache = &cache_;
  inputs.return_weights = return_weights_;
  inputs.weight_queries = {&last, one};
  if (!has_all_heads_) {
    inputs.weight_heads = {weight_heads_.data(), num_heads};
  }
  ModelPass given(*model_, inputs);
  UncheckedTransformer& core = model_->core();
  const std::size_t vocabulary_size = model_->settings().vocabulary_size;
  const auto take_drawing = [&](Arena& arena) {
    float* const logits = arena.take(vocabulary_size);
    auto* const order = arena.take<std::uint32_t>(vocabulary_size);
    return std::tuple(logits, order, arena.take<double>(vocabulary_size));
  };
  given.prepare([&](Arena& arena, const ModelPassSizes& sizes) {
    static_cast<void>(take_drawing(arena));
    return core.lay_out_forward(arena, sizes, false);
  });
  const auto [logits, order, weights] = take_drawing(*given.pass().arena);
  const auto position = static_cast<std::int32_t>(last);
  given.pass().logits = logits;
  given.pass().positions = &position;
  given.pass().num_positions = 1;
  given.make_weights(false, results);
  core.forward_into(given.pass());
  const std::size_t token = sample_token(logits, vocabulary_size, sampling_, num_drawn_++,
                                         {.order = order, .weights = weights});
  tokens_.resize(1);
  tokens_.front() = static_cast<double>(token);
  gives_source_ = false;
  has_ended_ = --num_left_ == 0 || std::ranges::find(stop_, tokens_.front()) != stop_.end();
  return token;
}

}  // namespace headwise
