#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "json.hpp"
#include "vector_file.hpp"

/// Arguments of the library as the package takes them.
namespace headwise::test {

JsonObject json_of(const MultiHeadAttentionOptions& options);

/// Options that any of the calls takes; `add_mask_tensors` adds the tensors among them.
void set_mask_options(JsonObject& json, const ForwardOptions& options);

/// `prefix` and validLens, mask and headGate, as far as they are given.
void add_mask_tensors(VectorFile& file, const std::string& prefix, const ForwardOptions& options);

/// `prefix` and the name of each parameter.
void add_parameters(VectorFile& file, const std::string& prefix, const StateDict& parameters);

/// A gradient's name in the package.
std::string gradient_name(const std::string& name);

}  // namespace headwise::test
