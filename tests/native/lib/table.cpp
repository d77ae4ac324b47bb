#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace headwise::test {
namespace {

template <typename Number>
std::optional<Number> number_of(const Record& record, const std::string& key) {
  return record.has(key) ? std::optional(record.number<Number>(key)) : std::nullopt;
}

std::optional<std::int64_t> size_of(const Record& record, const std::string& key) {
  return number_of<std::int64_t>(record, key);
}

/// What the record's word under this key stands for, or `otherwise` without one.
template <typename Value>
Value choice_of(const Record& record, const std::string& key, Value otherwise,
                const std::map<std::string, Value>& words) {
  return record.has(key) ? words.at(record.text(key)) : otherwise;
}

std::optional<RotaryOptions> rotary_of(const Record& record) {
  if (!record.has("rotary_base") && !record.has("rotary_size") && !record.has("scaling")) {
    return std::nullopt;
  }
  RotaryOptions rotary;
  if (record.has("scaling")) {
    using Type = RotaryScaling::Type;
    rotary.scaling = RotaryScaling{
        .type = choice_of<Type>(
            record, "scaling", Type::linear,
            {{"linear", Type::linear}, {"llama3", Type::llama3}, {"yarn", Type::yarn}}),
        .factor = record.number<double>("factor"),
        .original_length = record.number<double>("original_length"),
        .slow_turns = record.number<double>("slow_turns", 1),
        .fast_turns = number_of<double>(record, "fast_turns"),
        .attention_factor = number_of<double>(record, "attention_factor")};
  }
  rotary.base = number_of<double>(record, "rotary_base").value_or(rotary.base);
  rotary.size = size_of(record, "rotary_size");
  return rotary;
}

}  // namespace

MultiHeadAttentionOptions options_of(const Record& record) {
  const auto flag = [&](const char* name) {
    const auto given = number_of<int>(record, name);
    return given ? std::optional(*given != 0) : std::nullopt;
  };
  return {.num_hiddens = record.number<std::int64_t>("num_hiddens", 8),
          .num_heads = record.number<std::int64_t>("num_heads", 2),
          .dropout = record.number<double>("dropout"),
          .bias = record.number<int>("bias") != 0,
          .output_bias = flag("output_bias"),
          .query_size = size_of(record, "query_size"),
          .key_size = size_of(record, "key_size"),
          .value_size = size_of(record, "value_size"),
          .output_size = size_of(record, "output_size"),
          .output_projection = flag("output_projection"),
          .num_kv_heads = size_of(record, "num_kv_heads"),
          .pooling = choice_of<Pooling>(record, "pooling", Pooling::dot_product,
                                        {{"additive", Pooling::additive}}),
          .attention_hiddens = size_of(record, "attention_hiddens"),
          .projection = choice_of<Projection>(
              record, "projection", Projection::linear,
              {{"convolution", Projection::convolution}, {"none", Projection::none}}),
          .scale = number_of<double>(record, "scale"),
          .softcap = record.number<double>("softcap"),
          .rotary = rotary_of(record),
          .bias_kv = record.number<int>("bias_kv") != 0,
          .zero_attention = record.number<int>("zero_attention") != 0,
          .seed = record.number<std::uint64_t>("seed", 7)};
}

ValidLens valid_lens_of(const Record& record) {
  if (!record.has("valid_lens")) {
    return {};
  }
  const auto lengths = record.numbers<std::int64_t>("valid_lens");
  const auto shape = record.has("valid_lens_shape")
                         ? record.numbers<std::size_t>("valid_lens_shape")
                         : std::vector{lengths.size()};
  return xt::xarray<std::int64_t>(xt::adapt(lengths, shape));
}

Mask mask_of(const Record& record, const std::string& key) {
  if (!record.has(key)) {
    return {};
  }
  const auto words = Record::words(record.text(key));
  const auto shape = sizes_in(words, 1);
  if (words.at(0) == "boolean") {
    return xt::xarray<bool>(shape, false);
  }
  xt::xarray<float> mask(shape, 0.0F);
  if (mask.size() > 0) {
    *std::prev(mask.end()) = record.number<float>(key + "_value");
  }
  return words.at(0) == "integer" ? Mask(xt::cast<std::int64_t>(mask)) : mask;
}

Causal causal_of(const Record& record) {
  return choice_of<Causal>(
      record, "causal", Causal::none,
      {{"top-left", Causal::top_left}, {"bottom-right", Causal::bottom_right}});
}

std::optional<Window> window_of(const Record& record) {
  if (!record.has("window")) {
    return std::nullopt;
  }
  const auto sides = record.numbers<double>("window");
  const auto side = [&](std::size_t i) {
    return std::isinf(sides.at(i)) ? std::nullopt
                                   : std::optional(static_cast<std::int64_t>(sides.at(i)));
  };
  return Window{.left = side(0), .right = side(1)};
}

std::vector<std::size_t> sizes_in(const std::vector<std::string>& words, std::size_t first) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = first; i < words.size(); ++i) {
    sizes.push_back(std::stoul(words[i]));
  }
  return sizes;
}

std::unique_ptr<Task> task_of(const Record& record) {
  const auto size = [&](const std::string& key, std::int64_t otherwise = 0) {
    return record.number<std::int64_t>(key, otherwise);
  };
  const std::string& task = record.text("task");
  if (task == "copy") {
    return std::make_unique<CopyTask>(CopyOptions{
        .num_symbols = size("num_symbols"), .length = size("length"), .offset = size("offset", 1)});
  }
  if (task == "associative_recall") {
    return std::make_unique<AssociativeRecallTask>(
        AssociativeRecallOptions{.num_names = size("num_names"),
                                 .num_values = size("num_values"),
                                 .num_pairs = size("num_pairs"),
                                 .num_questions = size("num_questions", 1)});
  }
  if (task == "induction") {
    return std::make_unique<InductionTask>(InductionOptions{.num_symbols = size("num_symbols"),
                                                            .length = size("length"),
                                                            .min_period = size("min_period"),
                                                            .max_period = size("max_period")});
  }
  const SequenceOptions options{.num_symbols = size("num_symbols"), .num_items = size("num_items")};
  if (task == "reverse") {
    return std::make_unique<ReverseTask>(options);
  }
  return std::make_unique<SortTask>(options);
}

Tokens tokens_of(const Record& record, const std::string& key) {
  Tokens tokens = Tokens::from_shape(shape_of<2>(record, key + "_shape"));
  std::ranges::copy(record.numbers<std::int64_t>(key), tokens.begin());
  return tokens;
}

}  // namespace headwise::test
