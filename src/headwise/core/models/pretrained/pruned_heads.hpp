#pragma once

#include <array>
#include <cstddef>
#include <headwise/core/models/pretrained/config.hpp>
#include <headwise/core/models/transformer_options.hpp>
#include <string>
#include <vector>

namespace headwise {

/// The field of a config that lists the heads that were removed from the layers of a side, by layer
/// and as the whole model counted them: `"pruned_heads": { "0": [1, 3] }`. Source: Hugging Face
/// Transformers, `pruned_heads`; the names of the other sides are this library's.
[[nodiscard]] std::string pruned_heads_field(Side side);

/// Heads by layer, ascending; as many lists as the side has layers.
using HeadsByLayer = std::vector<std::vector<std::size_t>>;

/// The removed heads of a side. What a model of these options does not have, or cannot lose, is a
/// problem of the config.
[[nodiscard]] HeadsByLayer pruned_heads_of(PretrainedConfig& config,
                                           const TransformerOptions& options, Side side);

}  // namespace headwise
