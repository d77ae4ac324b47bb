#pragma once

#include <headwise/core/models/transformer_options.hpp>
#include <headwise/core/training/unchecked_optimizer.hpp>

/// The checks of the options of models and optimizers, natively and in WebAssembly, as in
/// validation_options.hpp.
namespace headwise::validation {

void check_transformer_options(const TransformerOptions& options);
void check_optimizer_options(const UncheckedOptimizer::Options& options);

}  // namespace headwise::validation
