#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "files.hpp"

namespace headwise::test {

/// A folder of the test's own, which is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

  /// Writes a file of this name and returns where it is.
  std::filesystem::path write(std::string_view name, std::string_view bytes) const;
  std::filesystem::path write(std::string_view name, const File& file) const {
    return write(name, text_of(file));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace headwise::test
