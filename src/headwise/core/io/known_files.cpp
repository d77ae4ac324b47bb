#include <algorithm>
#include <array>
#include <headwise/core/io/known_files.hpp>

namespace headwise::io {
namespace {

struct KnownFile {
  std::string_view start;
  std::string_view what;
};

constexpr std::string_view by_torch_or_numpy =
    "a file of torch.save or numpy.savez: convert it by safetensors' save_file";

constexpr std::array<KnownFile, 11> known_files = {
    {{"version ", "a Git LFS pointer: fetch the file itself by git lfs pull"},
     {"PK\x03\x04", by_torch_or_numpy},
     // Pickles of older versions, by their protocol and first operation.
     {"\x80\x02\x8a", by_torch_or_numpy},
     {"\x80\x02}", by_torch_or_numpy},
     {"\x80\x02"
      "c",
      by_torch_or_numpy},
     {"\x80\x04\x95", by_torch_or_numpy},
     {"GGUF", "a GGUF file: read it with loadGguf (JavaScript)"},
     {"\x93NUMPY", "a .npy file"},
     {"\x89HDF", "an HDF5 file, as Keras writes it"},
     {"\x1f\x8b\x08", "a gzip file: unpack it first"},
     {"<", "a web page: fetch the file itself, with the login that the page may ask for"}}};

constexpr std::size_t start_size = 8;

/// Whether the bytes are of a text. The length that begins a safetensors file has zeros among them.
bool are_text(std::string_view start) noexcept {
  return start.size() == start_size && std::ranges::all_of(start, [](char byte) {
           return (byte >= ' ' && byte <= '~') || (byte >= '\t' && byte <= '\r');
         });
}

}  // namespace

bool fail_known_file(std::span<const char> bytes, std::string_view expected,
                     Message& message) noexcept {
  const std::string_view start(bytes.data(), std::min(bytes.size(), start_size));
  const bool is_text = are_text(start);
  std::string_view words = start;
  words.remove_prefix(is_text ? std::min(start.find_first_not_of(" \t\r\n"), start.size()) : 0);
  for (const KnownFile& file : known_files) {
    if (words.starts_with(file.start) && (is_text || file.start.size() > 2)) {
      message.fail({expected}, {file.what});
      return true;
    }
  }
  if (is_text) {
    message.fail({expected}, {"text that begins with '", words, "'"});
  }
  return is_text;
}

}  // namespace headwise::io
