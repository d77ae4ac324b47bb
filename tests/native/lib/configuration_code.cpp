#include <sstream>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "configuration.hpp"

namespace headwise::test {
namespace {

template <typename Value>
struct Field {
  std::string_view name;
  Value Configuration::* member;

  constexpr Field(std::string_view field, Value Configuration::* pointer)
      : name(field), member(pointer) {}
};

/// In the order of the declaration, which designated initializers need.
constexpr auto fields = std::tuple{
    Field{"call", &Configuration::call},
    Field{"numbers", &Configuration::numbers},
    Field{"batch", &Configuration::batch},
    Field{"queries", &Configuration::queries},
    Field{"keys", &Configuration::keys},
    Field{"heads", &Configuration::heads},
    Field{"kv_heads", &Configuration::kv_heads},
    Field{"head_size", &Configuration::head_size},
    Field{"query_size", &Configuration::query_size},
    Field{"key_size", &Configuration::key_size},
    Field{"value_size", &Configuration::value_size},
    Field{"batch_axis", &Configuration::batch_axis},
    Field{"pooling", &Configuration::pooling},
    Field{"projection", &Configuration::projection},
    Field{"attention_hiddens", &Configuration::attention_hiddens},
    Field{"output_size", &Configuration::output_size},
    Field{"output_projection", &Configuration::output_projection},
    Field{"bias", &Configuration::bias},
    Field{"bias_kv", &Configuration::bias_kv},
    Field{"zero_attention", &Configuration::zero_attention},
    Field{"scale", &Configuration::scale},
    Field{"softcap", &Configuration::softcap},
    Field{"rotary", &Configuration::rotary},
    Field{"rotary_base", &Configuration::rotary_base},
    Field{"rotary_size", &Configuration::rotary_size},
    Field{"rotary_interleaved", &Configuration::rotary_interleaved},
    Field{"positions", &Configuration::positions},
    Field{"sizes_inferred", &Configuration::sizes_inferred},
    Field{"lens", &Configuration::lens},
    Field{"mask", &Configuration::mask},
    Field{"mask_missing_axes", &Configuration::mask_missing_axes},
    Field{"mask_repeats", &Configuration::mask_repeats},
    Field{"causal", &Configuration::causal},
    Field{"window", &Configuration::window},
    Field{"window_left", &Configuration::window_left},
    Field{"window_right", &Configuration::window_right},
    Field{"query_offset", &Configuration::query_offset},
    Field{"gate", &Configuration::gate},
    Field{"cache", &Configuration::cache},
    Field{"cached", &Configuration::cached},
    Field{"empty_rows", &Configuration::empty_rows},
    Field{"stage", &Configuration::stage},
    Field{"poisoned", &Configuration::poisoned},
    Field{"gradients", &Configuration::gradients},
    Field{"dropout", &Configuration::dropout},
    Field{"history", &Configuration::history},
    Field{"pruned_groups", &Configuration::pruned_groups},
};

template <typename Visitor>
void for_each_field(Visitor visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, fields);
}

using Names = std::vector<std::string>;

// In the order of the declarations.
Names enumerators(Call /*kind*/) {
  return {"Call::layer", "Call::scaled_dot_product_attention", "Call::dot_product_attention",
          "Call::additive_attention", "Call::masked_softmax"};
}
Names enumerators(LensKind /*kind*/) {
  return {"LensKind::none", "LensKind::by_sample", "LensKind::by_query"};
}
Names enumerators(MaskKind /*kind*/) {
  return {"MaskKind::none", "MaskKind::boolean", "MaskKind::added"};
}
Names enumerators(GateKind /*kind*/) {
  return {"GateKind::none", "GateKind::by_head", "GateKind::by_sample"};
}
Names enumerators(PositionKind /*kind*/) {
  return {"PositionKind::none", "PositionKind::shared", "PositionKind::by_sample"};
}
Names enumerators(CacheUse /*kind*/) {
  return {"CacheUse::none", "CacheUse::growing", "CacheUse::fixed"};
}
Names enumerators(History /*kind*/) {
  return {"History::loaded", "History::copied", "History::moved", "History::used",
          "History::written"};
}
Names enumerators(Pooling /*kind*/) { return {"Pooling::dot_product", "Pooling::additive"}; }
Names enumerators(Projection /*kind*/) {
  return {"Projection::linear", "Projection::convolution", "Projection::none"};
}
Names enumerators(Causal /*kind*/) {
  return {"Causal::none", "Causal::top_left", "Causal::bottom_right"};
}
Names enumerators(EmptyRows /*kind*/) { return {"EmptyRows::zero", "EmptyRows::uniform"}; }
Names enumerators(WeightsStage /*kind*/) {
  return {"WeightsStage::raw", "WeightsStage::softcap", "WeightsStage::masked",
          "WeightsStage::softmax"};
}

template <typename Value>
std::string text(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<Value>) {
    return enumerators(value).at(static_cast<std::size_t>(value));
  } else if constexpr (requires { value.has_value(); }) {
    return value.has_value() ? text(*value) : "std::nullopt";
  } else {
    std::ostringstream stream;
    stream << value;
    return stream.str();
  }
}

}  // namespace

std::string to_code(const Configuration& configuration) {
  const Configuration smallest;
  std::string code;
  for_each_field([&](const auto& field) {
    if (configuration.*field.member != smallest.*field.member) {
      code += (code.empty() ? "." : ", .") + std::string(field.name) + " = " +
              text(configuration.*field.member);
    }
  });
  return "Configuration{" + code + "}";
}

std::vector<Configuration> smaller_configurations(const Configuration& configuration) {
  const Configuration smallest;
  std::vector<Configuration> candidates;
  const auto add = [&](auto member, auto value) {
    Configuration candidate = configuration;
    candidate.*member = value;
    candidate = settled(candidate);
    if (to_code(candidate) != to_code(configuration)) {
      candidates.push_back(candidate);
    }
  };
  for_each_field([&](const auto& field) {
    const auto member = field.member;
    const auto value = configuration.*member;
    using Value = std::decay_t<decltype(value)>;
    // What is called and with which numbers is not for shrinking; the rest goes back to the start.
    if (field.name == "call" || field.name == "numbers" || value == smallest.*member) {
      return;
    }
    add(member, smallest.*member);
    if constexpr (std::is_same_v<Value, std::size_t> || std::is_same_v<Value, std::int64_t>) {
      for (const Value smaller : {Value{2}, value / 2, value - 1}) {
        if (smaller > 0 && smaller < value) {
          add(member, smaller);
        }
      }
    }
  });
  return candidates;
}

}  // namespace headwise::test
