#pragma once

/// The kernels are compiled once for every instruction set, each time in a namespace of its own;
/// `dispatch.hpp` chooses among them. `baseline` uses the flags of the build.
///
/// Such an object may define nothing else: of an inline function that two instruction sets define,
/// the linker keeps either, and an older processor would run the wrong one. Kernels therefore call
/// no function of the standard library that is a template or inline; `check_kernel_symbols.cmake`
/// checks the objects.
#if !defined(HEADWISE_TARGET)
#define HEADWISE_TARGET baseline
#endif

/// C's `restrict`.
#define HEADWISE_RESTRICT __restrict
