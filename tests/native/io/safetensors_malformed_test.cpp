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
Malformed syntax(const std::string& header, const std::string& expected, std::size_t place,
                 const std::string& got) {
  return {header, "a safetensors header with " + expected + " at byte " + std::to_string(place),
          got};
}

/// `"a":{…}`
std::string member(const std::string& name, const std::string& shape, const std::string& offsets,
                   const std::string& dtype = "F32") {
  return '"' + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + shape +
         R"(],"data_offsets":[)" + offsets + "]}";
}

/// A header with one tensor, `a`.
std::string tensor(const std::string& shape, const std::string& offsets,
                   const std::string& dtype = "F32") {
  return '{' + member("a", shape, offsets, dtype) + '}';
}

TEST_CASE("A safetensors file cut short anywhere, or with a length that lies, is refused") {
  const std::string header = tensor("3", "0,12");
  const std::string whole = text_of(safetensors_file(header, little_endian({1, 2, 3})));
  REQUIRE(load_safetensors(file_of(whole)).tensors.at("a")(2) == 3);
  const std::size_t data = 8 + header.size();
  const auto at_most = [](std::size_t bytes, std::uint64_t length) {
    return invalid_file("a safetensors header of at most " + std::to_string(bytes) + " bytes",
                        std::to_string(length));
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string expected =
        size < 8 ? invalid_file("a safetensors file of at least 8 bytes", std::to_string(size))
        : size < data
            ? at_most(size - 8, header.size())
            : invalid_file("tensor 'a' to lie within " + std::to_string(size - data) + " bytes",
                           "0 to 12");
    CAPTURE(size);
    CHECK(error_of_file(file_of(whole.substr(0, size))) == expected);
  }
  const auto error_of_length = [&](std::uint64_t length) {
    return error_of_file(file_of(little_endian(length, 8) + header + std::string(12, ' ')));
  };
  for (const std::uint64_t length :
       {std::uint64_t{header.size() + 13}, (std::uint64_t{1} << 32U) + header.size(),
        std::uint64_t{1} << 63U, ~std::uint64_t{0} - 7, ~std::uint64_t{0}}) {
    CHECK(error_of_length(length) == at_most(header.size() + 12, length));
  }
  CHECK(error_of_length(header.size() + 12) ==
        invalid_file("tensor 'a' to lie within 0 bytes", "0 to 12"));
  CHECK(error_of_length(header.size() - 1) ==
        invalid_file("a safetensors header with , at byte " + std::to_string(header.size() - 1),
                     "its end"));
  CHECK(error_of_length(0) == invalid_file("a safetensors header with { at byte 0", "its end"));
}

TEST_CASE("A safetensors header is no larger than the format allows") {
  const std::size_t largest = 100'000'000;
  File file = file_of(little_endian(largest, 8) + '[');
  file.resize(8 + largest + 1, std::byte{' '});
  CHECK(error_of_file(file) == invalid_file("a safetensors header with { at byte 0", "["));
  file[0] |= std::byte{1};
  CHECK(error_of_file(file) == invalid_file("a safetensors header of at most 100000000 bytes",
                                            std::to_string(largest + 1)));
}

TEST_CASE("A safetensors header of other text than JSON's objects is refused") {
  const std::string good = tensor("1", "0,4");
  const std::string utf_8 = "a safetensors header in UTF-8";
  const std::string no_pair = "a pair of surrogates";
  const std::string no_digits = "four hexadecimal digits";
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += R"({"a":)";
  }
  check_malformed(safetensors_format,
                  {{"{\"\xFF\":{}}", utf_8, "other bytes"},
                   {"{\"\xC3\":{}}", utf_8, "other bytes"},
                   syntax("\uFEFF" + good, "{", 0, "?"),
                   syntax("[]", "{", 0, "["),
                   syntax(" " + good, "{", 0, " "),
                   syntax(good + good, "nothing behind its object", good.size(), "{"),
                   syntax(good + " x", "nothing behind its object", good.size() + 1, "x"),
                   syntax(good + '\0', "nothing behind its object", good.size(), "?"),
                   syntax("{", "a string", 1, "its end"),
                   syntax("{,}", "a string", 1, ","),
                   syntax(R"({"__metadata__":{},})", "a string", 19, "}"),
                   syntax(R"({"__metadata__":{}"b":{}})", ",", 18, "\""),
                   syntax(R"({"a"{}})", ":", 4, "{"),
                   syntax("{a:{}}", "a string", 1, "a"),
                   syntax(R"({"abc)", "more", 5, "its end"),
                   syntax(R"({"a":1})", "{", 5, "1"),
                   syntax("{\"\n\":{}}", "control characters escaped", 3, "\""),
                   syntax(std::string("{\"\0\":{}}", 8), "control characters escaped", 3, "\""),
                   syntax(R"({"\a":{}})", "one of JSON's escapes", 4, "\""),
                   syntax(R"({"\'":{}})", "one of JSON's escapes", 4, "\""),
                   syntax(R"({"\)", "more", 3, "its end"),
                   syntax(R"({"\u006":{}})", no_digits, 8, ":"),
                   syntax(R"({"\u00g0":{}})", no_digits, 7, "0"),
                   syntax(R"({"\u-061":{}})", no_digits, 5, "0"),
                   syntax(R"({"\ud83d":{}})", no_pair, 8, "\""),
                   syntax(R"({"\ude00":{}})", no_pair, 8, "\""),
                   syntax(R"({"\ud83d\ud83d":{}})", no_pair, 14, "\""),
                   syntax(R"({"\ud83d\ue000":{}})", no_pair, 14, "\""),
                   syntax(R"({"\ude00\ud83d":{}})", no_pair, 8, "\\"),
                   syntax(R"({"\ud83d\ude":{}})", no_digits, 13, ":"),
                   syntax(R"({"__metadata__":{"a":1}})", "a string", 21, "1"),
                   syntax(R"({"__metadata__":[]})", "{", 16, "["),
                   // No nesting exhausts the stack.
                   syntax(std::string(1'000'000, '['), "{", 0, "["),
                   syntax(R"({"a":{"shape":)" + std::string(1'000'000, '['),
                          "an integer from 0 to 2^53", 15, "["),
                   {objects, "tensor 'a' with dtype, shape and data_offsets, each once", "a"}});
  // A character does not go on behind the header.
  CHECK(error_of_file(safetensors_file("{}\xC3", "\xA9")) == invalid_file(utf_8, "other bytes"));
}

TEST_CASE("Names that are in a safetensors header twice are refused") {
  const auto two = [](const std::string& first, const std::string& second) {
    return '{' + member(first, "0", "0,0") + ',' + member("b", "0", "0,0") + ',' +
           member(second, "0", "0,0") + '}';
  };
  const std::string expected = "every name once in a safetensors header";
  check_malformed(safetensors_format, {{two("a", "a"), expected, "'a' twice", 0},
                                       {two("a", R"(\u0061)"), expected, "'a' twice", 0},
                                       {two(R"(\u003C)", R"(\u003c)"), expected, "'<' twice", 0},
                                       {two(R"(\/)", R"(\u002f)"), expected, "'/' twice", 0},
                                       {two("", ""), expected, "'' twice", 0},
                                       {R"({"__metadata__":{"a":"b"},"\u005f_metadata__":{}})",
                                        expected, "'__metadata__' twice", 0},
                                       {R"({"__metadata__":{"x":"1","y":"2","\u0078":"1"}})",
                                        expected, "'x' twice", 0}});
}

TEST_CASE("Tensors of a safetensors file have three fields, each once, of the format's dtypes") {
  const std::string dtype = R"("dtype":"F32")";
  const std::string shape = R"("shape":[1])";
  const std::string offsets = R"("data_offsets":[0,4])";
  const auto with = [](const std::string& fields) { return R"({"a":{)" + fields + "}}"; };
  const std::string all = "tensor 'a' with dtype, shape and data_offsets";
  const std::string once = all + ", each once";
  std::vector<Malformed> headers = {
      {with(""), all, "not all of them"},
      {with(shape + ',' + offsets), all, "not all of them"},
      {with(dtype + ',' + offsets), all, "not all of them"},
      {with(dtype + ',' + shape), all, "not all of them"},
      {with(dtype + ',' + dtype + ',' + shape + ',' + offsets), once, "dtype"},
      {with(shape + ',' + shape), once, "shape"},
      {with(offsets + R"(,"data\u005foffsets":[0,4])"), once, "data_offsets"},
      {with(dtype + R"(,"stride":[1])"), once, "stride"},
      {with(R"("DType":"F32")"), once, "DType"},
      syntax(R"({"a":{"dtype":32}})", "a string", 14, "3")};
  const std::string other = "tensor 'a' of one of the format's dtypes";
  for (const char* name : {"f32", "F3", "F322", "float32", "F128", "I4", "F8", "F8_E4M3FN", "bool",
                           "BOOL ", "C128", ""}) {
    headers.push_back({tensor("1", "0,4", name), other, name});
  }
  // Long texts are cut in messages, others than ASCII hidden.
  headers.push_back({tensor("1", "0,4", std::string(500, 'y')), other, std::string(80, 'y')});
  headers.push_back({'{' + member(std::string(500, 'x'), "1", "0") + '}',
                     "tensor '" + std::string(80, 'x') + "' with two data_offsets", "1"});
  headers.push_back(
      {'{' + member(R"(é\n)", "1", "0") + '}', "tensor '\?\?\?' with two data_offsets", "1"});
  check_malformed(safetensors_format, headers);
}

TEST_CASE("Shapes and offsets of a safetensors file are whole numbers up to 2^53") {
  const std::string integer = "an integer from 0 to 2^53";
  std::vector<Malformed> headers = {syntax(tensor(",1", "0,4"), integer, 29, ","),
                                    syntax(tensor("1,", "0,4"), integer, 31, "]"),
                                    syntax(R"({"a":{"shape":1}})", "[", 14, "1"),
                                    syntax(tensor("1", "-4,0"), integer, 48, "-"),
                                    syntax(tensor("1", "0.0,4"), ",", 49, "."),
                                    syntax(tensor("1", "0,9007199254740993"), integer, 50, "9")};
  for (const std::string number :
       {"-1", "-0", "+1", "01", "\"1\"", "true", "[1]", "9007199254740993", "18446744073709551616",
        "18446744073709551617"}) {
    headers.push_back(syntax(tensor(number, "0,4"), integer, 29, number.substr(0, 1)));
  }
  for (const char digit : {'0', '1'}) {
    headers.push_back(syntax(tensor(std::string(1000, digit), "0,4"), integer, 29, {digit}));
  }
  for (const std::string number : {"1.0", "1e0", "0x1"}) {
    headers.push_back(syntax(tensor(number, "0,4"), ",", 30, number.substr(1, 1)));
  }
  check_malformed(safetensors_format, headers);
}

TEST_CASE("Tensors of a safetensors file lie within it, in as many bytes as their shape takes") {
  const std::string within = "tensor 'a' to lie within 4 bytes";
  const std::string two = "tensor 'a' with two data_offsets";
  const std::string fits = "tensor 'a' in as many bytes as its shape takes";
  const std::string p53 = "9007199254740992";
  const std::string p32 = "4294967296";
  std::string thousand = p53;
  for (int i = 1; i < 1000; ++i) {
    thousand += ',' + p53;
  }
  check_malformed(safetensors_format,
                  {{tensor("2", "0,8"), within, "0 to 8"},
                   {tensor("1", "4,8"), within, "4 to 8"},
                   {tensor("1", "9007199254740988,9007199254740992"), within,
                    "9007199254740988 to 9007199254740992"},
                   {tensor("1", "0,4"), "tensor 'a' to lie within 0 bytes", "0 to 4", 0},
                   {tensor("0", "5,5"), within, "5 to 5"},
                   {tensor("1", "4,0"), within, "4 to 0"},
                   {tensor("1", ""), two, "0"},
                   {tensor("1", "4"), two, "1"},
                   {tensor("1", "0,0,4"), two, "3"},
                   {tensor("1", "0,4", "F16"), fits, "4"},
                   {tensor("2", "0,4", "F32"), fits, "4"},
                   {tensor("1", "0,3"), fits, "3"},
                   {tensor("3", "0,4", "BOOL"), fits, "4"},
                   {tensor("5", "0,4", "F8_E4M3"), fits, "4"},
                   {tensor("1", "0,4", "I64"), fits, "4"},
                   {tensor("1", "0,4", "F64"), fits, "4"},
                   {tensor("1", "0,4", "C64"), fits, "4"},
                   {tensor("9", "0,4", "F4"), fits, "4"},
                   {tensor("7", "0,4", "F4"), fits, "4"},
                   {tensor("5", "0,4", "F6_E2M3"), fits, "4"},
                   {tensor("6", "0,4", "F6_E3M2"), fits, "4"},
                   {tensor("0", "0,4"), fits, "4"},
                   {tensor("", "0,0"), fits, "0"},
                   {tensor(p53, "0,4"), fits, "4"},
                   {tensor(p53 + ',' + p53, "0,4"), fits, "4"},
                   // 4 · 2^62 and 2 · 2^63 are 0 modulo 2^64, 4 · (2^62 + 1) is 4.
                   {tensor(p32 + ",1073741824", "0,0"), fits, "0"},
                   {tensor(p32 + ",2147483648", "0,0", "BF16"), fits, "0"},
                   {tensor(p32 + ",1073741824", "0,0", "F4"), fits, "0"},
                   {tensor("5,5581,8681,49477,384773", "0,4"), fits, "4"},
                   // 2^63 and 2^108 bytes beside an axis of 0, and 2^128.
                   {tensor("0,256," + p53, "0,0"), fits, "0"},
                   {tensor(p53 + ",0," + p53, "0,0"), fits, "0"},
                   {tensor(p32 + ',' + p32 + ',' + p32 + ',' + p32, "0,0"), fits, "0"},
                   {tensor(thousand, "0,4"), fits, "4"}});
}

TEST_CASE("Tensors of a safetensors file lie side by side") {
  const auto two = [](const std::string& first, const std::string& second) {
    return '{' + member("a", "1", first) + ',' + member("b", "1", second) + '}';
  };
  const std::string a = "tensor 'a' to begin where the one before it ends";
  const std::string b = "tensor 'b' to begin where the one before it ends";
  check_malformed(safetensors_format,
                  {{two("0,4", "0,4"), b, "0"},
                   {two("0,4", "2,6"), b, "2", 6},
                   {two("2,6", "0,4"), a, "2", 6},
                   {two("4,8", "8,12"), a, "4", 12},
                   {two("0,4", "5,9"), b, "5", 9},
                   {two("0,4", "4,8"), "8 bytes of tensors", "9", 9},
                   {tensor("1", "0,4"), "4 bytes of tensors", "5", 5},
                   {"{}", "0 bytes of tensors", "1", 1},
                   {'{' + member("a", "1", "0,4") + ',' + member("b", "0", "2,2") + '}', b, "2"}});
  CHECK(error_of_file(safetensors_file(two("4,8", "0,4"), "12345678")) == "no error");
  CHECK(
      error_of_file(safetensors_file('{' + member("a", "1", "0,4") + ',' + member("b", "0", "4,4") +
                                         ',' + member("c", "0", "0,0") + '}',
                                     "1234")) == "no error");
}

TEST_CASE("A safetensors file with random bytes changed loads or is refused") {
  const StateDict tensors = {{"W_q.weight", randn<2>({2, 3}, 1)},
                             {"\"\u00e9\n", randn<1>({1}, 2)},
                             {"empty", randn<2>({0, 7}, 3)}};
  const File file =
      save_safetensors(tensors, {{"format", "pt"}, {"a\\b", "\x01"}},
                       {{"ids", xt::xarray<std::int64_t>{1, 2}}, {"mask", xt::xarray<bool>{true}}});
  const Outcomes outcomes = read_mutations(safetensors_format, file, 1);
  CHECK(outcomes.taken > 10);
  CHECK(outcomes.refused > 1'000);
}

}  // namespace
}  // namespace headwise::test
