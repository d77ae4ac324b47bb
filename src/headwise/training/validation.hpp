#pragma once

#include <array>
#include <headwise/trainable.hpp>
#include <string_view>
#include <vector>

/// The checks of training's public edge, as in attention/validation.hpp.
namespace headwise::validation {

void check_trainables(const std::vector<Trainable*>& trainables);
/// Finite and at least 0.
void check_at_least_0(std::string_view argument, double number);
void check_betas(const std::array<double, 2>& betas);

}  // namespace headwise::validation
