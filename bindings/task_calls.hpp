#pragma once

#include "record.hpp"

/// Tasks, and what attention weights tell of heads.
namespace headwise::bindings {

/// Draws sequences of a task. The order of the numbers is that of `draw` in tasks.ts.
void draw_task(Address record);

/// Writes a few doubles for each head. The order of the numbers is that of `scoreHeads` in
/// head-scores.ts.
void score_heads(Address record);

}  // namespace headwise::bindings
