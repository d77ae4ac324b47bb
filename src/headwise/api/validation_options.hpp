#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/layer_options.hpp>
#include <optional>
#include <string_view>

/// The checks of options, natively and in WebAssembly. They need no tensors.
namespace headwise::validation {

/// From 1 to 2147483647.
void check_size(std::string_view argument, std::int64_t size);
/// Finite and at least 0.
void check_at_least_0(std::string_view argument, double number);
void check_layer_options(const MultiHeadAttentionOptions& options);
void check_cache_sizes(std::int64_t batch_size, std::int64_t max_length);
void check_cache_precision(Precision precision);
void check_truncate(std::int64_t length, std::size_t held);
void check_positional_encoding(std::int64_t length, std::int64_t num_hiddens);
void check_divides(std::int64_t num_heads, std::string_view what, std::size_t size);
void check_scale(std::optional<double> scale);
void check_softcap(double softcap);
void check_betas(const std::array<double, 2>& betas);

}  // namespace headwise::validation
