#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "files.hpp"

/// Safetensors files that break the format's rules.
namespace headwise::test {
namespace {

std::string error_of_file(const File& file) {
  return error_of([&] { return load_safetensors(file); });
}

/// What stands where a header should go on otherwise.
Malformed syntax(const char* description, const std::string& header, const std::string& expected,
                 std::size_t place, const std::string& got) {
  return {description, header,
          "a safetensors header with " + expected + " at byte " + std::to_string(place), got};
}

/// A header with one tensor, `a` of one number, whose fields are these.
std::string tensor(const std::string& fields) { return R"({"a":{)" + fields + "}}"; }

std::string tensor_of_shape(const std::string& shape, const std::string& offsets = "0,4") {
  return tensor(R"("dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]");
}

const std::string good_fields = R"("dtype":"F32","shape":[1],"data_offsets":[0,4])";

TEST_CASE("A safetensors file cut short anywhere is refused") {
  const std::string header = tensor_of_shape("3", "0,12");
  const std::string whole = text_of(safetensors_file(header, little_endian({1, 2, 3})));
  REQUIRE(load_safetensors(file_of(whole)).tensors.at("a")(2) == 3);
  const std::size_t data = 8 + header.size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string left = std::to_string(size < 8 ? size : size - 8);
    const std::string expected =
        size < 8 ? invalid_file("a safetensors file of at least 8 bytes", left)
        : size < data
            ? invalid_file("a safetensors header of at most " + left + " bytes",
                           std::to_string(header.size()))
            : invalid_file("tensor 'a' to lie within " + std::to_string(size - data) + " bytes",
                           "0 to 12");
    CAPTURE(size);
    CHECK(error_of_file(file_of(whole.substr(0, size))) == expected);
  }
  CHECK(error_of([] { return load_safetensors({}); }) ==
        invalid_file("a safetensors file of at least 8 bytes", "0"));
}

TEST_CASE("A safetensors header's length cannot lie") {
  const std::string header = tensor_of_shape("1");
  const std::size_t size = header.size();
  const auto error_of_length = [&](std::uint64_t length) {
    return error_of_file(file_of(little_endian(length, 8) + header + "1234"));
  };
  REQUIRE(error_of_length(size) == "no error");
  for (const std::uint64_t length :
       {std::uint64_t{size + 5}, std::uint64_t{1} << 32U, (std::uint64_t{1} << 32U) + size,
        std::uint64_t{1} << 63U, ~std::uint64_t{0} - 7, ~std::uint64_t{0}}) {
    CHECK(error_of_length(length) ==
          invalid_file("a safetensors header of at most " + std::to_string(size + 4) + " bytes",
                       std::to_string(length)));
  }
  CHECK(error_of_length(size + 4) == invalid_file("tensor 'a' to lie within 0 bytes", "0 to 4"));
  CHECK(error_of_length(size - 1) ==
        invalid_file("a safetensors header with , at byte " + std::to_string(size - 1), "its end"));
  CHECK(error_of_length(0) == invalid_file("a safetensors header with { at byte 0", "its end"));
}

TEST_CASE("A safetensors header is no larger than the format allows") {
  const std::size_t largest = 100'000'000;
  File file = file_of(little_endian(largest, 8));
  file.resize(8 + largest + 1, std::byte{' '});
  file[8] = std::byte{'{'};
  file[9] = std::byte{'}'};
  file.pop_back();
  CHECK(error_of_file(file) == "no error");
  file.push_back(std::byte{' '});
  CHECK(error_of_file(file) == invalid_file("0 bytes of tensors", "1"));
  file[0] |= std::byte{1};
  CHECK(error_of_file(file) == invalid_file("a safetensors header of at most 100000000 bytes",
                                            std::to_string(largest + 1)));
}

TEST_CASE("A safetensors header of other text than JSON's objects is refused") {
  const std::string good = tensor_of_shape("1");
  check_malformed(
      safetensors_format,
      {
          {"not UTF-8", "{\"\xFF\":{" + good_fields + "}}", "a safetensors header in UTF-8",
           "other bytes"},
          {"half a character", "{\"\xC3\":{" + good_fields + "}}", "a safetensors header in UTF-8",
           "other bytes"},
          syntax("a byte order mark", "\uFEFF" + good, "{", 0, "?"),
          syntax("no object", "[]", "{", 0, "["),
          syntax("a space before it", " " + good, "{", 0, " "),
          syntax("two of them", good + good, "nothing behind its object", good.size(), "{"),
          syntax("trailing garbage", good + " x", "nothing behind its object", good.size() + 1,
                 "x"),
          syntax("a zero byte behind it", good + std::string(1, '\0'), "nothing behind its object",
                 good.size(), "?"),
          syntax("an open object", "{", "a string", 1, "its end"),
          syntax("a comma alone", "{,}", "a string", 1, ","),
          syntax("a trailing comma", R"({"a":{)" + good_fields + "},}", "a string", 54, "}"),
          syntax("no comma", R"({"a":{)" + good_fields + R"(}"b":{}})", ",", 53, "\""),
          syntax("no colon", R"({"a"{}})", ":", 4, "{"),
          syntax("a name without quotes", "{a:{}}", "a string", 1, "a"),
          syntax("a name in other quotes", "{'a':{}}", "a string", 1, "'"),
          syntax("a name that does not end", R"({"abc)", "more", 5, "its end"),
          syntax("a number for a tensor", R"({"a":1})", "{", 5, "1"),
          syntax("null for a tensor", R"({"a":null})", "{", 5, "n"),
          syntax("a list for a tensor", R"({"a":[]})", "{", 5, "["),
          syntax("a comment", "{/**/}", "a string", 1, "/"),
          syntax("a line in a name", "{\"\n\":{}}", "control characters escaped", 3, "\""),
          syntax("a zero byte in a name", std::string("{\"\0\":{}}", 8),
                 "control characters escaped", 3, "\""),
          syntax("another escape", R"({"\a":{}})", "one of JSON's escapes", 4, "\""),
          syntax("an escaped quote of Python", R"({"\'":{}})", "one of JSON's escapes", 4, "\""),
          syntax("an escape's beginning", R"({"\)", "more", 3, "its end"),
          syntax("three digits", R"({"\u006":{}})", "four hexadecimal digits", 8, ":"),
          syntax("no digits", R"({"\u00g0":{}})", "four hexadecimal digits", 7, "0"),
          syntax("a sign for a digit", R"({"\u-061":{}})", "four hexadecimal digits", 5, "0"),
          syntax("a high surrogate alone", R"({"\ud83d":{}})", "a pair of surrogates", 8, "\""),
          syntax("a low surrogate alone", R"({"\ude00":{}})", "a pair of surrogates", 8, "\""),
          syntax("a high surrogate twice", R"({"\ud83d\ud83d":{}})", "a pair of surrogates", 14,
                 "\""),
          syntax("a high surrogate and a letter", R"({"\ud83d\ue000":{}})", "a pair of surrogates",
                 14, "\""),
          syntax("a pair the wrong way round", R"({"\ude00\ud83d":{}})", "a pair of surrogates", 8,
                 "\\"),
          syntax("half an escape behind a high one", R"({"\ud83d\ude":{}})",
                 "four hexadecimal digits", 13, ":"),
      });
}

TEST_CASE("A character of a safetensors header does not go on behind it") {
  const File file = safetensors_file("{}\xC3", "\xA9");
  CHECK(error_of_file(file) == invalid_file("a safetensors header in UTF-8", "other bytes"));
}

TEST_CASE("A safetensors header nested deeply is refused at once") {
  const std::string deep(1'000'000, '[');
  check_malformed(
      safetensors_format,
      {
          syntax("lists", deep, "{", 0, "["),
          syntax("lists for a shape", R"({"a":{"shape":)" + deep, "an integer from 0 to 2^53", 15,
                 "["),
          syntax("lists in the metadata", R"({"__metadata__":{"a":)" + deep, "a string", 21, "["),
      });
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += R"({"a":)";
  }
  CHECK(error_of_file(safetensors_file(objects)) ==
        invalid_file("tensor 'a' with dtype, shape and data_offsets, each once", "a"));
}

TEST_CASE("Names that are in a safetensors header twice are refused") {
  const std::string nothing = R"({"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  const auto two = [&](const std::string& first, const std::string& second) {
    return "{\"" + first + "\":" + nothing + ",\"b\":" + nothing + ",\"" + second +
           "\":" + nothing + "}";
  };
  const std::string expected = "every name once in a safetensors header";
  check_malformed(safetensors_format,
                  {
                      {"twice", two("a", "a"), expected, "'a' twice", 0},
                      {"escaped", two("a", R"(\u0061)"), expected, "'a' twice", 0},
                      {"both escaped", two(R"(\u003C)", R"(\u003c)"), expected, "'<' twice", 0},
                      {"escaped in two ways", two(R"(\/)", R"(\u002f)"), expected, "'/' twice", 0},
                      {"empty", two("", ""), expected, "'' twice", 0},
                      {"metadata", R"({"__metadata__":{},"__metadata__":{}})", expected,
                       "'__metadata__' twice", 0},
                      {"metadata, escaped", R"({"__metadata__":{"a":"b"},"\u005f_metadata__":{}})",
                       expected, "'__metadata__' twice", 0},
                      {"in the metadata", R"({"__metadata__":{"x":"1","y":"2","\u0078":"1"}})",
                       expected, "'x' twice", 0},
                  });
}

TEST_CASE("Metadata of a safetensors file is text") {
  const auto metadata = [](const std::string& value) {
    return R"({"__metadata__":)" + value + "}";
  };
  check_malformed(safetensors_format,
                  {
                      syntax("a number", metadata(R"({"a":1})"), "a string", 21, "1"),
                      syntax("null", metadata(R"({"a":null})"), "a string", 21, "n"),
                      syntax("an object", metadata(R"({"a":{}})"), "a string", 21, "{"),
                      syntax("a list", metadata("[]"), "{", 16, "["),
                      syntax("text", metadata(R"("a")"), "{", 16, "\""),
                      syntax("null for all", metadata("null"), "{", 16, "n"),
                  });
}

}  // namespace
}  // namespace headwise::test
