#include <catch2/catch_test_macros.hpp>
#include <headwise/core/parallel/processors.hpp>
#include <map>
#include <string>

#include "files.hpp"

#if defined(__linux__)

#include <sched.h>

namespace headwise::test {
namespace {

TEST_CASE("No more threads than the quota of a control group, or of one above it, keeps busy") {
  const std::size_t all = parallel::num_processors("/nowhere");
  const std::size_t two = all < 2 ? all : 2;
  const std::string v2 = "/sys/fs/cgroup/";
  const std::string v1 = "/sys/fs/cgroup/cpu/";
  const std::string of_v1 = "5:memory:/m\n4:cpu,cpuacct:/docker/a\n";
  const struct {
    std::string groups;
    std::map<std::string, std::string> files;
    std::size_t expected;
  } cases[] = {
      {"0::/\n", {{v2 + "cpu.max", "max 100000\n"}}, all},
      {"0::/\n", {{v2 + "cpu.max", "100000 100000\n"}}, 1},
      {"0::/\n", {{v2 + "cpu.max", "20000 100000\n"}}, 1},
      {"0::/\n", {{v2 + "cpu.max", "250000 100000\n"}}, two},
      {"0::/a/b\n", {{v2 + "a/b/cpu.max", "max 100000"}, {v2 + "a/cpu.max", "199999 100000"}}, 1},
      {"0::/a/b\n", {{v2 + "a/b/cpu.max", "50000 50000"}, {v2 + "cpu.max", "max 100000"}}, 1},
      {"0::/../a\n", {{v2 + "cpu.max", "1 1"}}, 1},
      {of_v1, {{v1 + "cpu.cfs_quota_us", "-1"}, {v1 + "cpu.cfs_period_us", "100000"}}, all},
      {of_v1, {{v1 + "cpu.cfs_quota_us", "150000"}, {v1 + "cpu.cfs_period_us", "100000"}}, 1},
      {of_v1,
       {{v1 + "docker/a/cpu.cfs_quota_us", "9"}, {v1 + "docker/a/cpu.cfs_period_us", "9"}},
       1},
      {"5:memory:/\n1:name=systemd:/\n", {{v2 + "memory/cpu.max", "1 1"}}, all},
      {"nonsense\n:\n0::\n\n0::a/b\n", {{v2 + "cpu.max", "x"}}, all},
  };
  for (const auto& [groups, files, expected] : cases) {
    CAPTURE(groups);
    const TemporaryFolder folder;
    folder.write("proc/self/cgroup", groups);
    for (const auto& [name, text] : files) {
      folder.write(name.substr(1), text);
    }
    CHECK(parallel::num_processors((folder / "").string()) == expected);
  }
}

TEST_CASE("No more threads than the affinity of the process allows") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof(before), &before) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int processor = 0; CPU_COUNT(&one) == 0; ++processor) {
    if (CPU_ISSET(processor, &before)) {
      CPU_SET(processor, &one);
    }
  }
  REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
  CHECK(parallel::num_processors("/nowhere") == 1);
  REQUIRE(sched_setaffinity(0, sizeof(before), &before) == 0);
}

}  // namespace
}  // namespace headwise::test

#endif
