#pragma once

#include "record.hpp"

/// Tasks, and scores of heads from attention weights.
namespace headwise::bindings {

/// Draws sequences of a task.
void draw_task(Address record);

/// Writes the record's score of each head, one or more doubles.
void score_heads(Address record);

/// Checks what heads are measured with.
void check_importance(std::size_t measure, std::size_t normalize, std::size_t num_batches,
                      std::size_t needs_loss, std::size_t has_value, std::size_t has_gradient,
                      std::size_t side, std::size_t num_layers);

}  // namespace headwise::bindings
