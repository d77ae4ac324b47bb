#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <headwise/core/parallel/for_each.hpp>
#include <headwise/core/parallel/fork_join_queue.hpp>
#include <headwise/headwise.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "compare.hpp"
#include "gradient_check.hpp"
#include "problem.hpp"
#include "set_threads.hpp"

namespace headwise::test {
namespace {

/// All options at random, large enough for several threads.
std::vector<Configuration> large_configurations() {
  std::vector<Configuration> all;
  for (std::uint64_t seed = 1; all.size() < 20; ++seed) {
    Configuration c = random_configuration(seed);
    c.batch = 2;
    c.queries = all.size() % 4 == 0 ? 800 : 300;  // 800 make three parts, which differ in size
    c.keys = 217;
    c.heads = 6;
    c.head_size = 16;
    c.gradients = true;
    c.dropout = 0.2;
    all.push_back(settled(c));
  }
  return all;
}

TEST_CASE("Results and gradients do not depend on the number of threads") {
  for (const Configuration& configuration : large_configurations()) {
    CAPTURE(to_code(configuration));
    const Problem problem = make_problem(configuration);
    const auto check = [](const auto& result_of) {
      const auto with = [&](std::int64_t threads) {
        const SetThreads set(threads);
        return result_of();
      };
      const auto alone = with(1);
      for (const std::int64_t threads : {2, 3, 8}) {
        CHECK(with(threads) == alone);
      }
    };
    check([&] { return library_result(problem, false).output; });
    check([&] {
      const Result result = library_result(problem, true);
      return std::pair(result.output, result.weights);
    });
    if (configuration.call == Call::layer) {
      check([&] { return library_inside(problem).tensors; });
    }
    if (configuration.gradients) {
      const Tensor<3> grad_output = random_grad_output(problem);
      check([&] { return library_gradients(problem, grad_output); });
    }
  }
}

TEST_CASE("A job's pieces are each done once, one at a time under each thread's number") {
  const SetThreads set(8);
  for (const std::size_t pieces : {2, 3, 7, 8, 100, 1000}) {
    for (int repetition = 0; repetition < 50; ++repetition) {
      std::vector<std::atomic<int>> done(pieces);
      std::vector<std::atomic<int>> busy(8);
      std::atomic<bool> shared = false;
      parallel::for_each(pieces, 8, [&](std::size_t piece, std::size_t thread) {
        shared = shared || ++busy[thread] != 1;
        ++done[piece];
        --busy[thread];
      });
      CHECK_FALSE(shared);
      CHECK(std::all_of(done.begin(), done.end(), [](const auto& count) { return count == 1; }));
    }
  }
}

TEST_CASE("Other threads do take part") {
  const SetThreads set(2);
  std::atomic<bool> helped = false;
  // The caller's piece waits for the other thread's.
  parallel::for_each(2, 2, [&](std::size_t /*piece*/, std::size_t thread) {
    helped = helped || thread == 1;
    while (!helped) {
      std::this_thread::yield();
    }
  });
  CHECK(helped);
}

TEST_CASE("A job takes no more threads than it asks for") {
  const SetThreads set(4);
  std::atomic<std::size_t> highest = 0;
  parallel::for_each(1000, 2, [&](std::size_t /*piece*/, std::size_t thread) {
    std::size_t seen = highest;
    while (thread > seen && !highest.compare_exchange_weak(seen, thread)) {
    }
    std::this_thread::yield();
  });
  CHECK(highest <= 1);
}

TEST_CASE("Threads of an earlier generation take no more pieces and leave") {
  parallel::ForkJoinQueue queue;
  std::vector<std::thread> threads;
  const auto run = [&](std::size_t pieces) {
    std::atomic<std::size_t> done = 0;
    const auto work = [](const void* context, std::size_t /*piece*/,
                         std::size_t /*thread*/) noexcept {
      ++*static_cast<std::atomic<std::size_t>*>(const_cast<void*>(context));
    };
    queue.run(pieces, 4, work, &done);
    return done.load();
  };
  for (std::uint32_t generation = 0; generation < 5; ++generation) {
    for (std::size_t thread = 1; thread < 4; ++thread) {
      threads.emplace_back([&queue, thread, generation] { queue.worker_loop(thread, generation); });
    }
    CHECK(run(100) == 100);
    queue.set_generation(generation + 1);
    CHECK(run(10) == 10);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_CASE("Small jobs stay on the calling thread") {
  CHECK(parallel::threads_worth(0, 8) == 1);
  CHECK(parallel::threads_worth(1.5 * parallel::min_operations_per_thread, 8) == 1);
  CHECK(parallel::threads_worth(3.5 * parallel::min_operations_per_thread, 8) == 3);
  CHECK(parallel::threads_worth(1e12, 8) == 8);
}

TEST_CASE("The number of threads is at least 1, and 64 at most") {
  const SetThreads set(2);
  CHECK(num_threads() == 2);
  for (const std::int64_t threads : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-1} << 40}) {
    CHECK(error_of([&] { set_num_threads(threads); }) ==
          "invalid-option; threads: expected an integer from 1 on, got " + std::to_string(threads));
  }
  CHECK(num_threads() == 2);
  set_num_threads(1000);
  CHECK(num_threads() == 64);
}

}  // namespace
}  // namespace headwise::test
