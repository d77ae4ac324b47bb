#include <algorithm>
#include <array>
#include <headwise/io/checked_reader.hpp>
#include <headwise/io/npy_header.hpp>

namespace headwise::io {
namespace {

constexpr const char* subject = "npy";
constexpr std::string_view magic = "\x93NUMPY";
/// What precedes the dict in version 1.0; later versions have two more bytes of length.
constexpr std::size_t shortest_preamble = 10;
/// The longest that version 1.0 can say. Only structured types, which are not read, need more.
constexpr std::uint64_t longest_dict = 65535;
constexpr std::size_t alignment = 64;

std::size_t preamble_size(std::span<const char> file) noexcept {
  return file[magic.size()] == 1 ? shortest_preamble : shortest_preamble + 2;
}

Failure invalid(const char* expected, const char* got, std::uint64_t got_number = 0,
                std::uint64_t expected_number = 0) {
  return {.code = ErrorCode::invalid_file,
          .subject = subject,
          .expected = expected,
          .got = got,
          .expected_detail = {expected_number},
          .got_detail = {got_number}};
}

class DictReader : CheckedReader {
 public:
  DictReader(std::span<char> dict, NpyHeader& header) noexcept
      : CheckedReader(subject, dict), header_(header) {}

  Failure read(std::uint64_t data_size) {
    if (read_dict() && check_size(data_size)) {
      return {};
    }
    return failure();
  }

 private:
  bool read_dict() {
    constexpr std::array<std::string_view, 3> members = {"descr", "fortran_order", "shape"};
    constexpr unsigned all = 7;
    unsigned seen = 0;
    bool comma = take("{");
    while (comma && !reader().take("}")) {
      std::string_view key;
      const bool has_key = take_string(key);
      const auto member = std::find(members.begin(), members.end(), key) - members.begin();
      const unsigned bit = 1U << static_cast<unsigned>(member);
      if (!has_key || bit > all || (seen & bit) != 0) {
        return fail_members("@", key);
      }
      seen |= bit;
      const bool read = take(":") && (member == 0   ? read_descr()
                                      : member == 1 ? read_order()
                                                    : read_shape());
      if (!read) {
        return false;
      }
      comma = take_more("}");
    }
    if (failure()) {
      return false;
    }
    return seen == all ? take_end() : fail_members("fewer");
  }

  bool read_descr() noexcept {
    std::string_view descr;
    return (take_string(descr) && find_descr(descr, header_.format)) ||
           fail("descr of a float, integer or bool, such as <f4", {},
                descr.empty() ? "another type" : "@", {0, descr});
  }

  bool read_order() noexcept {
    header_.fortran_order = reader().take("True");
    return header_.fortran_order || reader().take("False") ||
           fail_here("True or False at byte # of the dict");
  }

  /// (), (3,), (3, 4) or (3, 4,)
  bool read_shape() {
    auto& shape = header_.shape;
    bool comma = true;
    if (!take("(")) {
      return false;
    }
    while (!reader().take(")")) {
      std::uint64_t size = 0;
      if (!comma || shape.size() == max_rank || !reader().take_integer(size)) {
        return fail_here("at most 64 integers below 2^53 at byte # of the dict");
      }
      shape.push_back(size);
      comma = reader().take(",");
    }
    // (3) is a number in parentheses.
    return comma || shape.size() != 1 || fail_here("a tuple before byte # of the dict");
  }

  bool check_size(std::uint64_t data_size) noexcept {
    std::uint64_t count = 0;
    if (!find_count(header_.shape, count)) {
      return fail("fewer than 2^53 numbers", {}, "more");
    }
    const std::uint64_t bytes = count * header_.format.size;
    return bytes == data_size || fail("# bytes of data", {bytes}, "#", {data_size});
  }

  bool take_string(std::string_view& string) noexcept {
    return reader().take_plain_string('\'', string) || reader().take_plain_string('"', string);
  }

  bool fail_members(const char* got, std::string_view key = {}) noexcept {
    return fail("descr, fortran_order and shape", {}, got, {0, key});
  }

  NpyHeader& header_;
};

}  // namespace

Failure find_npy_header_end(std::span<const char> first_bytes, std::uint64_t file_size,
                            std::uint64_t& end) {
  const std::string_view bytes(first_bytes.data(), first_bytes.size());
  if (bytes.size() < npy_length_bytes || !bytes.starts_with(magic)) {
    return invalid("a file that begins as .npy files do", "another");
  }
  const auto major = static_cast<unsigned char>(bytes[magic.size()]);
  if (major < 1 || major > 3 || bytes[magic.size() + 1] != 0) {
    return invalid("format version 1.0, 2.0 or 3.0", "#", major);
  }
  const std::size_t preamble = preamble_size(first_bytes);
  std::uint64_t length = 0;
  for (std::size_t i = preamble; i-- > magic.size() + 2;) {
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  }
  const std::uint64_t longest = std::min(longest_dict, file_size - preamble);
  if (length > longest) {
    return invalid("a header of at most # bytes", "#", length, longest);
  }
  end = preamble + length;
  return {};
}

Failure read_npy_header(std::span<char> bytes, std::uint64_t data_size, NpyHeader& header) {
  return DictReader(bytes.subspan(preamble_size(bytes)), header).read(data_size);
}

Failure write_npy_header(std::span<const std::uint64_t> shape, TextWriter& header) {
  if (shape.size() > max_rank) {
    return {.code = ErrorCode::invalid_shape,
            .subject = "tensor",
            .expected = "at most # axes",
            .got = "#",
            .expected_detail = {max_rank},
            .got_detail = {shape.size()}};
  }
  const std::size_t start = header.text().size();
  header << magic << std::string_view("\1\0\0\0", 4)
         << "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  header.list(shape, ", ") << (shape.size() == 1 ? ",), }" : "), }");
  const auto size = [&] { return header.text().size() - start; };
  while (size() % alignment != alignment - 1) {
    header << " ";
  }
  header << "\n";
  char* const length = header.data() + start + shortest_preamble - 2;
  length[0] = static_cast<char>(size() - shortest_preamble);
  length[1] = static_cast<char>((size() - shortest_preamble) >> 8U);
  return {};
}

}  // namespace headwise::io
