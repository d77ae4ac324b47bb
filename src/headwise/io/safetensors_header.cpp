#include <algorithm>
#include <array>
#include <headwise/io/json_text.hpp>
#include <headwise/io/safetensors_header.hpp>
#include <headwise/io/utf8.hpp>
#include <utility>

namespace headwise::io {
namespace {

constexpr std::uint64_t length_size = 8;

struct NamedFormat {
  std::string_view dtype;
  NumberFormat format;
};

constexpr std::array<NamedFormat, 3> formats = {
    {{"F32", {.size = 4}},
     {"F16", {.size = 2}},
     {"BF16", {.type = NumberType::bfloat, .size = 2}}}};

using Entries = std::vector<SafetensorsEntry>;
using Order = bool (*)(const SafetensorsEntry&, const SafetensorsEntry&);

/// A tenth of what std::sort weighs.
void sort_entries(Entries& entries, Order is_before) {
  std::make_heap(entries.begin(), entries.end(), is_before);
  std::sort_heap(entries.begin(), entries.end(), is_before);
}

bool has_same_name(const SafetensorsEntry& a, const SafetensorsEntry& b) noexcept {
  return a.name == b.name;
}

bool is_named_before(const SafetensorsEntry& a, const SafetensorsEntry& b) noexcept {
  return a.name < b.name;
}

bool lies_before(const SafetensorsEntry& a, const SafetensorsEntry& b) noexcept {
  return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
}

/// Bytes that a tensor of this shape takes; more than any file has where they cannot be counted,
/// which holds for the other axes of an empty tensor, too: steps between its rows are counted.
std::uint64_t bytes_of(std::span<const std::uint64_t> shape, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t uncountable = std::uint64_t{1} << 63U;
  bool overflows = false;
  bool is_empty = false;
  for (const std::uint64_t size : shape) {
    is_empty = is_empty || size == 0;
    overflows =
        __builtin_mul_overflow(bytes, std::max<std::uint64_t>(size, 1), &bytes) || overflows;
  }
  return overflows || bytes >= uncountable ? uncountable : is_empty ? 0 : bytes;
}

class SafetensorsReader {
 public:
  SafetensorsReader(std::span<char> json, std::uint64_t data_size, SafetensorsHeader& header,
                    Message& message) noexcept
      : cursor_(json, "a safetensors header", message), data_size_(data_size), header_(header) {}

  void read() {
    // The format lets no space stand before the object.
    if (!cursor_.stands_at("{")) {
      cursor_.fail_here("{");
    }
    const bool is_read = read_json_object(cursor_, [&](std::string_view name) {
      return name == metadata_name ? read_metadata() : read_tensor(name);
    });
    // It pads headers with spaces.
    cursor_.skip_spaces(json_spaces);
    if (is_read && !cursor_.at_end()) {
      cursor_.fail_here("nothing behind its object");
    }
    if (cursor_.ok() && check_names(header_.metadata) && check_names(header_.tensors)) {
      check_places();
    }
  }

 private:
  bool fail_twice(std::string_view name) noexcept {
    return cursor_.fail({"every name once in a safetensors header"}, {"'", name, "' twice"});
  }

  bool fail_tensor(std::string_view name, std::string_view expected, Part got) noexcept {
    return cursor_.fail({"tensor '", name, "' ", expected}, {got});
  }

  bool read_metadata() {
    if (std::exchange(has_metadata_, true)) {
      return fail_twice(metadata_name);
    }
    return read_json_object(cursor_, [&](std::string_view name) {
      SafetensorsEntry& entry = header_.metadata.emplace_back();
      entry.name = name;
      return read_json_string(cursor_, entry.text);
    });
  }

  bool read_tensor(std::string_view name) {
    SafetensorsEntry entry{.name = name,
                           .text = {},
                           .format = {},
                           .begin = 0,
                           .end = 0,
                           .first_axis = header_.axes.size(),
                           .num_axes = 0};
    constexpr unsigned all = 7;
    unsigned seen = 0;
    std::size_t num_offsets = 0;
    const bool is_read = read_json_object(cursor_, [&](std::string_view field) {
      const unsigned bit = field == "dtype"          ? 1
                           : field == "shape"        ? 2
                           : field == "data_offsets" ? 4
                                                     : 0;
      if (bit == 0 || (seen & bit) != 0) {
        return fail_tensor(name, "with dtype, shape and data_offsets, each once", field);
      }
      seen |= bit;
      return bit == 1   ? read_dtype(name, entry.format)
             : bit == 2 ? read_shape(entry)
                        : read_offsets(entry, num_offsets);
    });
    if (is_read && seen != all) {
      return fail_tensor(name, "with dtype, shape and data_offsets", "not all of them");
    }
    return is_read && check_place(entry, num_offsets);
  }

  bool read_dtype(std::string_view name, NumberFormat& format) noexcept {
    std::string_view dtype;
    if (!read_json_string(cursor_, dtype)) {
      return false;
    }
    for (const NamedFormat& each : formats) {
      if (each.dtype == dtype) {
        format = each.format;
        return true;
      }
    }
    return fail_tensor(name, "of dtype F32, F16 or BF16", dtype);
  }

  /// The next integer of a list; `count` counts them.
  bool next_integer(std::size_t& count, std::uint64_t& number) noexcept {
    if (!next_json_item(cursor_, "[", "]", count)) {
      return false;
    }
    cursor_.skip_spaces(json_spaces);
    return cursor_.integer(number);
  }

  bool read_shape(SafetensorsEntry& entry) {
    std::size_t count = 0;
    std::uint64_t size = 0;
    while (next_integer(count, size)) {
      if (!std::in_range<std::size_t>(size)) {
        return fail_tensor(entry.name, "of a shape that memory can hold", size);
      }
      header_.axes.push_back(size);
      ++entry.num_axes;
    }
    return cursor_.ok();
  }

  bool read_offsets(SafetensorsEntry& entry, std::size_t& num_offsets) noexcept {
    std::size_t count = 0;
    std::uint64_t offset = 0;
    while (next_integer(count, offset)) {
      entry.begin = entry.end;
      entry.end = offset;
      ++num_offsets;
    }
    return cursor_.ok();
  }

  /// Whether the tensor lies within the file, in as many bytes as its shape takes.
  bool check_place(const SafetensorsEntry& entry, std::size_t num_offsets) {
    if (num_offsets != 2) {
      return fail_tensor(entry.name, "with two data_offsets", num_offsets);
    }
    if (entry.begin > entry.end || entry.end > data_size_) {
      return cursor_.fail({"tensor '", entry.name, "' to lie within ", data_size_, " bytes"},
                          {entry.begin, " to ", entry.end});
    }
    const std::uint64_t bytes = entry.end - entry.begin;
    if (bytes != bytes_of(header_.shape_of(entry), entry.format.size)) {
      return fail_tensor(entry.name, "in as many bytes as its shape takes", bytes);
    }
    header_.tensors.push_back(entry);
    return true;
  }

  bool check_names(Entries& entries) {
    sort_entries(entries, is_named_before);
    const auto twin = std::adjacent_find(entries.begin(), entries.end(), has_same_name);
    return twin == entries.end() || fail_twice(twin->name);
  }

  /// Whether every byte of the data belongs to one tensor.
  void check_places() {
    sort_entries(header_.tensors, lies_before);
    std::uint64_t end = 0;
    for (const SafetensorsEntry& entry : header_.tensors) {
      if (entry.begin != end) {
        fail_tensor(entry.name, "to begin where the one before it ends", entry.begin);
        return;
      }
      end = entry.end;
    }
    if (end != data_size_) {
      cursor_.fail({end, " bytes of tensors"}, {data_size_});
    }
  }

  TextCursor cursor_;
  std::uint64_t data_size_;
  SafetensorsHeader& header_;
  bool has_metadata_ = false;
};

}  // namespace

void read_safetensors_header(std::span<char> bytes, std::uint64_t file_size,
                             SafetensorsHeader& header, Message& message) {
  if (bytes.size() < length_size) {
    message.fail({"a safetensors file of at least 8 bytes"}, {bytes.size()});
    return;
  }
  std::uint64_t length = 0;
  for (std::size_t i = length_size; i-- > 0;) {
    length = (length << 8U) | static_cast<std::uint8_t>(bytes[i]);
  }
  const std::uint64_t largest = std::min(file_size - length_size, largest_safetensors_header);
  if (length > largest) {
    message.fail({"a safetensors header of at most ", largest, " bytes"}, {length});
    return;
  }
  header.size = length_size + length;
  const std::span<char> json = bytes.subspan(length_size, static_cast<std::size_t>(length));
  if (!is_utf8({json.data(), json.size()})) {
    message.fail({"a safetensors header in UTF-8"}, {"other bytes"});
    return;
  }
  SafetensorsReader(json, file_size - header.size, header, message).read();
}

std::string write_safetensors_header(std::span<const NamedShape> tensors,
                                     std::span<const NamedText> metadata) {
  std::string json(length_size, '\0');
  std::string_view comma = "{";
  const auto append_name = [&](std::string_view name) {
    json += comma;
    comma = ",";
    append_json_string(json, name);
    json += ':';
  };
  if (!metadata.empty()) {
    append_name(metadata_name);
    comma = "{";
    for (const auto& [name, text] : metadata) {
      append_name(name);
      append_json_string(json, text);
    }
    json += '}';
  }
  std::uint64_t end = 0;
  for (const auto& [name, shape] : tensors) {
    append_name(name);
    json += R"({"dtype":"F32","shape":)";
    std::uint64_t bytes = sizeof(float);
    std::string_view between = "[";
    for (const std::size_t size : shape) {
      json += between;
      append_decimal(json, size);
      between = ",";
      bytes *= size;
    }
    json += shape.empty() ? "[]" : "]";
    json += R"(,"data_offsets":[)";
    append_decimal(json, end);
    json += ',';
    end += bytes;
    append_decimal(json, end);
    json += "]}";
  }
  json += comma == "{" ? "{}" : "}";
  // The numbers behind the header are aligned.
  while (json.size() % length_size != 0) {
    json += ' ';
  }
  const std::uint64_t length = json.size() - length_size;
  for (std::size_t i = 0; i < length_size; ++i) {
    json[i] = static_cast<char>((length >> (8 * i)) & 0xFFU);
  }
  return json;
}

}  // namespace headwise::io
