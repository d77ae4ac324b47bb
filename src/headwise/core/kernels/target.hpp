#pragma once

/// The kernels are compiled once for every instruction set, each time in a namespace of its own;
/// `dispatch.hpp` chooses among them. `baseline` is what the compiler was asked for.
#if !defined(HEADWISE_TARGET)
#define HEADWISE_TARGET baseline
#endif
