#pragma once

#include <cstddef>
#include <cstdint>
#include <headwise/headwise.hpp>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// Files of tests/data that the native and the Node tests share. A record is a group of lines, each
/// a key, a space and a value; an empty line ends it; lines that begin with # are comments.
namespace headwise::test {

class Record {
 public:
  void add(std::string key, std::string value);

  bool has(const std::string& key) const;
  /// The value of the first line with this key; throws if there is none.
  const std::string& text(const std::string& key) const;
  /// The values of all lines with this key.
  std::vector<std::string> all(const std::string& key) const;

  template <typename Number>
  std::vector<Number> numbers(const std::string& key) const {
    std::vector<Number> result;
    // Numbers are read as doubles first: a stream reads no NaN and no infinity.
    for (const std::string& word : words(text(key))) {
      result.push_back(static_cast<Number>(std::stod(word)));
    }
    return result;
  }

  template <typename Number>
  Number number(const std::string& key, Number otherwise = 0) const {
    return has(key) ? numbers<Number>(key).at(0) : otherwise;
  }

  static std::vector<std::string> words(const std::string& text);

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

/// A whole file of tests/data; throws if there is none.
std::string read_file(const std::string& name);

std::vector<Record> read_records(const std::string& name);

/// Tensors of a file, of any type of numbers: all are exact as doubles.
using StoredTensors = std::map<std::string, xt::xarray<double>>;

StoredTensors read_safetensors(const std::string& name);

}  // namespace headwise::test
