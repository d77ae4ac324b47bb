#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/parallel/for_each.hpp>

#include "record.hpp"

/// The threads of a WebAssembly build: workers that JavaScript starts.
namespace headwise::bindings {

/// What a worker is to call, as its number in the function table: (end of its stack, its thread
/// number, its crew). The call ends when the crew no longer serves. 0 in builds without threads.
std::size_t worker_entry() noexcept;

/// The end of a new stack for a worker, which is never given back; 0 if there is no room.
Address new_stack() noexcept;

/// From now on there are so many threads, the caller's among them; JavaScript has started the
/// others, as this crew. Workers of another leave.
void set_threads(std::size_t threads, std::size_t crew) noexcept;

}  // namespace headwise::bindings
