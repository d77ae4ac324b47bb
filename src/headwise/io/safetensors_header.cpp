#include <algorithm>
#include <array>
#include <headwise/io/checked_reader.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <headwise/io/sorted_order.hpp>
#include <headwise/io/text_writer.hpp>
#include <headwise/io/utf8.hpp>
#include <optional>

namespace headwise::io {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;
constexpr std::string_view metadata_name = "__metadata__";

constexpr std::string_view subject = "safetensors";

Failure invalid(std::string_view expected, std::string_view got) {
  return failure(ErrorCode::invalid_file, subject, expected, got);
}

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
      return !std::exchange(has[member], true) || fail_twice(key);
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
      return fail_members(name, TextWriter().name(key));
    });
    if (!read) {
      return false;
    }
    if (has != std::array{true, true, true}) {
      return fail_members(name, "not all of them");
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
      return fail(TextWriter().name(tensor.name) << " of dtype " << safetensors_dtypes,
                  TextWriter().name(*dtype));
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
          return fail_here(TextWriter() << "at most " << max_rank << " axes");
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
      return fail(TextWriter().name(tensor.name) << " of fewer than 2^53 numbers", "more");
    }
    const std::uint64_t bytes = *count * tensor.format.size;
    if (tensor.end < tensor.begin || tensor.end - tensor.begin != bytes) {
      return fail(TextWriter().name(tensor.name)
                      << " of " << bytes << " bytes, as its dtype and shape say",
                  TextWriter() << "data_offsets " << tensor.begin << " and " << tensor.end);
    }
    return true;
  }

  bool check_names() {
    std::vector<std::string_view> names;
    names.reserve(header_.tensors.size());
    for (const StoredTensor& tensor : header_.tensors) {
      names.push_back(tensor.name);
    }
    if (!check_distinct(names)) {
      return false;
    }
    names.clear();
    names.reserve(header_.metadata.size());
    for (const auto& [name, text] : header_.metadata) {
      names.push_back(name);
    }
    return check_distinct(names);
  }

  bool check_distinct(const std::vector<std::string_view>& names) {
    const auto order = sorted_order(names, [](std::string_view name) { return name; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (names[order[i]] == names[order[i - 1]]) {
        return fail_twice(names[order[i]]);
      }
    }
    return true;
  }

  /// Checks that the tensors' bytes follow each other from the header to the end of the file.
  bool check_places() {
    const auto& tensors = header_.tensors;
    const auto place = [](const StoredTensor& tensor) {
      return std::pair(tensor.begin, tensor.end);
    };
    std::uint64_t end = 0;
    for (const std::size_t i : sorted_order(tensors, place)) {
      if (tensors[i].begin != end) {
        return fail(TextWriter().name(tensors[i].name)
                        << " to begin at byte " << end << " of the data, where the last ended",
                    TextWriter() << tensors[i].begin);
      }
      end = tensors[i].end;
    }
    return end == data_size_ || fail(TextWriter() << end << " bytes of data, as the header says",
                                     TextWriter() << data_size_);
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

  bool fail_members(std::string_view name, std::string_view got) {
    return fail(TextWriter() << "dtype, shape and data_offsets of " << TextWriter().name(name),
                got);
  }

  bool fail_twice(std::string_view name) {
    return fail("each name once", TextWriter().name(name) << " twice");
  }

  std::uint64_t data_size_;
  SafetensorsHeader header_;
  bool has_metadata_ = false;
};

/// The JSON padded to a multiple of 8 bytes, behind the bytes that say how long it is.
Outcome<std::string> with_length(std::string_view json) {
  std::uint64_t length = (json.size() + 7) / 8 * 8;
  if (length > longest_header) {
    return failure(ErrorCode::invalid_value, "tensors",
                   TextWriter() << "names for a header of at most " << longest_header << " bytes",
                   TextWriter() << length);
  }
  std::string header(safetensors_length_bytes, '\0');
  header += json;
  header.resize(safetensors_length_bytes + static_cast<std::size_t>(length), ' ');
  for (std::size_t i = 0; length > 0; ++i, length >>= 8U) {
    header[i] = static_cast<char>(length & 0xFFU);
  }
  return header;
}

}  // namespace

Outcome<std::uint64_t> safetensors_header_end(std::span<const char> first_bytes,
                                              std::uint64_t file_size) {
  if (first_bytes.size() < safetensors_length_bytes) {
    return invalid("8 bytes that say how long the header is", TextWriter() << file_size);
  }
  std::uint64_t length = 0;
  for (std::size_t i = safetensors_length_bytes; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(first_bytes[i]);
  }
  const std::uint64_t longest = std::min(longest_header, file_size - safetensors_length_bytes);
  if (length > longest) {
    return invalid(TextWriter() << "a header of at most " << longest << " bytes",
                   TextWriter() << "one of " << length);
  }
  return safetensors_length_bytes + length;
}

Outcome<SafetensorsHeader> read_safetensors_header(std::span<char> json, std::uint64_t data_size) {
  if (json.empty() || json.front() != '{') {
    return invalid("a header that begins with '{'", TextReader(json).next_text());
  }
  return HeaderReader(json, data_size).read();
}

Outcome<std::string> write_safetensors_header(const std::vector<NamedShape>& tensors,
                                              const Strings& metadata) {
  TextWriter json;
  std::string_view before = "{";
  const auto write_name = [&](std::string_view name) {
    (json << before).json(name) << ":";
    before = ",";
  };
  if (!metadata.empty()) {
    write_name(metadata_name);
    before = "{";
    for (const std::size_t i :
         sorted_order(metadata, [](const auto& pair) { return pair.first; })) {
      const auto& [name, text] = metadata[i];
      if (!is_utf8(name) || !is_utf8(text)) {
        return failure(ErrorCode::invalid_value, "metadata", "valid Unicode",
                       TextWriter().name(name));
      }
      write_name(name);
      json.json(text);
    }
    json << "}";
  }
  std::uint64_t offset = 0;
  for (const std::size_t i :
       sorted_order(tensors, [](const auto& tensor) { return tensor.name; })) {
    const auto& [name, shape] = tensors[i];
    if (!is_utf8(name) || name == metadata_name) {
      return failure(ErrorCode::invalid_value, "tensors",
                     "names of valid Unicode other than __metadata__", TextWriter().name(name));
    }
    write_name(name);
    const std::uint64_t end = offset + count_of(shape).value_or(0) * sizeof(float);
    (json << R"({"dtype":"F32","shape":[)").list(shape, ",")
        << "],\"data_offsets\":[" << offset << "," << end << "]}";
    offset = end;
  }
  json << (before == "{" ? "{}" : "}");
  return with_length(json.text());
}

}  // namespace headwise::io
