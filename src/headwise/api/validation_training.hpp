#pragma once

#include <headwise/api/validation_options.hpp>
#include <headwise/core/training/unchecked_optimizer.hpp>
#include <headwise/tokens.hpp>
#include <span>
#include <string_view>
#include <vector>

/// The checks of training's public functions, as in validation.hpp.
namespace headwise::validation {

void check_trainables(const std::vector<Trainable*>& trainables);
void check_can_be_trained(const UncheckedOptimizer& optimizer);
/// Throws invalid-option for an optimizer that trains anything but these.
void check_trains(const UncheckedOptimizer& optimizer, std::span<Trainable* const> trainables);
/// Numbers from `first` to below `end`.
void check_symbols(std::string_view argument, const Tokens& symbols, std::int64_t first,
                   std::size_t end);
void check_symbol_list(std::string_view argument, std::span<const std::int64_t> symbols,
                       std::int64_t first, std::size_t end);
void check_targets(const Tokens& targets, std::size_t vocabulary_size);
void check_cross_entropy(std::span<const std::size_t> logits, const Tokens& targets);

}  // namespace headwise::validation
