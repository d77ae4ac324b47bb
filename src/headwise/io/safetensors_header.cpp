#include <algorithm>
#include <array>
#include <headwise/io/checked_reader.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <headwise/io/sorted_order.hpp>
#include <utility>

namespace headwise::io {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;
constexpr std::string_view metadata_name = "__metadata__";
constexpr const char* subject = "safetensors";

Failure invalid(const char* expected, const char* got, std::uint64_t got_number = 0,
                std::uint64_t expected_number = 0) {
  return {.code = ErrorCode::invalid_file,
          .subject = subject,
          .expected = expected,
          .got = got,
          .expected_detail = {expected_number},
          .got_detail = {got_number}};
}

class HeaderReader : CheckedReader {
 public:
  HeaderReader(std::span<char> json, SafetensorsHeader& header) noexcept
      : CheckedReader(subject, json), header_(header) {}

  Failure read(std::uint64_t data_size) {
    if (read_entries() && check_names() && check_places(data_size)) {
      return {};
    }
    return failure();
  }

 private:
  bool read_entries() {
    bool has_metadata = false;
    std::string_view name;
    for (bool more = take_first("{", "}"); more; more = take_more("}")) {
      if (!take_name(name)) {
        return false;
      }
      if (name != metadata_name) {
        if (!read_tensor(name)) {
          return false;
        }
      } else if (std::exchange(has_metadata, true)) {
        return fail_twice(name);
      } else if (!read_metadata()) {
        return false;
      }
    }
    return !failure() && take_end();
  }

  bool read_metadata() {
    std::string_view name;
    std::string_view text;
    for (bool more = take_first("{", "}"); more; more = take_more("}")) {
      if (!take_name(name) || !take_string(text)) {
        return false;
      }
      header_.metadata.push_back(name);
      header_.metadata.push_back(text);
    }
    return !failure();
  }

  bool read_tensor(std::string_view name) {
    constexpr std::array<std::string_view, 3> members = {"dtype", "shape", "data_offsets"};
    constexpr unsigned all = 7;
    StoredTensor tensor{};
    tensor.name = name;
    unsigned seen = 0;
    std::string_view key;
    for (bool more = take_first("{", "}"); more; more = take_more("}")) {
      if (!take_name(key)) {
        return false;
      }
      const auto member = std::find(members.begin(), members.end(), key) - members.begin();
      const unsigned bit = 1U << static_cast<unsigned>(member);
      if (bit > all || (seen & bit) != 0) {
        return fail_members(name, "@", key);
      }
      seen |= bit;
      const bool read = member == 0   ? read_dtype(tensor)
                        : member == 1 ? read_shape(tensor)
                                      : read_offsets(tensor);
      if (!read) {
        return false;
      }
    }
    if (failure()) {
      return false;
    }
    if (seen != all) {
      return fail_members(name, "fewer");
    }
    header_.tensors.push_back(tensor);
    return check_size(tensor);
  }

  bool read_dtype(StoredTensor& tensor) {
    std::string_view dtype;
    return take_string(dtype) &&
           (find_dtype(dtype, tensor.format) ||
            fail("@ of a float, integer or BOOL dtype", {0, tensor.name}, "@", {0, dtype}));
  }

  bool read_shape(StoredTensor& tensor) {
    tensor.first_axis = header_.sizes.size();
    for (bool more = take_first("[", "]"); more; more = take_more("]")) {
      std::uint64_t size = 0;
      if (!take_integer(size)) {
        return false;
      }
      if (++tensor.rank > max_rank) {
        return fail("@ of at most # axes", {max_rank, tensor.name}, "more");
      }
      header_.sizes.push_back(size);
    }
    return !failure();
  }

  bool read_offsets(StoredTensor& tensor) {
    return take("[") && take_integer(tensor.begin) && take(",") && take_integer(tensor.end) &&
           take("]");
  }

  bool check_size(const StoredTensor& tensor) {
    std::uint64_t count = 0;
    if (!find_count(header_.shape(tensor), count)) {
      return fail("@ of fewer than 2^53 numbers", {0, tensor.name}, "more");
    }
    const std::uint64_t bytes = count * tensor.format.size;
    return (tensor.begin <= tensor.end && tensor.end - tensor.begin == bytes) ||
           fail("@ to end # bytes behind its begin", {bytes, tensor.name}, "byte #", {tensor.end});
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
    for (std::size_t i = 0; i < header_.metadata.size(); i += 2) {
      names.push_back(header_.metadata[i]);
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
  bool check_places(std::uint64_t data_size) {
    const auto& tensors = header_.tensors;
    // Of tensors that follow each other, the sum grows even where one is empty.
    const auto place = [](const StoredTensor& tensor) { return tensor.begin + tensor.end; };
    std::uint64_t end = 0;
    for (const std::size_t i : sorted_order(tensors, place)) {
      if (tensors[i].begin != end) {
        return fail("@ to begin at byte # of the data", {end, tensors[i].name}, "byte #",
                    {tensors[i].begin});
      }
      end = tensors[i].end;
    }
    return end == data_size || fail("# bytes of data", {end}, "#", {data_size});
  }

  /// Begins a list: whether it is well and holds anything.
  bool take_first(const char* opening, const char* closing) noexcept {
    return take(opening) && !reader().take(closing);
  }

  bool take_string(std::string_view& string) noexcept {
    return reader().take_json_string(string) ||
           fail_here("a string of UTF-8 at byte # of the header");
  }

  bool take_name(std::string_view& name) noexcept { return take_string(name) && take(":"); }

  bool fail_members(std::string_view name, const char* got, std::string_view key = {}) noexcept {
    return fail("dtype, shape and data_offsets of @", {0, name}, got, {0, key});
  }

  bool fail_twice(std::string_view name) noexcept {
    return fail("each name once", {}, "@ twice", {0, name});
  }

  SafetensorsHeader& header_;
};

/// Writes a number, little-endian, over zeros.
void write_bytes(char* to, std::uint64_t number) noexcept {
  for (; number > 0; number >>= 8U) {
    *to++ = static_cast<char>(number);
  }
}

}  // namespace

Failure find_safetensors_header_end(std::span<const char> first_bytes, std::uint64_t file_size,
                                    std::uint64_t& end) {
  if (first_bytes.size() < safetensors_length_bytes) {
    return invalid("8 bytes of header length", "#", file_size);
  }
  std::uint64_t length = 0;
  for (std::size_t i = safetensors_length_bytes; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(first_bytes[i]);
  }
  const std::uint64_t longest = std::min(longest_header, file_size - safetensors_length_bytes);
  if (length > longest) {
    return invalid("a header of at most # bytes", "#", length, longest);
  }
  end = safetensors_length_bytes + length;
  return {};
}

Failure read_safetensors_header(std::span<char> json, std::uint64_t data_size,
                                SafetensorsHeader& header) {
  if (json.empty() || json.front() != '{') {
    return invalid("a header that begins with {", "another");
  }
  return HeaderReader(json, header).read(data_size);
}

Failure write_safetensors_header(std::span<const NamedShape> tensors,
                                 std::span<const std::string_view> metadata, TextWriter& header) {
  const std::size_t start = header.text().size();
  header << std::string_view("\0\0\0\0\0\0\0\0", safetensors_length_bytes);
  const char* before = "{";
  const auto write_name = [&](std::string_view name) {
    (header << before).json(name) << ":";
    before = ",";
  };
  if (!metadata.empty()) {
    write_name(metadata_name);
    before = "{";
    for (std::size_t i = 0; i < metadata.size(); i += 2) {
      write_name(metadata[i]);
      header.json(metadata[i + 1]);
    }
    header << "}";
  }
  std::uint64_t offset = 0;
  for (const auto& [name, shape] : tensors) {
    if (name == metadata_name) {
      return {.code = ErrorCode::invalid_value,
              .subject = "tensors",
              .expected = "names of tensors",
              .got = "@",
              .got_detail = {0, name}};
    }
    write_name(name);
    header << R"({"dtype":"F32","shape":[)";
    header.list(shape, ",") << R"(],"data_offsets":[)" << offset;
    std::uint64_t count = 0;
    static_cast<void>(find_count(shape, count));
    offset += count * sizeof(float);
    header << "," << offset << "]}";
  }
  header << (*before == '{' ? "{}" : "}");
  const auto length = [&] { return header.text().size() - start - safetensors_length_bytes; };
  while (length() % 8 != 0) {
    header << " ";
  }
  write_bytes(header.data() + start, length());
  return {};
}

}  // namespace headwise::io
