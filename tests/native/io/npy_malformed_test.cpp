#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "files.hpp"

/// .npy files that break the format's rules.
namespace headwise::test {
namespace {

std::string error_of_file(const File& file) {
  return error_of([&] { return load_npy(file); });
}

std::string shaped(const std::string& shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
}

std::string described(const std::string& descr) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,)}";
}

/// What stands where a dictionary should go on otherwise.
Malformed syntax(const std::string& header, const std::string& expected, std::size_t place,
                 const std::string& got) {
  return {header, "a .npy header with " + expected + " at byte " + std::to_string(place), got};
}

const std::string three_keys = "a .npy header of descr, fortran_order and shape, each once";

std::string at_most(std::size_t bytes, std::uint64_t length) {
  return invalid_file("a .npy header of at most " + std::to_string(bytes) + " bytes",
                      std::to_string(length));
}

TEST_CASE("A .npy file cut short anywhere is refused") {
  const std::string header = shaped("(3,)");
  const std::string too_few = "a .npy file with as many bytes of numbers as its shape takes";
  for (const unsigned version : {1, 2}) {
    const std::size_t before = version == 1 ? 10 : 12;
    const std::string whole = "\x93NUMPY" + little_endian(version, 2) +
                              little_endian(header.size(), before - 8) + header +
                              little_endian({1, 2, 3});
    REQUIRE(load_npy(file_of(whole))(2) == 3);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::size_t data = before + header.size();
      const std::string expected = size < 12 ? invalid_file("a .npy file", "other bytes")
                                   : size < data
                                       ? at_most(size - before, header.size())
                                       : invalid_file(too_few, std::to_string(size - data));
      CAPTURE(version, size);
      CHECK(error_of_file(file_of(whole.substr(0, size))) == expected);
    }
    CHECK(error_of_file(file_of(whole + '\0')) == invalid_file(too_few, "13"));
  }
}

TEST_CASE("Other files than .npy files, other versions and lengths that lie are refused") {
  const std::string header = shaped("(1,)");
  const std::size_t size = header.size();
  const auto with = [&](const std::string& magic, unsigned version, std::uint64_t length,
                        std::size_t padding = 0) {
    return error_of_file(file_of(magic + little_endian(version, 2) +
                                 little_endian(length, version == 1 ? 2 : 4) + header +
                                 std::string(padding, ' ') + "1234"));
  };
  const std::string numpy = "\x93NUMPY";
  REQUIRE(with(numpy, 1, size) == "no error");
  REQUIRE(with(numpy, 2, size) == "no error");
  for (const char* magic : {"\x93NUMPZ", "\x92NUMPY", "xNUMPY", "\x93numpy", "PK\3\4\5\6"}) {
    CHECK(with(magic, 1, size) == invalid_file("a .npy file", "other bytes"));
  }
  for (const unsigned version : {0U, 4U, 255U}) {
    CHECK(with(numpy, version, size) ==
          invalid_file("a .npy file of version 1, 2 or 3", std::to_string(version)));
  }
  CHECK(with(numpy, 1, size + 5) == at_most(size + 4, size + 5));
  CHECK(with(numpy, 1, 0xFFFF) == at_most(size + 4, 0xFFFF));
  CHECK(with(numpy, 2, 0xFFFFFFFF) == at_most(size + 4, 0xFFFFFFFF));
  CHECK(with(numpy, 3, 0x80000000) == at_most(size + 4, 0x80000000));
  CHECK(with(numpy, 1, size + 4) == invalid_file(three_keys, "others"));
  CHECK(with(numpy, 1, size - 1) ==
        invalid_file("a .npy header with } at byte " + std::to_string(size - 1), "its end"));
  CHECK(with(numpy, 1, 0) == invalid_file("a .npy header with { at byte 0", "its end"));
  const std::size_t largest = 65'536 - 12;
  CHECK(with(numpy, 2, largest, largest - size) == "no error");
  CHECK(with(numpy, 2, largest + 1, largest + 1 - size) == at_most(largest, largest + 1));
}

TEST_CASE("A .npy header of other text than NumPy's is refused") {
  const std::string descr = "'descr': '<f4', ";
  const std::string order = "'fortran_order': False, ";
  const std::string shape = "'shape': (1,), ";
  const auto dictionary = [](const std::string& members) { return '{' + members + '}'; };
  check_malformed(npy_format, {{"{}", three_keys, "others"},
                               {dictionary(order + shape), three_keys, "others"},
                               {dictionary(descr + shape), three_keys, "others"},
                               {dictionary(descr + order), three_keys, "others"},
                               {dictionary(descr + order + shape + descr), three_keys, "descr"},
                               {dictionary(order + order), three_keys, "fortran_order"},
                               {dictionary(shape + "\"shape\": (1,)"), three_keys, "shape"},
                               {dictionary(descr + "'dtype': '<f4'"), three_keys, "dtype"},
                               {dictionary("'': 1"), three_keys, ""},
                               {dictionary("'Shape': (1,)"), three_keys, "Shape"},
                               {shaped("(1,)") + " x", three_keys, "others"},
                               {shaped("(1,)") + '\0', three_keys, "others"},
                               syntax("   \n", "{", 4, "its end"),
                               syntax("['descr']", "{", 0, "["),
                               syntax("{", "a string", 1, "its end"),
                               syntax("{,}", "a string", 1, ","),
                               syntax("{'shape': (1,),,}", "a string", 15, ","),
                               syntax("{'shape': (1,) 'descr': '<f4'}", "}", 15, "'"),
                               syntax("{'shape' (1,)}", ":", 9, "("),
                               syntax("{shape: (1,)}", "a string", 1, "s"),
                               syntax("{'shape\": (1,)}", "more", 15, "its end"),
                               syntax("{'descr", "more", 7, "its end"),
                               syntax("{\t'descr': '<f4'}", "a string", 1, "?"),
                               syntax("{'fortran_order': 1}", "False", 18, "1"),
                               syntax("{'fortran_order': false}", "False", 18, "f"),
                               syntax("{'fortran_order': Truest}", "}", 22, "s"),
                               syntax(std::string(60'000, '{'), "a string", 1, "{"),
                               syntax("{'shape': " + std::string(60'000, '('),
                                      "an integer from 0 to 2^53", 11, "(")});
}

TEST_CASE("A .npy header's shape is of whole numbers that its bytes hold") {
  const std::string integer = "an integer from 0 to 2^53";
  const std::string bytes = "a .npy file with as many bytes of numbers as its shape takes";
  const std::string p53 = "9007199254740992";
  std::string many = "(";
  for (int i = 0; i < 65; ++i) {
    many += "1,";
  }
  check_malformed(npy_format,
                  {syntax(shaped("1"), "(", 50, "1"),
                   syntax(shaped("[1]"), "(", 50, "["),
                   syntax(shaped("(1,"), integer, 53, "}"),
                   syntax(shaped("(,)"), integer, 51, ","),
                   syntax(shaped("(1,,)"), integer, 53, ","),
                   syntax(shaped("(1 1)"), ")", 53, "1"),
                   syntax(shaped("(-1,)"), integer, 51, "-"),
                   syntax(shaped("(1.0,)"), ")", 52, "."),
                   syntax(shaped("(1e0,)"), ")", 52, "e"),
                   syntax(shaped("(01,)"), integer, 51, "0"),
                   syntax(shaped("(1_0,)"), ")", 52, "_"),
                   syntax(shaped("('1',)"), integer, 51, "'"),
                   syntax(shaped("(9007199254740993,)"), integer, 51, "9"),
                   syntax(shaped("(18446744073709551617,)"), integer, 51, "1"),
                   syntax(shaped('(' + std::string(1000, '1') + ",)"), integer, 51, "1"),
                   {shaped(many + ')'), "a .npy file of at most 64 axes that memory can hold", "1"},
                   {shaped("(2,)"), bytes, "4"},
                   {shaped("(0,)"), bytes, "4"},
                   {shaped("()"), bytes, "0", 0},
                   {shaped('(' + p53 + ",)"), bytes, "4"},
                   {shaped('(' + p53 + ',' + p53 + ')'), bytes, "4"},
                   // 2^64 bytes and four more, 2^63 and 2^108 beside an axis of 0, and 2^128.
                   {shaped("(4294967296, 1073741824)"), bytes, "0", 0},
                   {shaped("(5,5581,8681,49477,384773)"), bytes, "4"},
                   {shaped("(0, 256, " + p53 + ')'), bytes, "0", 0},
                   {shaped('(' + p53 + ", 0, " + p53 + ')'), bytes, "0", 0},
                   {shaped("(4294967296,4294967296,4294967296,4294967296)"), bytes, "0", 0}});
}

TEST_CASE("A .npy file of other numbers is refused") {
  const std::string expected = "a .npy file of floats, integers or booleans";
  std::vector<Malformed> headers = {
      {described("[('x', '<f4')]"), expected, "a structured type"},
      syntax(described("('<f4', (2,))"), "a string", 10, "("),
      syntax(described("4"), "a string", 10, "4"),
      {described('\'' + std::string(500, 'x') + '\''), expected, std::string(80, 'x')},
      {described("'\xC3\xA9\n'"), expected, "\?\?\?"}};
  for (const std::string descr :
       {"<f1", "<f3", "<f16", "<g8", "<c8", "<c16", "|S4",  "<U1",  "|O8", "|V4", "<M8[ns]", "<m8",
        "|b2", "<b8", "f4",   "!f4", "<F4", "<f",   "<f4 ", " <f4", "<i3", "<u0", "float32", ""}) {
    headers.push_back({described('\'' + descr + '\''), expected, descr});
  }
  check_malformed(npy_format, headers);
}

TEST_CASE("A .npy file with random bytes changed loads or is refused") {
  const auto numbers = little_endian({1, 2, 3, 4, 5, 6});
  const Outcomes outcomes = read_mutations(npy_format, npy_file(shaped("(2, 3)"), numbers), 2);
  CHECK(outcomes.taken > 10);
  CHECK(outcomes.refused > 1'000);
  // Empty shapes are those whose sizes nothing bounds.
  const File empty = npy_file("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 9, 0)}");
  CHECK(read_mutations(npy_format, empty, 3).taken > 10);
}

}  // namespace
}  // namespace headwise::test
