#pragma once

#include <headwise/headwise.hpp>
#include <memory>
#include <string>

#include "records.hpp"

/// What records of tests/data say of tasks, as arguments of the library.
namespace headwise::test {

std::unique_ptr<Task> task_of(const Record& record);

/// Numbers of the shape that key_shape tells.
Tokens tokens_of(const Record& record, const std::string& key);

}  // namespace headwise::test
