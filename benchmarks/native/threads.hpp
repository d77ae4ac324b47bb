#pragma once

#include <cstdint>
#include <headwise/threads.hpp>

namespace headwise::benchmarks {

/// Sets the number of threads and returns the number in use.
inline std::int64_t use_threads(std::int64_t threads) {
  set_num_threads(threads);
  return static_cast<std::int64_t>(num_threads());
}

}  // namespace headwise::benchmarks
