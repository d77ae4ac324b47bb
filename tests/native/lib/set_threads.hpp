#pragma once

#include <cstdint>
#include <headwise/threads.hpp>

namespace headwise::test {

/// So many threads until the end of the scope.
class SetThreads {
 public:
  explicit SetThreads(std::int64_t threads) { set_num_threads(threads); }
  SetThreads(const SetThreads&) = delete;
  SetThreads& operator=(const SetThreads&) = delete;
  ~SetThreads() { set_num_threads(static_cast<std::int64_t>(before_)); }

 private:
  std::size_t before_ = num_threads();
};

}  // namespace headwise::test
