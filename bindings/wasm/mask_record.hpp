#pragma once

#include <headwise/core/attention/attention_mask.hpp>

#include "records.hpp"

namespace headwise::bindings {

AttentionMask read_mask(const MaskRecord& record) noexcept;

}  // namespace headwise::bindings
