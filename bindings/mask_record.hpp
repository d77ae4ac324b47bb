#pragma once

#include <headwise/core/attention/attention_mask.hpp>

#include "record.hpp"

namespace headwise::bindings {

/// The order of the numbers is that of `maskRecord` in masks.ts.
AttentionMask read_mask(Record& record) noexcept;

}  // namespace headwise::bindings
