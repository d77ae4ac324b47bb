#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/parallel/for_each.hpp>

#include "record.hpp"

/// The threads of a WebAssembly build: workers that JavaScript starts.
namespace headwise::bindings {

/// The entry function of a worker, as its index in the function table: (end of its stack, thread
/// number, generation). It returns when the generation is no longer current. 0 in builds without
/// threads.
std::size_t worker_entry() noexcept;

/// The end of a new stack for a worker, which is never freed; 0 if memory does not suffice.
Address new_stack() noexcept;

/// Sets the number of threads, the caller's included. JavaScript has started the others with this
/// generation; workers of earlier ones return.
void set_threads(std::size_t threads, std::size_t generation) noexcept;

}  // namespace headwise::bindings
