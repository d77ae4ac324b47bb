#include <algorithm>
#include <fstream>
#include <headwise/core/parallel/processors.hpp>
#include <limits>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace headwise::parallel {
namespace {

#if defined(__linux__)

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The number of processors that a control group may use on average. Version 2 has both numbers in
/// cpu.max, whose first may be "max"; version 1 has a file for each, and a quota of −1 for none.
double quota_of(const std::string& folder, bool is_version_2) {
  double quota = 0;
  double period = 0;
  if (is_version_2) {
    std::ifstream(folder + "/cpu.max") >> quota >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : unlimited;
}

/// The least quota of the process's control groups and of those above them.
double quota(const std::string& root) {
  double least = unlimited;
  std::ifstream groups(root + "/proc/self/cgroup");
  // hierarchy:controllers:path; version 2 names no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t path_at = line.find(':', controllers) + 1;
    if (controllers == 0 || path_at == 0) {
      continue;
    }
    const std::string names = ',' + line.substr(controllers, path_at - controllers - 1) + ',';
    const bool is_version_2 = names == ",,";
    if (!is_version_2 && names.find(",cpu,") == std::string::npos) {
      continue;
    }
    const std::string mount = root + "/sys/fs/cgroup" + (is_version_2 ? "" : "/cpu");
    // A container may not see the upper part of the path.
    for (std::string path = line.substr(path_at); !path.empty(); path.resize(path.rfind('/'))) {
      least = std::min(least, quota_of(mount + path, is_version_2));
      if (path.front() != '/') {
        break;
      }
    }
    least = std::min(least, quota_of(mount, is_version_2));
  }
  return least;
}

#endif

}  // namespace

std::size_t num_processors([[maybe_unused]] const std::string& root) {
  std::size_t count = std::thread::hardware_concurrency();
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    count = static_cast<std::size_t>(CPU_COUNT(&allowed));
  }
  count = static_cast<std::size_t>(std::min(static_cast<double>(count), quota(root)));
#endif
  return std::max<std::size_t>(count, 1);
}

}  // namespace headwise::parallel
