#pragma once

#include <cstdint>
#include <vector>

#include "record.hpp"

/// Files and state dicts of other systems: each call reads a question and gives an answer, both
/// records, which questions.ts writes and reads.
namespace headwise::bindings {

using Words = std::vector<std::uint32_t>;

Words read_safetensors_header(Record question);
Words write_safetensors_header(Record question);
Words read_npy_header(Record question);
Words write_npy_header(Record question);
Words plan_layer(Record question);

}  // namespace headwise::bindings
