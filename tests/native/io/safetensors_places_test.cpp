#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "files.hpp"

/// Safetensors files whose tensors cannot be where the header says that they are.
namespace headwise::test {
namespace {

/// `"a":{…}`
std::string member(const std::string& name, const std::string& shape, const std::string& offsets,
                   const std::string& dtype = "F32") {
  return '"' + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + shape +
         R"(],"data_offsets":[)" + offsets + "]}";
}

std::string header(const std::string& shape, const std::string& offsets,
                   const std::string& dtype = "F32") {
  return '{' + member("a", shape, offsets, dtype) + '}';
}

TEST_CASE("Tensors of a safetensors file have three fields, each once") {
  const std::string dtype = R"("dtype":"F32")";
  const std::string shape = R"("shape":[1])";
  const std::string offsets = R"("data_offsets":[0,4])";
  const auto with = [](const std::string& fields) { return R"({"a":{)" + fields + "}}"; };
  const std::string all = "tensor 'a' with dtype, shape and data_offsets";
  const std::string once = all + ", each once";
  check_malformed(
      safetensors_format,
      {
          {"none", with(""), all, "not all of them"},
          {"no dtype", with(shape + ',' + offsets), all, "not all of them"},
          {"no shape", with(dtype + ',' + offsets), all, "not all of them"},
          {"no offsets", with(dtype + ',' + shape), all, "not all of them"},
          {"dtype twice", with(dtype + ',' + dtype + ',' + shape + ',' + offsets), once, "dtype"},
          {"shape twice", with(shape + ',' + shape), once, "shape"},
          {"offsets twice", with(offsets + R"(,"data\u005foffsets":[0,4])"), once, "data_offsets"},
          {"another field", with(dtype + R"(,"stride":[1])"), once, "stride"},
          {"a field in capitals", with(R"("DType":"F32")"), once, "DType"},
      });
}

TEST_CASE("Tensors of a safetensors file are of one of the format's dtypes") {
  for (const char* dtype : {"f32", "F3", "F322", "float32", "F128", "I4", "F8", "F8_E4M3FN", "bool",
                            "BOOL ", "C128", ""}) {
    check_malformed(safetensors_format, {{"dtype", header("1", "0,4", dtype),
                                          "tensor 'a' of one of the format's dtypes", dtype}});
  }
  check_malformed(safetensors_format, {{"a number", R"({"a":{"dtype":32}})",
                                        "a safetensors header with a string at byte 14", "3"}});
}

TEST_CASE("Shapes and offsets of a safetensors file are whole numbers up to 2^53") {
  const std::string integer = "a safetensors header with an integer from 0 to 2^53 at byte ";
  const std::string comma = "a safetensors header with , at byte ";
  check_malformed(
      safetensors_format,
      {
          {"negative", header("-1", "0,4"), integer + "29", "-"},
          {"minus zero", header("-0", "0,4"), integer + "29", "-"},
          {"plus", header("+1", "0,4"), integer + "29", "+"},
          {"a fraction", header("1.0", "0,4"), comma + "30", "."},
          {"an exponent", header("1e0", "0,4"), comma + "30", "e"},
          {"a leading zero", header("01", "0,4"), integer + "29", "0"},
          {"hexadecimal", header("0x1", "0,4"), comma + "30", "x"},
          {"text", header("\"1\"", "0,4"), integer + "29", "\""},
          {"true", header("true", "0,4"), integer + "29", "t"},
          {"a list", header("[1]", "0,4"), integer + "29", "["},
          {"nothing before a comma", header(",1", "0,4"), integer + "29", ","},
          {"nothing behind a comma", header("1,", "0,4"), integer + "31", "]"},
          {"2^53 + 1", header("9007199254740993", "0,4"), integer + "29", "9"},
          {"2^64", header("18446744073709551616", "0,4"), integer + "29", "1"},
          {"2^64 + 1", header("18446744073709551617", "0,4"), integer + "29", "1"},
          {"1,000 digits", header(std::string(1000, '1'), "0,4"), integer + "29", "1"},
          {"1,000 zeros", header(std::string(1000, '0'), "0,4"), integer + "29", "0"},
          {"no list", R"({"a":{"shape":1}})", "a safetensors header with [ at byte 14", "1"},
          {"a negative offset", header("1", "-4,0"), integer + "48", "-"},
          {"a fractional offset", header("1", "0.0,4"), comma + "49", "."},
          {"an offset of 2^53 + 1", header("1", "0,9007199254740993"), integer + "50", "9"},
      });
}

TEST_CASE("Tensors of a safetensors file lie within it") {
  const std::string within = "tensor 'a' to lie within 4 bytes";
  const std::string two = "tensor 'a' with two data_offsets";
  check_malformed(
      safetensors_format,
      {
          {"beyond the end", header("2", "0,8"), within, "0 to 8"},
          {"behind the end", header("1", "4,8"), within, "4 to 8"},
          {"far behind it", header("1", "9007199254740988,9007199254740992"), within,
           "9007199254740988 to 9007199254740992"},
          {"no data at all", header("1", "0,4"), "tensor 'a' to lie within 0 bytes", "0 to 4", 0},
          {"an empty one behind the end", header("0", "5,5"), within, "5 to 5"},
          {"reversed", header("1", "4,0"), within, "4 to 0"},
          {"no offsets", header("1", ""), two, "0"},
          {"one offset", header("1", "4"), two, "1"},
          {"three offsets", header("1", "0,0,4"), two, "3"},
      });
}

TEST_CASE("Tensors of a safetensors file have as many bytes as their shape takes") {
  const std::string expected = "tensor 'a' in as many bytes as its shape takes";
  const std::string p53 = "9007199254740992";
  const std::string p32 = "4294967296";
  check_malformed(
      safetensors_format,
      {
          {"too many", header("1", "0,4", "F16"), expected, "4"},
          {"too few", header("2", "0,4", "F32"), expected, "4"},
          {"not a whole number", header("1", "0,3"), expected, "3"},
          {"too many booleans", header("3", "0,4", "BOOL"), expected, "4"},
          {"too few small floats", header("5", "0,4", "F8_E4M3"), expected, "4"},
          {"half an integer", header("1", "0,4", "I64"), expected, "4"},
          {"half a double", header("1", "0,4", "F64"), expected, "4"},
          {"half a complex number", header("1", "0,4", "C64"), expected, "4"},
          {"too many of 4 bits", header("9", "0,4", "F4"), expected, "4"},
          {"too few of 4 bits", header("7", "0,4", "F4"), expected, "4"},
          {"30 bits", header("5", "0,4", "F6_E2M3"), expected, "4"},
          {"36 bits", header("6", "0,4", "F6_E3M2"), expected, "4"},
          {"an empty shape with bytes", header("0", "0,4"), expected, "4"},
          {"a scalar without bytes", header("", "0,0"), expected, "0"},
          {"2^53", header(p53, "0,4"), expected, "4"},
          {"2^53 squared", header(p53 + ',' + p53, "0,4"), expected, "4"},
          // 4 · 2^62 and 2 · 2^63 are 0 modulo 2^64, 4 · (2^62 + 1) is 4.
          {"2^64 bytes", header(p32 + ",1073741824", "0,0"), expected, "0"},
          {"2^64 bytes of halves", header(p32 + ",2147483648", "0,0", "BF16"), expected, "0"},
          {"2^64 bits", header(p32 + ",1073741824", "0,0", "F4"), expected, "0"},
          {"2^64 + 4 bytes", header("5,5581,8681,49477,384773", "0,4"), expected, "4"},
          {"2^63 bytes beside an axis of 0", header("0,256," + p53, "0,0"), expected, "0"},
          {"2^108 bytes beside an axis of 0", header(p53 + ",0," + p53, "0,0"), expected, "0"},
          {"2^128 bytes", header(p32 + ',' + p32 + ',' + p32 + ',' + p32, "0,0"), expected, "0"},
          {"2^53 a thousand times",
           header(
               p53 +
                   [&] {
                     std::string more;
                     for (int i = 1; i < 1000; ++i) {
                       more += ',' + p53;
                     }
                     return more;
                   }(),
               "0,4"),
           expected, "4"},
      });
}

TEST_CASE("Tensors of a safetensors file lie side by side") {
  const auto two = [](const std::string& first, const std::string& second) {
    return '{' + member("a", "1", first) + ',' + member("b", "1", second) + '}';
  };
  const auto begin = [](const std::string& name) {
    return "tensor '" + name + "' to begin where the one before it ends";
  };
  check_malformed(
      safetensors_format,
      {
          {"in one place", two("0,4", "0,4"), begin("b"), "0"},
          {"overlapping", two("0,4", "2,6"), begin("b"), "2", 6},
          {"overlapping, the second first", two("2,6", "0,4"), begin("a"), "2", 6},
          {"a hole before them", two("4,8", "8,12"), begin("a"), "4", 12},
          {"a hole between them", two("0,4", "5,9"), begin("b"), "5", 9},
          {"a hole behind them", two("0,4", "4,8"), "8 bytes of tensors", "9", 9},
          {"a byte behind one", header("1", "0,4"), "4 bytes of tensors", "5", 5},
          {"bytes without tensors", "{}", "0 bytes of tensors", "1", 1},
          {"an empty one inside another",
           '{' + member("a", "1", "0,4") + ',' + member("b", "0", "2,2") + '}', begin("b"), "2"},
      });
  const auto loads = [](const std::string& json, std::size_t num_data) {
    return error_of(
        [&] { return load_safetensors(safetensors_file(json, std::string(num_data, '\0'))); });
  };
  CHECK(loads(two("4,8", "0,4"), 8) == "no error");
  CHECK(loads('{' + member("a", "1", "0,4") + ',' + member("b", "0", "4,4") + ',' +
                  member("c", "0", "0,0") + '}',
              4) == "no error");
}

TEST_CASE("A safetensors file's long texts are cut in messages, others than ASCII hidden") {
  check_malformed(safetensors_format,
                  {{"a long name", '{' + member(std::string(500, 'x'), "1", "0") + '}',
                    "tensor '" + std::string(80, 'x') + "' with two data_offsets", "1"},
                   {"a long dtype", header("1", "0,4", std::string(500, 'y')),
                    "tensor 'a' of one of the format's dtypes", std::string(80, 'y')},
                   {"another name", '{' + member(R"(é\n)", "1", "0") + '}',
                    "tensor '\?\?\?' with two data_offsets", "1"}});
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
