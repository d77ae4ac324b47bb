#include <headwise/api/validation_text.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/error.hpp>
#include <headwise/threads.hpp>
#include <string>

namespace headwise {

std::size_t num_threads() noexcept { return parallel::num_threads(); }

void set_num_threads(std::int64_t threads) {
  report_out_of_memory([&] {
    if (threads < 1) {
      validation::fail_option("threads: expected an integer from 1 on, got #", {threads});
    }
    parallel::set_num_threads(static_cast<std::size_t>(threads));
  });
}

}  // namespace headwise
