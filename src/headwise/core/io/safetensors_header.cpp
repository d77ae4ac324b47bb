#include <algorithm>
#include <array>
#include <headwise/core/heap_sort.hpp>
#include <headwise/core/io/json_text.hpp>
#include <headwise/core/io/known_files.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/io/utf8.hpp>
#include <utility>

namespace headwise::io {
namespace {

constexpr std::uint64_t length_size = 8;

constexpr NumberFormat not_read = {.size = 0};

constexpr SafetensorsDtype whole_bytes(std::string_view name, NumberType type, std::size_t size) {
  return {.name = name, .bits = 8 * size, .format = {.type = type, .size = size}};
}

constexpr std::array<SafetensorsDtype, 22> dtypes = {
    {whole_bytes("F32", NumberType::floating, 4),
     whole_bytes("F16", NumberType::floating, 2),
     whole_bytes("BF16", NumberType::bfloat, 2),
     whole_bytes("F64", NumberType::floating, 8),
     whole_bytes("BOOL", NumberType::boolean, 1),
     whole_bytes("I8", NumberType::signed_integer, 1),
     whole_bytes("I16", NumberType::signed_integer, 2),
     whole_bytes("I32", NumberType::signed_integer, 4),
     whole_bytes("I64", NumberType::signed_integer, 8),
     whole_bytes("U8", NumberType::unsigned_integer, 1),
     whole_bytes("U16", NumberType::unsigned_integer, 2),
     whole_bytes("U32", NumberType::unsigned_integer, 4),
     whole_bytes("U64", NumberType::unsigned_integer, 8),
     whole_bytes("F8_E5M2", NumberType::floating, 1),
     whole_bytes("F8_E4M3", NumberType::e4m3, 1),
     whole_bytes("F8_E5M2FNUZ", NumberType::e5m2_fnuz, 1),
     whole_bytes("F8_E4M3FNUZ", NumberType::e4m3_fnuz, 1),
     whole_bytes("F8_E8M0", NumberType::power_of_2, 1),
     {.name = "C64", .bits = 64, .format = not_read},
     {.name = "F6_E2M3", .bits = 6, .format = not_read},
     {.name = "F6_E3M2", .bits = 6, .format = not_read},
     {.name = "F4", .bits = 4, .format = not_read}}};

using Entries = std::vector<SafetensorsEntry>;

bool has_same_name(const SafetensorsEntry& a, const SafetensorsEntry& b) noexcept {
  return a.name == b.name;
}

bool is_named_before(const SafetensorsEntry& a, const SafetensorsEntry& b) noexcept {
  return a.name < b.name;
}

/// Names are views of the header's text.
bool stands_before(const SafetensorsEntry& a, const SafetensorsEntry& b) noexcept {
  return a.name.data() < b.name.data();
}

bool lies_before(const SafetensorsEntry& a, const SafetensorsEntry& b) noexcept {
  return a.begin != b.begin ? a.begin < b.begin
         : a.end != b.end   ? a.end < b.end
                            : stands_before(a, b);
}

/// Bytes of a tensor of this shape. More than any file has on overflow, also that of the other axes
/// of an empty tensor, whose strides are computed; and where the last byte is not whole.
std::uint64_t bytes_of(std::span<const std::uint64_t> shape, std::uint64_t bits) noexcept {
  constexpr std::uint64_t uncountable = std::uint64_t{1} << 63U;
  const bool are_bytes = bits % 8 == 0;
  std::uint64_t units = are_bytes ? bits / 8 : bits;
  bool overflows = false;
  bool is_empty = false;
  for (const std::uint64_t size : shape) {
    is_empty = is_empty || size == 0;
    overflows =
        __builtin_mul_overflow(units, std::max<std::uint64_t>(size, 1), &units) || overflows;
  }
  if (overflows || units >= uncountable) {
    return uncountable;
  }
  return is_empty ? 0 : are_bytes ? units : units % 8 == 0 ? units / 8 : uncountable;
}

/// The length of the header, which the file's first 8 bytes tell.
std::uint64_t length_of(std::span<const char> bytes) noexcept {
  std::uint64_t length = 0;
  for (std::size_t i = length_size; i-- > 0;) {
    length = (length << 8U) | static_cast<std::uint8_t>(bytes[i]);
  }
  return length;
}

std::uint64_t max_length_in(std::uint64_t file_size) noexcept {
  return std::min(file_size - length_size, max_safetensors_header_size);
}

class SafetensorsReader {
 public:
  SafetensorsReader(std::span<char> json, std::uint64_t data_size, SafetensorsHeader& header,
                    Message& message) noexcept
      : cursor_(json, "a safetensors header", message), data_size_(data_size), header_(header) {}

  void read() {
    // The format allows no space before the object.
    if (!cursor_.stands_at("{")) {
      cursor_.fail_here("{");
    }
    const bool is_read = read_json_object(cursor_, [&](std::string_view name) {
      return name == metadata_name ? read_metadata() : read_tensor(name);
    });
    // The format pads headers with spaces.
    cursor_.skip_spaces(json_spaces);
    if (is_read && !cursor_.at_end()) {
      cursor_.fail_here("nothing behind its object");
    }
    if (cursor_.ok() && check_names(header_.metadata) && check_names(header_.tensors)) {
      check_places();
      heap_sort(header_.tensors, stands_before);
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
                           .dtype = nullptr,
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
      return bit == 1   ? read_dtype(entry)
             : bit == 2 ? read_shape(entry)
                        : read_offsets(entry, num_offsets);
    });
    if (is_read && seen != all) {
      return fail_tensor(name, "with dtype, shape and data_offsets", "not all of them");
    }
    return is_read && check_place(entry, num_offsets);
  }

  bool read_dtype(SafetensorsEntry& entry) noexcept {
    std::string_view name;
    if (!read_json_string(cursor_, name)) {
      return false;
    }
    entry.dtype = find_dtype(name);
    return entry.dtype != nullptr || fail_tensor(entry.name, "of one of the format's dtypes", name);
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

  /// Checks that the tensor lies within the file, in as many bytes as its shape takes.
  bool check_place(const SafetensorsEntry& entry, std::size_t num_offsets) {
    if (num_offsets != 2) {
      return fail_tensor(entry.name, "with two data_offsets", num_offsets);
    }
    if (entry.begin > entry.end || entry.end > data_size_) {
      return cursor_.fail({"tensor '", entry.name, "' to lie within ", data_size_, " bytes"},
                          {entry.begin, " to ", entry.end});
    }
    const std::uint64_t bytes = entry.end - entry.begin;
    if (bytes != bytes_of(header_.shape_of(entry), entry.dtype->bits)) {
      return fail_tensor(entry.name, "in as many bytes as its shape takes", bytes);
    }
    header_.tensors.push_back(entry);
    return true;
  }

  bool check_names(Entries& entries) {
    heap_sort(entries, is_named_before);
    const auto duplicate = std::adjacent_find(entries.begin(), entries.end(), has_same_name);
    return duplicate == entries.end() || fail_twice(duplicate->name);
  }

  /// Checks that every byte of the data belongs to one tensor.
  void check_places() {
    heap_sort(header_.tensors, lies_before);
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

const SafetensorsDtype* find_dtype(std::string_view name) noexcept {
  for (const SafetensorsDtype& dtype : dtypes) {
    if (dtype.name == name) {
      return &dtype;
    }
  }
  return nullptr;
}

std::uint64_t safetensors_header_size(std::span<const char> first,
                                      std::uint64_t file_size) noexcept {
  if (first.size() < length_size) {
    return first.size();
  }
  const std::uint64_t length = length_of(first);
  return length_size + (length > max_length_in(file_size) ? 0 : length);
}

void read_safetensors_header(std::span<char> bytes, std::uint64_t file_size,
                             SafetensorsHeader& header, Message& message) {
  if (bytes.size() < length_size) {
    message.fail({"a safetensors file of at least 8 bytes"}, {bytes.size()});
    return;
  }
  const std::uint64_t length = length_of(bytes);
  const std::uint64_t max_length = max_length_in(file_size);
  // Memory that is shared may tell another length than it told before.
  if (length > max_length || length > bytes.size() - length_size) {
    if (!fail_known_file(bytes, "a safetensors file", message)) {
      message.fail({"a safetensors header of at most ", max_length, " bytes"}, {length});
    }
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

std::string write_safetensors_header(std::span<const NamedTensor> tensors,
                                     std::span<const NamedText> metadata) {
  std::string json(length_size, '\0');
  std::string_view comma = "{";
  const auto append_name = [&](std::string_view name) {
    json += comma;
    comma = ",";
    append_json_string(json, name);
    json += ":";
  };
  if (!metadata.empty()) {
    append_name(metadata_name);
    comma = "{";
    for (const auto& [name, text] : metadata) {
      append_name(name);
      append_json_string(json, text);
    }
    json += "}";
  }
  std::uint64_t end = 0;
  for (const auto& [name, shape, dtype] : tensors) {
    append_name(name);
    json += R"({"dtype":")";
    json += dtype;
    json += R"(","shape":)";
    std::uint64_t bytes = find_dtype(dtype)->bits / 8;
    std::string_view between = "[";
    for (const std::size_t size : shape) {
      json += between;
      json += Decimal(size).text();
      between = ",";
      bytes *= size;
    }
    json += shape.empty() ? "[]" : "]";
    json += R"(,"data_offsets":[)";
    json += Decimal(end).text();
    json += ",";
    end += bytes;
    json += Decimal(end).text();
    json += "]}";
  }
  json += comma == "{" ? "{}" : "}";
  // The numbers after the header are aligned.
  while (json.size() % length_size != 0) {
    json += " ";
  }
  const std::uint64_t length = json.size() - length_size;
  for (std::size_t i = 0; i < length_size; ++i) {
    json[i] = static_cast<char>((length >> (8 * i)) & 0xFFU);
  }
  return json;
}

}  // namespace headwise::io
