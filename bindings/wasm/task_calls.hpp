#pragma once

#include "record.hpp"

/// Tasks, and scores of heads from attention weights.
namespace headwise::bindings {

/// Checks the options of a task and returns its `TaskSizes`.
Address task_sizes(std::size_t kind, Address options);
/// Draws sequences of a task. Returns the address of tokens, targets and keys, one behind the
/// other, in working memory; 0 if memory does not suffice.
Address draw_task(std::size_t kind, Address options, double seed, double batch_size, double first);

/// Writes the record's score of each head, one or more doubles.
void score_heads(Address record);

/// Checks what heads are measured with.
void check_importance(Address request);
/// Returns the heads that a message selects as `PrunedHeads`.
Address least_important_heads(Address request);

}  // namespace headwise::bindings
