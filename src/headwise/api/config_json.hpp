#pragma once

#include <headwise/core/models/pretrained/config.hpp>
#include <string_view>

namespace headwise {

/// The fields of the text of a `config.json`. Throws `Error` (invalid-option) for what is not a
/// JSON object.
[[nodiscard]] PretrainedConfig read_config(std::string_view json);

}  // namespace headwise
