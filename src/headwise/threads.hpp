#pragma once

#include <cstddef>
#include <cstdint>

namespace headwise {

/// Threads that one call computes on, the calling one among them. At first as many as the processor
/// runs at the same time. Small problems take fewer; results are the same for any number.
[[nodiscard]] std::size_t num_threads() noexcept;

/// Sets their number, 64 at most; more counts as that. Waits for a call of another thread that uses
/// them. The threads start when they are first of use, sleep between calls, and end with the
/// program or when fewer are set. Throws `Error` (invalid-option) for less than 1. Source: PyTorch,
/// `torch.set_num_threads`.
void set_num_threads(std::int64_t threads);

}  // namespace headwise
