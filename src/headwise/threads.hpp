#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// Number of threads that one call computes on, the calling one included. At first as many as the
/// processor runs at the same time. Small problems take fewer; results are the same for any number.
[[nodiscard]] std::size_t num_threads() noexcept;

/// Sets the number of threads, at most 64; more counts as that. Waits while a call of another
/// thread uses them. Threads start at their first use, sleep between calls, and end with the
/// program or when fewer are set. Throws `Error` (invalid-option) for less than 1. Source: PyTorch,
/// `torch.set_num_threads`.
void set_num_threads(std::int64_t threads);

}  // namespace headwise
