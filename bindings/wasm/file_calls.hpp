#pragma once

#include "record.hpp"

/// Files and state dicts of other systems: each call reads a message and leaves another in working
/// memory, whose address it returns; 0 if there is no room.
namespace headwise::bindings {

Address read_safetensors_header(Address request);
Address write_safetensors_header(Address request);
Address read_npy_header(Address request);
Address write_npy_header(Address request);
Address plan_layer(Address request);

}  // namespace headwise::bindings
