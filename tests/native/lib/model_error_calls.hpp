#pragma once

#include <functional>
#include <map>
#include <string>

#include "records.hpp"

namespace headwise::test {

/// The calls of tasks and models that errors.txt names. Those of models check that the model stays
/// as it was.
const std::map<std::string, std::function<void(const Record&)>>& model_error_calls();

}  // namespace headwise::test
