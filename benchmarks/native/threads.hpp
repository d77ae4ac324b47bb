#pragma once

#include <cstdint>

#if __has_include(<headwise/threads.hpp>)
#include <headwise/threads.hpp>
#endif

namespace headwise::benchmarks {

/// Has headwise compute on so many threads, if it can; answers on how many it does.
inline std::int64_t use_threads([[maybe_unused]] std::int64_t threads) {
#if __has_include(<headwise/threads.hpp>)
  set_num_threads(threads);
  return static_cast<std::int64_t>(num_threads());
#else
  return 1;
#endif
}

}  // namespace headwise::benchmarks
