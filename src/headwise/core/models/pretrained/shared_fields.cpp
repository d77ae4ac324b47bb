#include <algorithm>
#include <cmath>
#include <headwise/core/elementary_functions.hpp>
#include <headwise/core/io/message.hpp>
#include <headwise/core/models/pretrained/shared_fields.hpp>
#include <optional>

namespace headwise {

void require_kinds(PretrainedConfig& config, std::string_view list, std::size_t count,
                   std::string_view of_layers, std::int64_t num_layers) {
  if (config.problems().empty() && count != static_cast<std::size_t>(num_layers)) {
    std::string expected = "a list of ";
    expected.append(of_layers).append(" (");
    expected += io::Decimal(static_cast<std::uint64_t>(num_layers)).text();
    config.reject(list, expected += ") kinds");
  }
}

void read_kinds(PretrainedConfig& config, std::string_view list, std::string_view first,
                std::string_view second, LayerKinds& kinds) {
  // One problem is enough.
  for (std::size_t layer = 0; config.has(member(list, layer)) && config.problems().empty();
       ++layer) {
    const std::string name = member(list, layer);
    config.require_text(name, {first, second});
    kinds.push_back(config.text(name, "") == second ? 1 : 0);
  }
}

LayerKinds sliding_layers(PretrainedConfig& config, std::int64_t num_layers) {
  LayerKinds sliding;
  if (config.has("layer_types")) {
    read_kinds(config, "layer_types", "full_attention", "sliding_attention", sliding);
    require_kinds(config, "layer_types", sliding.size(), "num_hidden_layers", num_layers);
  }
  return sliding;
}

bool check_listed_layers(PretrainedConfig& config, std::string_view of_layers,
                         std::int64_t num_layers) {
  constexpr std::int64_t most = 65536;
  if (num_layers > most) {
    config.reject(of_layers, "at most 65536, of two kinds");
  }
  return num_layers <= most;
}

bool is_uniform(const LayerKinds& sliding) noexcept {
  return std::ranges::all_of(sliding, [&](std::uint8_t kind) { return kind == sliding.front(); });
}

void set_windows(const LayerKinds& sliding, const Window& window, TransformerOptions& options) {
  if (!sliding.empty() && is_uniform(sliding)) {
    options.window = sliding.front() != 0 ? std::optional(window) : std::nullopt;
    return;
  }
  for (const std::uint8_t slides : sliding) {
    options.windows.push_back(slides != 0 ? std::optional(window) : std::nullopt);
  }
}

double number_above(PretrainedConfig& config, const std::string& name, double least,
                    double otherwise) {
  constexpr double max = 1e30;
  const double number = config.number(name, otherwise);
  if (!(number > least && number <= max)) {
    config.reject(name, "a number above " + number_text(least) + ", up to 1e30");
    return otherwise;
  }
  return number;
}

namespace {

/// Reads how the rotary positions are scaled, from the fields that begin with `parameters`.
void read_scaling(PretrainedConfig& config, const std::string& parameters,
                  TransformerOptions& options) {
  using Type = RotaryScaling::Type;
  const std::string of_type =
      parameters + (config.has(parameters + "rope_type") ? "rope_type" : "type");
  config.require_text(of_type, {"default", "linear", "dynamic", "llama3", "yarn"});
  const std::string_view type = config.text(of_type, "default");
  // The base of `dynamic` grows only behind max_position_embeddings, which no input exceeds.
  if (type == "default" || type == "dynamic" || !config.problems().empty()) {
    return;
  }
  const auto required = [&](std::string_view name) {
    const std::string full = parameters + std::string(name);
    if (!config.has(full)) {
      config.reject(full, "a number");
    }
    return number_above(config, full, 0, 1);
  };
  const auto given = [&](std::string_view name, double otherwise) {
    return number_above(config, parameters + std::string(name), 0, otherwise);
  };
  RotaryScaling scaling{.type = type == "linear"   ? Type::linear
                                : type == "llama3" ? Type::llama3
                                                   : Type::yarn};
  const auto max_length = static_cast<double>(options.max_length);
  const std::string length = parameters + "original_max_position_embeddings";
  if (scaling.type == Type::llama3) {
    scaling.original_length = required("original_max_position_embeddings");
    scaling.slow_turns = required("low_freq_factor");
    scaling.fast_turns = required("high_freq_factor");
    if (!(*scaling.fast_turns > scaling.slow_turns)) {
      config.reject(parameters + "high_freq_factor", "a number above low_freq_factor");
    }
  } else if (scaling.type == Type::yarn) {
    scaling.original_length = number_above(
        config, config.has(length) ? length : "original_max_position_embeddings", 0, max_length);
    scaling.slow_turns = given("beta_slow", 1);
    scaling.fast_turns = given("beta_fast", 32);
    scaling.truncate = config.flag(parameters + "truncate", true);
    if (!(*scaling.fast_turns > scaling.slow_turns)) {
      config.reject(parameters + "beta_fast", "a number above beta_slow");
    }
  }
  const bool is_ratio = scaling.type == Type::yarn && !config.has(parameters + "factor");
  scaling.factor = is_ratio ? max_length / scaling.original_length : required("factor");
  if (scaling.type == Type::yarn) {
    // What DeepSeek has in place of one factor.
    const double of_scores = config.number(parameters + "mscale", 0);
    const double of_all = config.number(parameters + "mscale_all_dim", 0);
    const auto magnitude = [&](double by) {
      return scaling.factor > 1 ? 0.1 * by * natural_logarithm(scaling.factor) + 1 : 1;
    };
    if (config.has(parameters + "attention_factor")) {
      scaling.attention_factor = given("attention_factor", 1);
    } else if (of_scores != 0 && of_all != 0) {
      scaling.attention_factor = magnitude(of_scores) / magnitude(of_all);
      if (!(*scaling.attention_factor > 0)) {
        config.reject(parameters + "mscale", "a number above 0");
      }
    }
    if (!(options.rotary.base > 1)) {
      config.reject("rope_theta", "a number above 1, for rope_type 'yarn'");
    }
  }
  options.rotary.scaling = scaling;
}

}  // namespace

void read_rotary(PretrainedConfig& config, TransformerOptions& options,
                 const RotaryFields& fields) {
  for (const std::string_view name : {"rope_scaling", "rope_parameters"}) {
    if (const auto* field = config.find(name);
        field != nullptr && field->kind != PretrainedConfig::Kind::object) {
      config.reject(name, "an object");
    }
  }
  std::string parameters = config.has_members("rope_scaling") ? "rope_scaling" : "rope_parameters";
  if (config.has(parameters + ".full_attention") || config.has(parameters + ".sliding_attention")) {
    const LayerKinds sliding = sliding_layers(config, options.num_layers);
    const bool is_full =
        sliding.empty() ? config.has(parameters + ".full_attention") : sliding.front() == 0;
    if (!is_uniform(sliding)) {
      config.reject(parameters, "the same for all layers");
    }
    parameters += is_full ? ".full_attention" : ".sliding_attention";
    if (const auto* field = config.find(parameters);
        field == nullptr || field->kind != PretrainedConfig::Kind::object) {
      config.reject(parameters, "an object");
    }
  }
  parameters += ".";
  const auto either = [&](std::string_view of_parameters, std::string_view of_config) {
    const std::string name = parameters + std::string(of_parameters);
    return config.has(name) ? name : std::string(of_config);
  };
  const std::string theta = either("rope_theta", fields.base);
  options.rotary.base = config.number(theta, 10000);
  constexpr double max = 1e30;
  if (!(options.rotary.base > 0 && options.rotary.base <= max)) {
    config.reject(theta, "a number above 0, up to 1e30");
  }
  const std::string part = either("partial_rotary_factor", fields.share);
  const double share = config.number(part, fields.default_share);
  if (fields.default_share == 1) {
    if (share != 1) {
      config.reject(part, "1");
    }
  } else if (config.problems().empty()) {
    const std::int64_t head_size = options.num_hiddens / options.num_heads;
    const double size = std::floor(static_cast<double>(head_size) * share);
    if (!(size >= 2 && size <= static_cast<double>(head_size)) || std::fmod(size, 2) != 0) {
      config.reject(part, "a share of each head's elements that is even, at least 2");
    } else {
      options.rotary.size = static_cast<std::int64_t>(size);
    }
  }
  config.require_off("rope_interleaved");
  read_scaling(config, parameters, options);
}

}  // namespace headwise
