#include <algorithm>
#include <array>
#include <headwise/io/checked_reader.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <optional>

namespace headwise::io {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;
constexpr std::string_view metadata_name = "__metadata__";

constexpr std::string_view subject = "safetensors";

Failure invalid(std::string_view expected, std::string_view got) {
  return failure(ErrorCode::invalid_file, subject, expected, got);
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

class HeaderReader : CheckedReader {
 public:
  HeaderReader(std::span<char> json, std::uint64_t data_size)
      : CheckedReader(subject, "the header", json), data_size_(data_size) {}

  Outcome<SafetensorsHeader> read() {
    return outcome(read_entries() && check_names() && check_places(), header_);
  }

 private:
  bool read_entries() {
    const auto read_entry = [this](std::string_view name) {
      return name == metadata_name ? read_metadata() : read_tensor(name);
    };
    return read_object(read_entry) && take_end();
  }

  /// { "name": member, … }
  template <typename ReadMember>
  bool read_object(ReadMember read_member) {
    if (!take('{')) {
      return false;
    }
    if (reader().take('}')) {
      return true;
    }
    do {
      const auto name = take_string();
      if (!name || !take(':') || !read_member(*name)) {
        return false;
      }
    } while (reader().take(','));
    return take('}');
  }

  bool read_metadata() {
    if (has_metadata_) {
      return fail_twice(metadata_name);
    }
    has_metadata_ = true;
    return read_object([this](std::string_view name) {
      const auto text = take_string();
      if (text) {
        header_.metadata.emplace_back(name, *text);
      }
      return text.has_value();
    });
  }

  bool read_tensor(std::string_view name) {
    StoredTensor tensor{.name = name, .format = {}, .shape = {}, .begin = 0, .end = 0};
    std::array<bool, 3> has{};
    const auto first_time = [&](std::size_t member, std::string_view key) {
      return !std::exchange(has.at(member), true) || fail_twice(key);
    };
    const bool read = read_object([&](std::string_view key) {
      if (key == "dtype") {
        return first_time(0, key) && read_dtype(tensor);
      }
      if (key == "shape") {
        return first_time(1, key) && read_shape(tensor);
      }
      if (key == "data_offsets") {
        return first_time(2, key) && read_offsets(tensor);
      }
      return fail("dtype, shape and data_offsets of " + quote(name), quote(key));
    });
    if (!read) {
      return false;
    }
    if (has != std::array{true, true, true}) {
      return fail("dtype, shape and data_offsets of " + quote(name), "not all of them");
    }
    header_.tensors.push_back(std::move(tensor));
    return check_size(header_.tensors.back());
  }

  bool read_dtype(StoredTensor& tensor) {
    const auto dtype = take_string();
    if (!dtype) {
      return false;
    }
    const auto format = format_of_dtype(*dtype);
    if (!format) {
      return fail("dtype " + std::string(safetensors_dtypes) + " of " + quote(tensor.name),
                  quote(*dtype));
    }
    tensor.format = *format;
    return true;
  }

  bool read_shape(StoredTensor& tensor) {
    std::array<std::uint64_t, max_rank> sizes{};
    std::size_t rank = 0;
    if (!take('[')) {
      return false;
    }
    if (!reader().take(']')) {
      do {
        if (rank == max_rank) {
          return fail_here("at most " + std::to_string(max_rank) + " axes");
        }
        if (!take_integer(sizes.at(rank))) {
          return false;
        }
        ++rank;
      } while (reader().take(','));
      if (!take(']')) {
        return false;
      }
    }
    tensor.shape.assign(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(rank));
    return true;
  }

  bool read_offsets(StoredTensor& tensor) {
    return take('[') && take_integer(tensor.begin) && take(',') && take_integer(tensor.end) &&
           take(']');
  }

  bool check_size(const StoredTensor& tensor) {
    const auto count = count_of(tensor.shape);
    if (!count) {
      return fail("a shape of fewer than 2^53 numbers of " + quote(tensor.name), "one of more");
    }
    const std::uint64_t bytes = *count * tensor.format.size;
    if (tensor.end < tensor.begin || tensor.end - tensor.begin != bytes) {
      return fail("data_offsets " + bytes_text(bytes) + " apart, as dtype and shape of " +
                      quote(tensor.name) + " say",
                  std::to_string(tensor.begin) + " and " + std::to_string(tensor.end));
    }
    return true;
  }

  /// Sorts the metadata and checks that no name is there twice.
  bool check_names() {
    std::vector<std::string_view> names;
    names.reserve(std::max(header_.tensors.size(), header_.metadata.size()));
    for (const StoredTensor& tensor : header_.tensors) {
      names.push_back(tensor.name);
    }
    return check_distinct(names) && [&] {
      names.clear();
      for (const auto& [name, text] : header_.metadata) {
        names.push_back(name);
      }
      return check_distinct(names);
    }();
  }

  bool check_distinct(std::vector<std::string_view>& names) {
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    return twice == names.end() || fail_twice(*twice);
  }

  /// Checks that the tensors' bytes follow each other from the header to the end of the file.
  bool check_places() {
    auto& tensors = header_.tensors;
    std::sort(tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t end = 0;
    for (const StoredTensor& tensor : tensors) {
      if (tensor.begin != end) {
        return fail("data of " + quote(tensor.name) + " at byte " + std::to_string(end) +
                        ", where what comes before it ends",
                    "byte " + std::to_string(tensor.begin));
      }
      end = tensor.end;
    }
    return end == data_size_ || fail(bytes_text(end) + " of data behind the header, as it says",
                                     bytes_text(data_size_));
  }

  std::optional<std::string_view> take_string() {
    const auto string = reader().take_json_string();
    if (!string) {
      fail_here("a JSON string of valid UTF-8");
    }
    return string;
  }

  bool take_integer(std::uint64_t& number) {
    const auto integer = reader().take_integer();
    number = integer.value_or(0);
    return integer || fail_here("an integer from 0 to 2^53 - 1");
  }

  bool fail_twice(std::string_view name) { return fail("each name once", quote(name) + " twice"); }

  std::uint64_t data_size_;
  SafetensorsHeader header_;
  bool has_metadata_ = false;
};

}  // namespace

Outcome<std::uint64_t> safetensors_header_end(std::span<const char> first_bytes,
                                              std::uint64_t file_size) {
  if (first_bytes.size() < safetensors_length_bytes) {
    return invalid("8 bytes that say how long the header is", bytes_text(file_size));
  }
  std::uint64_t length = 0;
  for (std::size_t i = safetensors_length_bytes; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(first_bytes[i]);
  }
  if (length > longest_header) {
    return invalid("a header of at most " + bytes_text(longest_header), bytes_text(length));
  }
  if (length > file_size - safetensors_length_bytes) {
    return invalid("a header within the file's " + bytes_text(file_size), bytes_text(length));
  }
  return safetensors_length_bytes + length;
}

Outcome<SafetensorsHeader> read_safetensors_header(std::span<char> json, std::uint64_t data_size) {
  if (json.empty() || json.front() != '{') {
    return invalid("a header that begins with '{'", TextReader(json).next_text());
  }
  return HeaderReader(json, data_size).read();
}

Outcome<std::string> write_safetensors_header(std::span<NamedShape> tensors, Strings& metadata) {
  std::sort(tensors.begin(), tensors.end(),
            [](const NamedShape& a, const NamedShape& b) { return a.name < b.name; });
  std::sort(metadata.begin(), metadata.end());
  std::string header(safetensors_length_bytes, '\0');
  header += '{';
  const auto append_name = [&header](std::string_view name) {
    if (header.back() != '{') {
      header += ',';
    }
    append_json_string(header, name);
    header += ':';
  };
  if (!metadata.empty()) {
    append_name(metadata_name);
    header += '{';
    for (const auto& [name, text] : metadata) {
      if (!is_utf8(name) || !is_utf8(text)) {
        return failure(ErrorCode::invalid_value, "metadata", "valid Unicode", quote(name));
      }
      append_name(name);
      append_json_string(header, text);
    }
    header += '}';
  }
  std::uint64_t offset = 0;
  for (const auto& [name, shape] : tensors) {
    if (!is_utf8(name) || name == metadata_name) {
      return failure(ErrorCode::invalid_value, "tensors",
                     "names of valid Unicode other than __metadata__", quote(name));
    }
    append_name(name);
    header += R"({"dtype":"F32","shape":[)";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      header += (axis > 0 ? "," : "") + std::to_string(shape[axis]);
    }
    const std::uint64_t begin = offset;
    offset += count_of(shape).value_or(0) * sizeof(float);
    header += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(offset) + "]}";
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  std::uint64_t length = header.size() - safetensors_length_bytes;
  if (length > longest_header) {
    return failure(ErrorCode::invalid_value, "tensors",
                   "a header of at most " + bytes_text(longest_header), bytes_text(length));
  }
  for (std::size_t i = 0; i < safetensors_length_bytes; ++i, length >>= 8U) {
    header[i] = static_cast<char>(length & 0xFFU);
  }
  return header;
}

}  // namespace headwise::io
