#pragma once

// xtensor moved its headers into folders with 0.26; both layouts are in use.
#if __has_include(<xtensor/views/xview.hpp>)
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xview.hpp>
#endif
