#include "records.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <variant>

#include "compare.hpp"
#include "files.hpp"

namespace headwise::test {

void Record::add(std::string key, std::string value) {
  lines_.emplace_back(std::move(key), std::move(value));
}

bool Record::has(const std::string& key) const { return !all(key).empty(); }

const std::string& Record::text(const std::string& key) const {
  for (const auto& [name, value] : lines_) {
    if (name == key) {
      return value;
    }
  }
  throw std::out_of_range("a record of the test data has no " + key);
}

std::vector<std::string> Record::all(const std::string& key) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : lines_) {
    if (name == key) {
      values.push_back(value);
    }
  }
  return values;
}

std::vector<std::string> Record::words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string read_file(const std::string& name) {
  std::ifstream stream(HEADWISE_TEST_DATA "/" + name, std::ios::binary);
  if (!stream) {
    throw std::runtime_error("no test data " + name);
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<Record> read_records(const std::string& name) {
  std::vector<Record> records;
  bool open = false;
  std::istringstream lines(read_file(name));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      open = false;
    } else if (line.front() != '#') {
      if (!open) {
        records.emplace_back();
      }
      open = true;
      const std::size_t space = line.find(' ');
      records.back().add(line.substr(0, space),
                         space == std::string::npos ? "" : line.substr(space + 1));
    }
  }
  return records;
}

StoredTensors read_safetensors(const std::string& name) {
  const Safetensors file = load_safetensors(file_of(read_file(name)));
  StoredTensors tensors(file.tensors.begin(), file.tensors.end());
  for (const auto& [key, tensor] : file.integers) {
    std::visit([&, &of = key](const auto& integers) { tensors[of] = xt::cast<double>(integers); },
               tensor);
  }
  return tensors;
}

}  // namespace headwise::test
