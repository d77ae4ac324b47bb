#include <algorithm>
#include <cmath>
#include <headwise/core/heap_sort.hpp>
#include <headwise/core/models/model_parameters.hpp>
#include <headwise/core/models/pretrained/pruned_heads.hpp>
#include <optional>
#include <string>

namespace headwise {
namespace {

struct SideSizes {
  std::size_t num_layers;
  std::size_t num_heads;
  std::size_t group_size;  ///< heads that share a key-value head
};

SideSizes sizes_of(const TransformerOptions& options, Side side) {
  const MultiHeadAttentionOptions layer = layer_options_of(options, side);
  const auto num_heads = static_cast<std::size_t>(layer.num_heads);
  const std::size_t num_kv_heads = to_size(layer.num_kv_heads).value_or(num_heads);
  return {.num_layers = num_layers_of(options, side),
          .num_heads = num_heads,
          .group_size = std::max<std::size_t>(num_heads / num_kv_heads, 1)};
}

/// The integer that begins a text and ends at its end or a dot.
std::optional<std::size_t> leading_integer(std::string_view text) noexcept {
  constexpr std::size_t max_digits = 9;
  const std::string_view digits = text.substr(0, text.find('.'));
  if (digits.empty() || digits.size() > max_digits) {
    return std::nullopt;
  }
  std::size_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') {
      return std::nullopt;
    }
    number = number * 10 + static_cast<std::size_t>(digit - '0');
  }
  return number;
}

/// Whether a layer without these heads, ascending, has one left, and no head that has lost its
/// key-value head.
bool can_lose(const std::vector<std::size_t>& heads, const SideSizes& sizes) {
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::size_t in_group = i % sizes.group_size;
    if (heads[i] != heads[i - in_group] + in_group || heads[i] % sizes.group_size != in_group) {
      return false;
    }
  }
  return heads.size() < sizes.num_heads && heads.size() % sizes.group_size == 0;
}

}  // namespace

std::string pruned_heads_field(Side side) { return name_of_side(side, "pruned_heads"); }

HeadsByLayer pruned_heads_of(PretrainedConfig& config, const TransformerOptions& options,
                             Side side) {
  const std::string field = pruned_heads_field(side);
  const SideSizes sizes = sizes_of(options, side);
  HeadsByLayer heads(sizes.num_layers);
  const auto is_container = [](const PretrainedConfig::Field& member) {
    return member.kind == PretrainedConfig::Kind::list ||
           member.kind == PretrainedConfig::Kind::object;
  };
  for (const PretrainedConfig::Field& member : config.fields()) {
    const std::string_view name = member.name;
    const bool is_null = member.kind == PretrainedConfig::Kind::null;
    const bool is_member = name.starts_with(field) && name.substr(field.size()).starts_with('.');
    if (is_container(member) || (!is_member && (name != field || is_null))) {
      continue;
    }
    const std::optional<std::size_t> layer =
        is_member ? leading_integer(name.substr(field.size() + 1)) : std::nullopt;
    const double head = member.number;
    if (!layer || *layer >= sizes.num_layers || member.kind != PretrainedConfig::Kind::number ||
        !(head >= 0 && head < static_cast<double>(sizes.num_heads)) || head != std::floor(head)) {
      config.reject(field, "lists of the heads of layers");
      return heads;
    }
    heads[*layer].push_back(static_cast<std::size_t>(head));
  }
  for (std::vector<std::size_t>& list : heads) {
    heap_sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    if (!can_lose(list, sizes)) {
      config.reject(field,
                    "a head left in each layer, and all or none of those of a key-value head");
    }
  }
  return heads;
}

}  // namespace headwise
