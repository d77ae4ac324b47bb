#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// Number of threads that a call may use, including the caller's. Default: what the process's
/// affinity and, on Linux, the CPU quota of its control groups allow, at most 64. Small problems
/// use fewer. Results do not depend on it.
[[nodiscard]] std::size_t num_threads() noexcept;

/// Sets the number of threads; more than 64 counts as 64. Waits for calls of other threads to end.
/// Threads start when first used, sleep between calls, and end with the program or when a smaller
/// number is set. Static destructors use one thread, and so does a child of `fork` until it sets a
/// number. Throws `Error` (invalid-option) for less than 1. Source: PyTorch,
/// `torch.set_num_threads`.
void set_num_threads(std::int64_t threads);

}  // namespace headwise
