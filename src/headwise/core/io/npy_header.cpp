#include <algorithm>
#include <array>
#include <headwise/core/io/known_files.hpp>
#include <headwise/core/io/npy_header.hpp>
#include <headwise/core/io/text_cursor.hpp>
#include <string_view>
#include <utility>

namespace headwise::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// Offset of the dictionary's length, after the magic bytes and two bytes of version.
constexpr std::size_t length_offset = 8;
/// What may stand between the words of a Python expression.
constexpr std::string_view npy_spaces = " \t\r\n\f";

/// A number type as NumPy's array interface, `dtype.name` and `dtype.char` spell it.
struct NamedType {
  std::string_view code;
  std::string_view name;
  std::string_view letter;
  NumberFormat format;
};

constexpr NumberFormat format_of(NumberType type, std::size_t size) {
  return {.type = type, .size = size};
}

constexpr std::array<NamedType, 12> types = {
    {{"f4", "float32", "f", format_of(NumberType::floating, 4)},
     {"f8", "float64", "d", format_of(NumberType::floating, 8)},
     {"f2", "float16", "e", format_of(NumberType::floating, 2)},
     {"i1", "int8", "b", format_of(NumberType::signed_integer, 1)},
     {"i2", "int16", "h", format_of(NumberType::signed_integer, 2)},
     {"i4", "int32", "i", format_of(NumberType::signed_integer, 4)},
     {"i8", "int64", "q", format_of(NumberType::signed_integer, 8)},
     {"u1", "uint8", "B", format_of(NumberType::unsigned_integer, 1)},
     {"u2", "uint16", "H", format_of(NumberType::unsigned_integer, 2)},
     {"u4", "uint32", "I", format_of(NumberType::unsigned_integer, 4)},
     {"u8", "uint64", "Q", format_of(NumberType::unsigned_integer, 8)},
     {"b1", "bool", "?", format_of(NumberType::boolean, 1)}}};

/// The dictionary: three keys in any order, as Python writes them.
class NpyReader {
 public:
  NpyReader(std::span<char> text, NpyHeader& header, Message& message) noexcept
      : cursor_(text, "a .npy header", message), header_(header) {}

  void read() {
    if (!need("{")) {
      return;
    }
    constexpr unsigned all = 7;
    unsigned seen = 0;
    while (!take("}")) {
      if (!cursor_.ok() || !read_member(seen)) {
        return;
      }
      // The comma after the last member is optional.
      if (!take(",") && !cursor_.stands_at("}")) {
        cursor_.fail_here("}");
      }
    }
    cursor_.skip_spaces(npy_spaces);
    if (seen != all || !cursor_.at_end()) {
      fail_keys("others");
    }
  }

 private:
  bool fail_keys(std::string_view got) noexcept {
    return cursor_.fail({"a .npy header of descr, fortran_order and shape, each once"}, {got});
  }

  bool take(std::string_view word) noexcept {
    cursor_.skip_spaces(npy_spaces);
    return cursor_.take(word);
  }

  bool need(std::string_view word) noexcept {
    cursor_.skip_spaces(npy_spaces);
    return cursor_.need(word);
  }

  bool read_member(unsigned& seen) {
    std::string_view name;
    if (!read_string(name) || !need(":")) {
      return false;
    }
    const unsigned bit = name == "descr"           ? 1
                         : name == "fortran_order" ? 2
                         : name == "shape"         ? 4
                                                   : 0;
    if (bit == 0 || (seen & bit) != 0) {
      return fail_keys(name);
    }
    seen |= bit;
    return bit == 1 ? read_descr() : bit == 2 ? read_order() : read_shape();
  }

  /// A Python string without escapes; Python 2 may write a `u` before it.
  bool read_string(std::string_view& text) noexcept {
    take("u");
    const std::string_view quote = cursor_.take("'") ? "'" : "\"";
    if (quote != "'" && !cursor_.take(quote)) {
      return cursor_.fail_here("a string");
    }
    const char* const first = cursor_.here();
    std::size_t length = 0;
    for (char byte = 0; !cursor_.take(quote); ++length) {
      if (!cursor_.next(byte)) {
        return false;
      }
    }
    text = {first, length};
    return true;
  }

  /// A number type, with or without the order of its bytes before it: '<f4', '|u1', 'float32'.
  /// Without one it is that of the machine that wrote it, which is taken for little-endian.
  bool read_descr() noexcept {
    std::string_view descr = "a structured type";
    cursor_.skip_spaces(npy_spaces);
    if (!cursor_.stands_at("[") && !read_string(descr)) {
      return false;
    }
    std::string_view type = descr;
    const bool has_order =
        !type.empty() && std::string_view("<>|=").find(type.front()) != std::string_view::npos;
    type.remove_prefix(has_order ? 1 : 0);
    for (const NamedType& each : types) {
      if (type == each.code || type == each.letter || (type == each.name && !has_order)) {
        header_.format = each.format;
        header_.format.big_endian = descr.front() == '>';
        return true;
      }
    }
    return cursor_.fail({"a .npy file of floats, integers or booleans"}, {descr});
  }

  bool read_order() noexcept {
    header_.fortran_order = take("True");
    return header_.fortran_order || need("False");
  }

  bool read_shape() {
    if (!need("(")) {
      return false;
    }
    while (!take(")")) {
      std::uint64_t size = 0;
      if (!cursor_.integer(size)) {
        return false;
      }
      if (!std::in_range<std::size_t>(size) || header_.shape.size() == max_npy_axes) {
        return cursor_.fail({"a .npy file of at most ", max_npy_axes, " axes that memory can hold"},
                            {size});
      }
      header_.shape.push_back(static_cast<std::size_t>(size));
      // Python 2 marks long integers.
      cursor_.take("L");
      if (!take(",") && !cursor_.stands_at(")")) {
        return cursor_.fail_here(")");
      }
    }
    return true;
  }

  TextCursor cursor_;
  NpyHeader& header_;
};

/// Checks that the shape needs exactly the file's number of bytes. That number must not overflow,
/// nor that of the other axes of an empty array, as in NumPy.
void check_size(NpyHeader& header, std::uint64_t data_size, Message& message) noexcept {
  std::uint64_t bytes = header.format.size;
  bool overflows = false;
  bool is_empty = false;
  for (const std::size_t size : header.shape) {
    is_empty = is_empty || size == 0;
    overflows =
        __builtin_mul_overflow(bytes, std::max<std::uint64_t>(size, 1), &bytes) || overflows;
  }
  overflows = overflows || bytes >> 63U != 0;
  bytes = is_empty ? 0 : bytes;
  if (overflows || bytes != data_size) {
    message.fail({"a .npy file with as many bytes of numbers as its shape takes"}, {data_size});
  }
  header.count = static_cast<std::size_t>(bytes / header.format.size);
}

}  // namespace

void read_npy_header(std::span<char> bytes, std::uint64_t file_size, NpyHeader& header,
                     Message& message) {
  const auto byte = [&](std::size_t i) -> std::size_t {
    return static_cast<std::uint8_t>(bytes[i]);
  };
  if (!std::string_view(bytes.data(), bytes.size()).starts_with(magic)) {
    if (!fail_known_file(bytes, "a .npy file", message)) {
      message.fail({"a .npy file"}, {"other bytes"});
    }
    return;
  }
  constexpr std::size_t smallest = length_offset + 4;
  if (bytes.size() < smallest) {
    message.fail({"a .npy file of at least ", smallest, " bytes"}, {bytes.size()});
    return;
  }
  const std::size_t version = byte(magic.size());
  if (version < 1 || version > 3) {
    message.fail({"a .npy file of version 1, 2 or 3"}, {version});
    return;
  }
  const std::size_t length_size = version == 1 ? 2 : 4;
  std::uint64_t length = 0;
  for (std::size_t i = length_size; i-- > 0;) {
    length = (length << 8U) | byte(length_offset + i);
  }
  const std::size_t before = length_offset + length_size;
  const std::uint64_t max_length = std::min(file_size, max_npy_header_size) - before;
  if (length > max_length) {
    message.fail({"a .npy header of at most ", max_length, " bytes"}, {length});
    return;
  }
  header.size = before + length;
  NpyReader(bytes.subspan(before, static_cast<std::size_t>(length)), header, message).read();
  check_size(header, file_size - header.size, message);
}

std::string write_npy_header(std::span<const std::size_t> shape) {
  constexpr std::size_t dictionary_offset = length_offset + 2;
  std::string header(magic);
  // Version 1.0, and the length, which is set below.
  header.append({'\x01', '\0', '\0', '\0'});
  header += "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const std::size_t size : shape) {
    header += Decimal(size).text();
    // Python requires the comma for a single axis and allows it otherwise.
    header += ",";
  }
  header += "), }";
  // The format aligns the numbers to 64 bytes.
  constexpr std::size_t alignment = 64;
  while ((header.size() + 1) % alignment != 0) {
    header += " ";
  }
  header += "\n";
  const std::size_t length = header.size() - dictionary_offset;
  header[length_offset] = static_cast<char>(length & 0xFFU);
  header[length_offset + 1] = static_cast<char>(length >> 8U);
  return header;
}

}  // namespace headwise::io
