#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <headwise/headwise.hpp>
#include <random>
#include <vector>

/// A text as tokens, and the windows of it that a model reads.
namespace example {

using Text = std::vector<std::uint16_t>;

/// Reads 16-bit integers, the low byte first. Throws `std::runtime_error` for a file that cannot be
/// read or has no tokens.
[[nodiscard]] Text read_text(const std::filesystem::path& path);

struct Batch {
  headwise::Tokens tokens;   ///< (batch, length)
  headwise::Tokens targets;  ///< of each token the one after it; −1 behind the text's end
};

/// `size` windows that begin at random places. In one of six, the first tokens, a sixteenth to half
/// of them, are repeated to the window's end: what stands at one place of a window is then worth
/// looking up at another. The text must be longer than `length`.
[[nodiscard]] Batch random_windows(const Text& text, std::size_t size, std::size_t length,
                                   std::mt19937_64& random);

/// Windows that all repeat: the first `of_text` are of the text, the others are of tokens that
/// `draw` gives one by one, so that only looking up predicts them.
[[nodiscard]] Batch repeated_windows(const Text& text, std::size_t size, std::size_t of_text,
                                     std::size_t length, const std::function<std::int64_t()>& draw,
                                     std::mt19937_64& random);

/// The windows one after another from window `first` on, `size` of them or as many as are left:
/// each token but the text's first is the target of one position.
[[nodiscard]] Batch successive_windows(const Text& text, std::size_t first, std::size_t size,
                                       std::size_t length);

/// How many successive windows there are.
[[nodiscard]] std::size_t num_windows(const Text& text, std::size_t length);

}  // namespace example
