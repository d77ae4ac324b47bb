#pragma once

#include <cstdint>
#include <headwise/threads.hpp>

namespace headwise::benchmarks {

/// Has headwise compute on so many threads; answers on how many it does.
inline std::int64_t use_threads(std::int64_t threads) {
  set_num_threads(threads);
  return static_cast<std::int64_t>(num_threads());
}

}  // namespace headwise::benchmarks
