#pragma once

#include <headwise/core/models/pretrained/config.hpp>
#include <string>
#include <string_view>

namespace headwise {

/// The fields of the text of a `config.json`. Throws `Error` (invalid-option) for what is not a
/// JSON object.
[[nodiscard]] PretrainedConfig read_config(std::string_view json);

/// A text that `read_config` takes with another value of a member of its object, or with that
/// member at its end. Everything else stays as it was. `value` is JSON.
[[nodiscard]] std::string with_config_field(std::string_view json, std::string_view name,
                                            std::string_view value);

}  // namespace headwise
