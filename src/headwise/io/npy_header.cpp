#include <algorithm>
#include <array>
#include <headwise/io/checked_reader.hpp>
#include <headwise/io/npy_header.hpp>
#include <headwise/io/text_writer.hpp>
#include <optional>
#include <utility>

namespace headwise::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// What precedes the dict in version 1.0; later versions have two more bytes of length.
constexpr std::size_t shortest_preamble = 10;
/// The longest that version 1.0 can say. Only structured types, which are not read, need more.
constexpr std::uint64_t longest_dict = 65535;
constexpr std::size_t alignment = 64;

constexpr std::string_view subject = "npy";

Failure invalid(std::string_view expected, std::string_view got) {
  return failure(ErrorCode::invalid_file, subject, expected, got);
}

std::size_t preamble_size(std::span<const char> file) noexcept {
  return file[magic.size()] == 1 ? shortest_preamble : shortest_preamble + 2;
}

class DictReader : CheckedReader {
 public:
  DictReader(std::span<char> dict, std::uint64_t data_size)
      : CheckedReader(subject, "the header's dict", dict), data_size_(data_size) {}

  Outcome<NpyHeader> read() { return outcome(read_dict() && check_size(), header_); }

 private:
  bool read_dict() {
    if (!take('{')) {
      return false;
    }
    std::array<bool, 3> has{};
    while (!reader().take('}')) {
      const auto key = take_string();
      const std::size_t member = !key ? 3 : *key == "descr" ? 0 : *key == "shape" ? 1 : 2;
      if (member == 3 || (member == 2 && key != "fortran_order") ||
          std::exchange(has[member], true)) {
        return fail_members(key.value_or("another"));
      }
      const bool read = take(':') && (member == 0   ? read_descr()
                                      : member == 1 ? read_shape()
                                                    : read_order());
      if (!read) {
        return false;
      }
      if (!reader().take(',')) {
        if (!take('}')) {
          return false;
        }
        break;
      }
    }
    if (has != std::array{true, true, true}) {
      return fail_members("not all of them");
    }
    return take_end();
  }

  bool read_descr() {
    const auto descr = take_string();
    const auto format = descr ? format_of_descr(*descr) : std::nullopt;
    if (!format) {
      return fail(TextWriter() << "descr of " << npy_descrs, descr.value_or("another type"));
    }
    header_.descr = *descr;
    header_.format = *format;
    return true;
  }

  bool read_order() {
    header_.fortran_order = reader().take("True");
    return header_.fortran_order || reader().take("False") || fail_here("True or False");
  }

  /// (), (3,), (3, 4) or (3, 4,)
  bool read_shape() {
    if (!take('(')) {
      return false;
    }
    bool comma = true;
    while (!reader().take(')')) {
      const auto size = comma ? reader().take_integer() : std::nullopt;
      if (!size || header_.shape.size() == max_rank) {
        return fail_here(TextWriter()
                         << "a shape of at most " << max_rank << " integers from 0 to 2^53 - 1");
      }
      header_.shape.push_back(*size);
      comma = reader().take(',');
    }
    // (3) is a number in parentheses.
    return comma || header_.shape.size() != 1 || fail_here("',' after the only axis of the shape");
  }

  bool check_size() {
    const auto count = count_of(header_.shape);
    if (!count) {
      return fail("a shape of fewer than 2^53 numbers", "one of more");
    }
    const std::uint64_t bytes = *count * header_.format.size;
    return bytes == data_size_ ||
           fail(TextWriter() << bytes << " bytes of data, as descr and shape say",
                TextWriter() << data_size_);
  }

  bool fail_members(std::string_view got) {
    return fail("descr, fortran_order and shape, each once", got);
  }

  std::optional<std::string_view> take_string() {
    const auto string = reader().take_plain_string('\'');
    return string ? string : reader().take_plain_string('"');
  }

  std::uint64_t data_size_;
  NpyHeader header_{};
};

}  // namespace

Outcome<std::uint64_t> npy_header_end(std::span<const char> first_bytes, std::uint64_t file_size) {
  const std::string_view text(first_bytes.data(), first_bytes.size());
  if (!text.starts_with(magic)) {
    return invalid("a file that begins with \\x93NUMPY", "other bytes");
  }
  if (text.size() < npy_length_bytes) {
    return invalid("a header", "the end");
  }
  const auto byte = [text](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(text[i])};
  };
  const std::uint64_t major = byte(magic.size());
  const std::uint64_t minor = byte(magic.size() + 1);
  if (major < 1 || major > 3 || minor != 0) {
    return invalid("format version 1.0, 2.0 or 3.0", TextWriter() << major << "." << minor);
  }
  const std::size_t preamble = preamble_size(first_bytes);
  std::uint64_t length = 0;
  for (std::size_t i = preamble; i-- > magic.size() + 2;) {
    length = length << 8U | byte(i);
  }
  const std::uint64_t longest = std::min(longest_dict, file_size - preamble);
  if (length > longest) {
    return invalid(TextWriter() << "a header of at most " << longest << " bytes",
                   TextWriter() << "one of " << length);
  }
  return preamble + length;
}

Outcome<NpyHeader> read_npy_header(std::span<char> header, std::uint64_t data_size) {
  return DictReader(header.subspan(preamble_size(header)), data_size).read();
}

Outcome<std::string> write_npy_header(std::span<const std::uint64_t> shape) {
  if (shape.size() > max_rank) {
    return failure(ErrorCode::invalid_shape, "tensor",
                   TextWriter() << "at most " << max_rank << " axes", TextWriter() << shape.size());
  }
  TextWriter dict;
  dict << "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  dict.list(shape, ", ") << (shape.size() == 1 ? ",), }" : "), }");
  std::string header(magic);
  header.append("\x01\x00\x00\x00", 4);
  header += dict.text();
  header.resize(header.size() / alignment * alignment + alignment, ' ');
  header.back() = '\n';
  const std::size_t length = header.size() - shortest_preamble;
  header[shortest_preamble - 2] = static_cast<char>(length & 0xFFU);
  header[shortest_preamble - 1] = static_cast<char>(length >> 8U);
  return header;
}

}  // namespace headwise::io
