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
Malformed syntax(const char* description, const std::string& header, const std::string& expected,
                 std::size_t place, const std::string& got) {
  return {description, header,
          "a .npy header with " + expected + " at byte " + std::to_string(place), got};
}

TEST_CASE("A .npy file cut short anywhere is refused") {
  const std::string header = shaped("(3,)");
  for (const unsigned version : {1, 2}) {
    const std::size_t before = version == 1 ? 10 : 12;
    const std::string whole = "\x93NUMPY" + little_endian(version, 2) +
                              little_endian(header.size(), before - 8) + header +
                              little_endian({1, 2, 3});
    REQUIRE(load_npy(file_of(whole))(2) == 3);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::size_t data = before + header.size();
      const std::string expected =
          size < 12 ? invalid_file("a .npy file", "other bytes")
          : size < data
              ? invalid_file("a .npy header of at most " + std::to_string(size - before) + " bytes",
                             std::to_string(header.size()))
              : invalid_file("a .npy file with as many bytes of numbers as its shape takes",
                             std::to_string(size - data));
      CAPTURE(version, size);
      CHECK(error_of_file(file_of(whole.substr(0, size))) == expected);
    }
    CHECK(error_of_file(file_of(whole + '\0')) ==
          invalid_file("a .npy file with as many bytes of numbers as its shape takes", "13"));
  }
  CHECK(error_of([] { return load_npy({}); }) == invalid_file("a .npy file", "other bytes"));
}

TEST_CASE("Other files than .npy files, and other versions, are refused") {
  const std::string rest = shaped("(1,)") + "1234";
  const auto with = [&](const std::string& magic, char version) {
    return error_of_file(
        file_of(magic + version + '\0' + little_endian(rest.size() - 4, 2) + rest));
  };
  REQUIRE(with("\x93NUMPY", 1) == "no error");
  for (const char* magic : {"\x93NUMPZ", "\x92NUMPY", "xNUMPY", "\x93numpy", "PK\3\4\0\0"}) {
    CHECK(with(magic, 1) == invalid_file("a .npy file", "other bytes"));
  }
  CHECK(with("\x93NUMPY", 0) == invalid_file("a .npy file of version 1, 2 or 3", "0"));
  CHECK(with("\x93NUMPY", 4) == invalid_file("a .npy file of version 1, 2 or 3", "4"));
  CHECK(with("\x93NUMPY", '\xFF') == invalid_file("a .npy file of version 1, 2 or 3", "255"));
}

TEST_CASE("A .npy header's length cannot lie") {
  const std::string header = shaped("(1,)");
  const auto with = [&](unsigned version, std::uint64_t length, std::size_t padding = 0) {
    return error_of_file(file_of("\x93NUMPY" + little_endian(version, 2) +
                                 little_endian(length, version == 1 ? 2 : 4) + header +
                                 std::string(padding, ' ') + "1234"));
  };
  const std::size_t size = header.size();
  const auto at_most = [](std::size_t bytes, std::uint64_t length) {
    return invalid_file("a .npy header of at most " + std::to_string(bytes) + " bytes",
                        std::to_string(length));
  };
  REQUIRE(with(2, size) == "no error");
  CHECK(with(1, size + 5) == at_most(size + 4, size + 5));
  CHECK(with(1, 0xFFFF) == at_most(size + 4, 0xFFFF));
  CHECK(with(2, 0xFFFFFFFF) == at_most(size + 4, 0xFFFFFFFF));
  CHECK(with(3, 0x80000000) == at_most(size + 4, 0x80000000));
  CHECK(with(1, size + 4) ==
        invalid_file("a .npy header of descr, fortran_order and shape, each once", "others"));
  CHECK(with(1, size - 1) ==
        invalid_file("a .npy header with } at byte " + std::to_string(size - 1), "its end"));
  CHECK(with(1, 0) == invalid_file("a .npy header with { at byte 0", "its end"));
  const std::size_t largest = 65'536 - 12;
  CHECK(with(2, largest, largest - size) == "no error");
  CHECK(with(2, largest + 1, largest + 1 - size) == at_most(largest, largest + 1));
}

TEST_CASE("A .npy header has three keys, each once") {
  const std::string expected = "a .npy header of descr, fortran_order and shape, each once";
  const std::string descr = "'descr': '<f4', ";
  const std::string order = "'fortran_order': False, ";
  const std::string shape = "'shape': (1,), ";
  const auto dictionary = [](const std::string& members) { return '{' + members + '}'; };
  check_malformed(npy_format,
                  {
                      {"none", "{}", expected, "others"},
                      {"no descr", dictionary(order + shape), expected, "others"},
                      {"no order", dictionary(descr + shape), expected, "others"},
                      {"no shape", dictionary(descr + order), expected, "others"},
                      {"descr twice", dictionary(descr + order + shape + descr), expected, "descr"},
                      {"order twice", dictionary(order + order), expected, "fortran_order"},
                      {"shape twice", dictionary(shape + "\"shape\": (1,)"), expected, "shape"},
                      {"another", dictionary(descr + "'dtype': '<f4'"), expected, "dtype"},
                      {"an empty one", dictionary("'': 1"), expected, ""},
                      {"in capitals", dictionary("'Shape': (1,)"), expected, "Shape"},
                      {"trailing garbage", shaped("(1,)") + " x", expected, "others"},
                      {"a trailing zero byte", shaped("(1,)") + '\0', expected, "others"},
                      {"two dictionaries", shaped("(1,)") + shaped("(1,)"), expected, "others"},
                  });
}

TEST_CASE("A .npy header of other text than NumPy's is refused") {
  check_malformed(
      npy_format,
      {
          syntax("nothing but spaces", "   \n", "{", 4, "its end"),
          syntax("a list", "['descr']", "{", 0, "["),
          syntax("open", "{", "a string", 1, "its end"),
          syntax("a comma alone", "{,}", "a string", 1, ","),
          syntax("two commas", "{'shape': (1,),,}", "a string", 15, ","),
          syntax("no comma", "{'shape': (1,) 'descr': '<f4'}", "}", 15, "'"),
          syntax("no colon", "{'shape' (1,)}", ":", 9, "("),
          syntax("no quotes", "{shape: (1,)}", "a string", 1, "s"),
          syntax("two kinds of quotes", "{'shape\": (1,)}", "more", 15, "its end"),
          syntax("a key that does not end", "{'descr", "more", 7, "its end"),
          syntax("a tab", "{\t'descr': '<f4'}", "a string", 1, "?"),
          syntax("a comment", "{#\n'descr': '<f4'}", "a string", 1, "#"),
          syntax("1 for the order", "{'fortran_order': 1}", "False", 18, "1"),
          syntax("JSON's false", "{'fortran_order': false}", "False", 18, "f"),
          syntax("a longer True", "{'fortran_order': Truest}", "}", 22, "s"),
          syntax("parentheses, a million", std::string(60'000, '('), "{", 0, "("),
          syntax("braces, many", std::string(60'000, '{'), "a string", 1, "{"),
          syntax("many parentheses for a shape", "{'shape': " + std::string(60'000, '('),
                 "an integer from 0 to 2^53", 11, "("),
      });
}

TEST_CASE("A .npy header's shape is of whole numbers that its bytes hold") {
  const std::string integer = "an integer from 0 to 2^53";
  const std::string bytes = "a .npy file with as many bytes of numbers as its shape takes";
  const std::string p53 = "9007199254740992";
  std::string many = "(";
  for (int i = 0; i < 65; ++i) {
    many += "1,";
  }
  check_malformed(
      npy_format,
      {
          syntax("no parentheses", shaped("1"), "(", 50, "1"),
          syntax("a list", shaped("[1]"), "(", 50, "["),
          syntax("open", shaped("(1,"), integer, 53, "}"),
          syntax("a comma alone", shaped("(,)"), integer, 51, ","),
          syntax("two commas", shaped("(1,,)"), integer, 53, ","),
          syntax("no comma", shaped("(1 1)"), ")", 53, "1"),
          syntax("negative", shaped("(-1,)"), integer, 51, "-"),
          syntax("a fraction", shaped("(1.0,)"), ")", 52, "."),
          syntax("an exponent", shaped("(1e0,)"), ")", 52, "e"),
          syntax("a leading zero", shaped("(01,)"), integer, 51, "0"),
          syntax("underscored", shaped("(1_0,)"), ")", 52, "_"),
          syntax("nested", shaped("((1,),)"), integer, 51, "("),
          syntax("text", shaped("('1',)"), integer, 51, "'"),
          syntax("2^53 + 1", shaped("(9007199254740993,)"), integer, 51, "9"),
          syntax("2^64 + 1", shaped("(18446744073709551617,)"), integer, 51, "1"),
          syntax("1,000 digits", shaped('(' + std::string(1000, '1') + ",)"), integer, 51, "1"),
          {"65 axes", shaped(many + ')'), "a .npy file of at most 64 axes that memory can hold",
           "1"},
          {"too many numbers", shaped("(2,)"), bytes, "4"},
          {"too few", shaped("(0,)"), bytes, "4"},
          {"a scalar without its number", shaped("()"), bytes, "0", 0},
          {"2^53", shaped('(' + p53 + ",)"), bytes, "4"},
          {"2^106", shaped('(' + p53 + ',' + p53 + ')'), bytes, "4"},
          {"2^64 bytes", shaped("(4294967296, 1073741824)"), bytes, "0", 0},
          {"2^64 + 4 bytes", shaped("(5,5581,8681,49477,384773)"), bytes, "4"},
          {"2^63 bytes beside an axis of 0", shaped("(0, 256, " + p53 + ')'), bytes, "0", 0},
          {"2^108 bytes beside an axis of 0", shaped('(' + p53 + ", 0, " + p53 + ')'), bytes, "0",
           0},
          {"2^128 bytes", shaped("(4294967296,4294967296,4294967296,4294967296)"), bytes, "0", 0},
      });
}

TEST_CASE("A .npy file of other numbers is refused") {
  const std::string expected = "a .npy file of floats, integers or booleans";
  for (const std::string descr :
       {"<f1", "<f3", "<f16", "<g8", "<c8", "<c16", "|S4",  "<U1",  "|O8", "|V4", "<M8[ns]", "<m8",
        "|b2", "<b8", "f4",   "!f4", "<F4", "<f",   "<f4 ", " <f4", "<i3", "<u0", "float32", ""}) {
    check_malformed(npy_format, {{"descr", described('\'' + descr + '\''), expected, descr}});
  }
  check_malformed(npy_format,
                  {
                      {"a record", described("[('x', '<f4')]"), expected, "a structured type"},
                      {"a type with a shape", described("('<f4', (2,))"),
                       "a .npy header with a string at byte 10", "("},
                      {"a number", described("4"), "a .npy header with a string at byte 10", "4"},
                      {"a long one", described('\'' + std::string(500, 'x') + '\''), expected,
                       std::string(80, 'x')},
                      {"not ASCII", described("'\xC3\xA9\n'"), expected, "\?\?\?"},
                  });
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
