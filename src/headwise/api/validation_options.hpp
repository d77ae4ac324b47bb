#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/core/attention/attention_mask.hpp>
#include <headwise/core/attention/layer_options.hpp>
#include <optional>
#include <string_view>

/// The checks of options, natively and in WebAssembly. They need no tensors.
namespace headwise::validation {

/// From 1 to 2147483647.
void check_size(std::string_view argument, std::int64_t size);
/// From 0 to 2147483647.
void check_from_0(std::string_view argument, std::int64_t number);
/// As std::isfinite, which takes more code in WebAssembly.
[[nodiscard]] bool is_finite(double number);
/// Finite and at least 0.
void check_at_least_0(std::string_view argument, double number);
void check_layer_options(const MultiHeadAttentionOptions& options);
void check_cache_sizes(std::int64_t batch_size, std::int64_t max_length);
void check_cache_precision(Precision precision);
void check_truncate(std::int64_t length, std::size_t held);
void check_positional_encoding(std::int64_t length, std::int64_t num_hiddens);
void check_divides(std::int64_t num_heads, std::string_view what, std::uint64_t size);
void check_scale(std::optional<double> scale, std::string_view argument = "scale");
void check_softcap(double softcap);
void check_window(const std::optional<Window>& window, std::string_view argument = "window");

}  // namespace headwise::validation
