#pragma once

#include <array>
#include <string_view>

namespace headwise {

/// d2l's names of a layer's parameters. Wherever parameters have numbers, they are numbered so.
inline constexpr std::array<std::string_view, 13> parameter_names = {"W_q.weight",
                                                                     "W_q.bias",
                                                                     "W_k.weight",
                                                                     "W_k.bias",
                                                                     "W_v.weight",
                                                                     "W_v.bias",
                                                                     "W_o.weight",
                                                                     "W_o.bias",
                                                                     "bias_k",
                                                                     "bias_v",
                                                                     "attention.W_q.weight",
                                                                     "attention.W_k.weight",
                                                                     "attention.w_v.weight"};

}  // namespace headwise
