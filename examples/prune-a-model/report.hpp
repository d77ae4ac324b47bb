#pragma once

#include <filesystem>
#include <vector>

#include "pruning.hpp"

/// What is printed and written of a model's heads.
namespace example {

/// The numbers of every measure, a line for each head.
void print_importance(const headwise::Transformer& model, const std::vector<Measure>& measures,
                      const std::vector<Importance>& importance);

/// An order, and what becomes of the loss in it.
void print_curve(const PruningCurve& curve);

/// The mean loss of several orders.
void print_mean(const std::vector<PruningCurve>& curves);

void print_speed(const std::vector<Speed>& speeds);

/// How many heads can go in this order for a little loss.
void print_sum(const headwise::Transformer& model, const PruningCurve& curve);

/// A line for each point of each curve: order, gone (how many heads), heads (those that went since
/// the point before), loss, perplexity. Throws `std::runtime_error` if it cannot be written.
void write_csv(const std::filesystem::path& file, const std::vector<PruningCurve>& curves);

}  // namespace example
