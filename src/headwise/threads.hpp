#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// Number of threads that one call computes on, the calling one included. At first as many as the
/// process may keep busy, by its affinity and, on Linux, by the CPU quota of its control groups; 64
/// at most. Small problems take fewer; results are the same for any number.
[[nodiscard]] std::size_t num_threads() noexcept;

/// Sets the number of threads, at most 64; more counts as that. Waits while a call of another
/// thread uses them. Threads start at their first use, sleep between calls, and end with the
/// program or when fewer are set; static destructors that compute behind that do so on one thread,
/// and so does a child of `fork`, until it sets another number. Throws `Error` (invalid-option) for
/// less than 1. Source: PyTorch, `torch.set_num_threads`.
void set_num_threads(std::int64_t threads);

}  // namespace headwise
