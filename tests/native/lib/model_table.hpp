#pragma once

#include <headwise/headwise.hpp>
#include <memory>
#include <string>

#include "records.hpp"

/// What records of tests/data say of tasks and models, as arguments of the library.
namespace headwise::test {

std::unique_ptr<Task> task_of(const Record& record);

/// With vocabulary_size 5, max_length 4, num_hiddens 6, num_heads 2 and num_layers 2 where the
/// record says nothing.
AttentionOnlyTransformerOptions transformer_options_of(const Record& record);

/// Numbers of the shape that key_shape tells.
Tokens tokens_of(const Record& record, const std::string& key);

HeadMeasure measure_of(const Record& record);

}  // namespace headwise::test
