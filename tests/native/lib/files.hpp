#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Files in memory, whole and broken, and folders of them.
namespace headwise::test {

/// Holds no byte behind its last, so that AddressSanitizer sees who reads on.
using File = std::vector<std::byte>;

File file_of(std::string_view bytes);

std::string text_of(const File& file);

/// A number's bytes, the lowest first.
std::string little_endian(std::uint64_t number, std::size_t size);

std::string little_endian(const std::vector<float>& numbers);

/// A safetensors file with this header, whatever it says.
File safetensors_file(std::string_view header, std::string_view data = "");

/// A .npy file of version 1 with this dictionary, whatever it says.
File npy_file(std::string_view dictionary, std::string_view data = "");

/// Whether two lists of numbers are the same in every bit, NaNs and signs of zeros included.
bool same_bits(const float* a, std::size_t size_a, const float* b, std::size_t size_b);

template <typename A, typename B>
bool same_bits(const A& a, const B& b) {
  return same_bits(a.data(), a.size(), b.data(), b.size());
}

/// A folder of the test's own, which is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device random;
    do {
      path_ = std::filesystem::temp_directory_path() / ("headwise-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

  /// Writes a file of this name and returns where it is.
  std::filesystem::path write(std::string_view name, std::string_view bytes) const {
    std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
      throw std::runtime_error("cannot write " + path.string());
    }
    return path;
  }
  std::filesystem::path write(std::string_view name, const File& file) const {
    return write(name, text_of(file));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace headwise::test
