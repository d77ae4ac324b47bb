#include "token_windows.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace example {
namespace {

struct Window {
  std::size_t start = 0;
  std::size_t period = 1;  ///< after so many tokens, they are repeated
};

/// Of a window that is repeated: from a few tokens to half of it.
std::size_t random_period(std::size_t length, std::mt19937_64& random) {
  const std::size_t least = std::max<std::size_t>(length / 16, 1);
  const std::size_t most = std::max(length / 2, least);
  return least + random() % (most - least + 1);
}

Batch batch_of(const Text& text, const std::vector<Window>& windows, std::size_t length) {
  Batch batch{.tokens = headwise::Tokens::from_shape({windows.size(), length}),
              .targets = headwise::Tokens::from_shape({windows.size(), length})};
  for (std::size_t number = 0; number < windows.size(); ++number) {
    const Window& window = windows[number];
    const auto token_at = [&](std::size_t i, std::int64_t otherwise) {
      const std::size_t at = window.start + i % window.period;
      return at < text.size() ? std::int64_t{text[at]} : otherwise;
    };
    for (std::size_t i = 0; i < length; ++i) {
      batch.tokens(number, i) = token_at(i, 0);
      batch.targets(number, i) = token_at(i + 1, -1);
    }
  }
  return batch;
}

}  // namespace

Text read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file || bytes.size() < 4 || bytes.size() % 2 != 0) {
    throw std::runtime_error("cannot read tokens of " + path.string());
  }
  Text text(bytes.size() / 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned low = static_cast<unsigned char>(bytes[2 * i]);
    const unsigned high = static_cast<unsigned char>(bytes[2 * i + 1]);
    text[i] = static_cast<std::uint16_t>(high << 8U | low);
  }
  return text;
}

Batch random_windows(const Text& text, std::size_t size, std::size_t length,
                     std::mt19937_64& random) {
  std::vector<Window> windows(size);
  for (Window& window : windows) {
    const bool repeats = random() % 6 == 0;
    window.start = random() % (text.size() - length);
    window.period = repeats ? random_period(length, random) : length + 1;
  }
  return batch_of(text, windows, length);
}

Batch repeated_windows(const Text& text, std::size_t size, std::size_t of_text, std::size_t length,
                       const std::function<std::int64_t()>& draw, std::mt19937_64& random) {
  std::vector<Window> windows(size);
  for (Window& window : windows) {
    window.start = random() % (text.size() - length);
    window.period = random_period(length, random);
  }
  Batch batch = batch_of(text, windows, length);
  for (std::size_t number = of_text; number < size; ++number) {
    const std::size_t period = windows[number].period;
    for (std::size_t i = 0; i < length; ++i) {
      batch.tokens(number, i) = i < period ? draw() : batch.tokens(number, i - period);
    }
    for (std::size_t i = 0; i < length; ++i) {
      batch.targets(number, i) = i + 1 < period ? -1 : batch.tokens(number, (i + 1) % period);
    }
  }
  return batch;
}

std::size_t num_windows(const Text& text, std::size_t length) {
  return (text.size() - 1 + length - 1) / length;
}

Batch successive_windows(const Text& text, std::size_t first, std::size_t size,
                         std::size_t length) {
  std::vector<Window> windows(std::min(size, num_windows(text, length) - first));
  for (Window& window : windows) {
    window = {.start = length * first++, .period = length + 1};
  }
  return batch_of(text, windows, length);
}

}  // namespace example
