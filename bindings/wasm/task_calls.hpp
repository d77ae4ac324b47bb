#pragma once

#include "record.hpp"

/// Tasks, and scores of heads from attention weights.
namespace headwise::bindings {

/// Draws sequences of a task.
void draw_task(Address record);

/// Writes the record's score of each head, one or more doubles.
void score_heads(Address record);

}  // namespace headwise::bindings
