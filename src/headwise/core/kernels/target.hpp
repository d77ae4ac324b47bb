#pragma once

/// The kernels are compiled once for every instruction set, each time in a namespace of its own;
/// `dispatch.hpp` chooses among them. `baseline` is what the compiler was asked for.
///
/// Nothing else may come out of such an object: of an inline function that two instruction sets
/// define, the linker keeps either, and an older processor would run the wrong one. Kernels
/// therefore call no function of the standard library that is a template or inline;
/// `check_symbols.cmake` looks at what was compiled.
#if !defined(HEADWISE_TARGET)
#define HEADWISE_TARGET baseline
#endif

/// What this pointer leads to is reached through no other while the function runs.
#define HEADWISE_RESTRICT __restrict
