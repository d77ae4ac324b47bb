#pragma once

#include "record.hpp"

/// WebAssembly memory. C++ allocations cannot fail softly in a build without exceptions, so whoever
/// is about to allocate asks first.
namespace headwise::bindings {

/// Bytes to ask for besides numbers: room for bookkeeping.
inline constexpr double small_objects = 4096;

/// The address of working memory of at least `floats` floats, 0 if there is no room. All calls
/// share one block: what it held is lost.
Address reserve(double floats);

/// Whether so many bytes can be had.
bool can_allocate(double bytes);

}  // namespace headwise::bindings
