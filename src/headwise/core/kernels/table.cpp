#include <headwise/core/kernels/kernel_table.hpp>
#include <headwise/core/kernels/simd.hpp>

#define HEADWISE_TEXT_OF(name) #name
#define HEADWISE_NAME_OF(macro) HEADWISE_TEXT_OF(macro)

namespace headwise::kernels::HEADWISE_TARGET {

extern const KernelTable table;

#define HEADWISE_ENTER(kernel) .kernel = HEADWISE_TARGET::kernel,
const KernelTable table = {.architecture = HEADWISE_NAME_OF(HEADWISE_TARGET),
                           .panel_width = panel_columns,
                           HEADWISE_FOR_EACH_KERNEL(HEADWISE_ENTER)};
#undef HEADWISE_ENTER

}  // namespace headwise::kernels::HEADWISE_TARGET

#undef HEADWISE_NAME_OF
#undef HEADWISE_TEXT_OF
