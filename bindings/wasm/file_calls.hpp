#pragma once

#include "record.hpp"

/// Files and state dicts of other systems: each call reads a message and writes another to working
/// memory, whose address it returns; 0 if memory does not suffice.
namespace headwise::bindings {

Address read_safetensors_header(Address request);
Address write_safetensors_header(Address request);
Address read_npy_header(Address request);
Address write_npy_header(Address request);
Address plan_layer(Address request);

}  // namespace headwise::bindings
