#pragma once

#include <cstddef>
#include <headwise/core/kernels/kernel_list.hpp>

namespace headwise::kernels {

/// The kernels of one instruction set, documented at their declarations.
struct KernelTable {
  /// As HEADWISE_ARCHITECTURE names it.
  const char* architecture;
  std::size_t panel_width;
// A declaration: nothing to put in parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define HEADWISE_DECLARE(kernel) decltype(&HEADWISE_TARGET::kernel) kernel;
  HEADWISE_FOR_EACH_KERNEL(HEADWISE_DECLARE)
#undef HEADWISE_DECLARE
};

}  // namespace headwise::kernels
