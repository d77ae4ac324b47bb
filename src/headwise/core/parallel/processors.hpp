#pragma once

#include <cstddef>
#include <string>

namespace headwise::parallel {

/// Number of processors that this process may keep busy, at least 1: those that its affinity allows
/// and, on Linux, no more than the CPU quota of its control groups, rounded down. `root` is the
/// folder that /proc and /sys are read from. Source: Rust, `std::thread::available_parallelism`.
[[nodiscard]] std::size_t num_processors(const std::string& root = "");

}  // namespace headwise::parallel
