#pragma once

#include "record.hpp"

/// Tasks, and what attention weights tell of heads.
namespace headwise::bindings {

/// Draws sequences of a task.
void draw_task(Address record);

/// Writes a few doubles for each head.
void score_heads(Address record);

}  // namespace headwise::bindings
