#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace headwise {

/// d2l's names of a layer's parameters. Their indices are the parameters' numbers.
inline constexpr std::array<std::string_view, 15> parameter_names = {"W_q.weight",
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
                                                                     "attention.w_v.weight",
                                                                     "q_norm.weight",
                                                                     "k_norm.weight"};

/// Numbers of parameters. A bias comes after its weight.
namespace parameter_number {
inline constexpr std::size_t W_q = 0;
inline constexpr std::size_t W_k = 2;
inline constexpr std::size_t W_v = 4;
inline constexpr std::size_t W_o = 6;
inline constexpr std::size_t bias_k = 8;
inline constexpr std::size_t bias_v = 9;
inline constexpr std::size_t attention_W_q = 10;
inline constexpr std::size_t attention_W_k = 11;
inline constexpr std::size_t attention_w_v = 12;
inline constexpr std::size_t q_norm = 13;
inline constexpr std::size_t k_norm = 14;
}  // namespace parameter_number

}  // namespace headwise
