#pragma once

#include <string_view>

namespace headwise::benchmarks {

/// Name of the instruction set whose kernels run. Throws `std::runtime_error` if the environment
/// variable HEADWISE_ARCHITECTURE names another one, which the processor then does not have.
[[nodiscard]] std::string_view architecture();

}  // namespace headwise::benchmarks
