#pragma once

#include <headwise/core/io/message.hpp>
#include <span>
#include <string_view>

namespace headwise::io {

/// Sets the message to what the bytes are instead of `expected`, if that can be told from the first
/// 8: most often a Git LFS pointer, a web page or text in place of a download, or a file of
/// torch.save. Returns whether it could be told.
bool fail_known_file(std::span<const char> bytes, std::string_view expected,
                     Message& message) noexcept;

}  // namespace headwise::io
