#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "compare.hpp"
#include "files.hpp"

// What goes into safetensors and .npy files and comes out. JavaScript's tests do the same with more
// names and shapes, and NumPy itself reads and writes their .npy files, of every type, order and
// version.
namespace headwise::test {
namespace {

using Shape = std::vector<std::size_t>;
using Texts = std::map<std::string, std::string>;

template <typename Number>
xt::xarray<Number> tensor_of(const Shape& shape, const std::vector<Number>& numbers) {
  auto tensor = xt::xarray<Number>::from_shape(shape);
  REQUIRE(tensor.size() == numbers.size());
  std::copy(numbers.begin(), numbers.end(), tensor.data());
  return tensor;
}

/// Of each type the smallest, the largest, and 1.
template <typename... Number>
std::vector<IntegerTensor> extremes(std::variant<xt::xarray<Number>...> /*all*/) {
  return {tensor_of<Number>({3, 1}, {std::numeric_limits<Number>::min(),
                                     std::numeric_limits<Number>::max(), Number{1}})...};
}

TEST_CASE("Tensors and texts of any kind go through a safetensors file unchanged") {
  const auto bits = [](std::uint32_t number) { return std::bit_cast<float>(number); };
  StateDict tensors = {
      {"scalar", tensor_of<float>({}, {2.5F})},
      {"no rows", tensor_of<float>({0, 3}, {})},
      {"no columns", tensor_of<float>({2, 0, 5}, {})},
      {"special", tensor_of<float>({2, 4}, {nan, -nan, bits(0x7F800001), bits(0xFFABCDEF), infinity,
                                            -infinity, -0.0F, bits(1)})},
      {"normal", randn<3>({3, 5, 7}, 1)}};
  IntegerTensors integers = {{"an integer", tensor_of<std::uint16_t>({}, {1})},
                             {"none", tensor_of<bool>({2, 0, 7}, {})}};
  for (const IntegerTensor& tensor : extremes(IntegerTensor())) {
    integers.emplace(std::to_string(tensor.index()), tensor);
  }
  Texts metadata = {{"__metadata__", "is a name like any other inside the metadata"},
                    {"format", "np"}};
  // Whatever JSON escapes, might escape or must not, and the edges of UTF-8's lengths.
  for (const std::string& text :
       {std::string(), std::string("quote\"d"), std::string(R"(back\slash\)"),
        std::string(R"(\u0041)"), std::string("tab\tline\nreturn\r\b\f"),
        std::string("nul\0in\x01\x1F\x7F", 9), std::string("\u0080\u07FF\u0800\uD7FF\uE000\uFFFF"),
        std::string("\U00010000\U000FFFFF\U00100000\U0010FFFF")}) {
    tensors.emplace(text, randn<1>({1 + text.size()}, text.size()));
    metadata.emplace(text, text + text);
  }
  const File bytes = save_safetensors(tensors, metadata, integers);
  const Safetensors file = load_safetensors(bytes);
  REQUIRE(file.tensors.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    CAPTURE(name);
    REQUIRE(file.tensors.contains(name));
    CHECK(file.tensors.at(name).shape() == tensor.shape());
    CHECK(same_bits(file.tensors.at(name), tensor));
  }
  CHECK(file.integers == integers);
  CHECK(file.metadata == metadata);
  CHECK(file.unread.empty());
  CHECK(save_safetensors(file.tensors, file.metadata, file.integers) == bytes);
}

TEST_CASE("A safetensors file has the bytes that the format's description says") {
  // 8 bytes of length, the header padded with spaces to a multiple of 8, the numbers: larger types
  // first, so that all are aligned.
  const IntegerTensors integers = {{"mask", tensor_of<bool>({1, 3}, {true, false, true})},
                                   {"ids", tensor_of<std::int64_t>({}, {-2})},
                                   {"a", tensor_of<std::uint32_t>({1}, {7})}};
  std::string header =
      R"({"__metadata__":{"format":"pt"},"ids":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"U32","shape":[1],"data_offsets":[8,12]},)"
      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]},)"
      R"("mask":{"dtype":"BOOL","shape":[1,3],"data_offsets":[16,19]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  CHECK(
      text_of(save_safetensors({{"b", tensor_of<float>({1}, {0.5F})}}, {}, integers)) ==
      text_of(safetensors_file(header, little_endian(~std::uint64_t{1}, 8) + little_endian(7, 4) +
                                           little_endian({0.5F}) + std::string("\x01\0\x01", 3))));
  CHECK(text_of(save_safetensors({})) ==
        little_endian(32, 8) + R"({"__metadata__":{"format":"pt"}})");
  CHECK(text_of(save_safetensors({}, {{"b", "\"\n"}, {"a", "é"}})) ==
        little_endian(56, 8) + R"({"__metadata__":{"a":"é","b":"\"\u000a","format":"pt"}})");
}

const std::string escaped_name = "a/\"\\\b\f\n\r\té漢😀";

/// Holds what is read of a file on disk against what is read of its bytes.
void check_on_disk(const File& bytes, const Safetensors& whole, const std::string& dtype) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.safetensors", bytes);
  const SafetensorsFile file(path);
  CHECK(file.names() == std::vector<std::string>{escaped_name, "first"});
  CHECK(file.dtype(escaped_name) == dtype);
  CHECK(file.metadata() == whole.metadata);
  CHECK(file.tensors() == whole.tensors);
  const auto check_refused = [&](const std::string& kind, const auto& read) {
    const std::string error = error_of(read);
    CHECK(error.starts_with("invalid-file; " + path.string() + ": expected tensor 'a/"));
    CHECK(error.ends_with("' of " + kind + ", got " + dtype));
  };
  if (!whole.tensors.contains(escaped_name)) {
    check_refused("floats in whole bytes", [&] { return file.tensor(escaped_name); });
  }
  if (!whole.integers.contains(escaped_name)) {
    check_refused("integers or booleans", [&] { return file.integer_tensor(escaped_name); });
  }
  for (const auto& [name, tensor] : whole.integers) {
    CHECK(file.integer_tensor(name) == tensor);
  }
}

/// What is read of numbers that are behind a byte, so that nothing is aligned, of a header with
/// every kind of spaces and escapes.
Safetensors read(const std::string& dtype, const std::string& shape, const std::string& data) {
  const File bytes = safetensors_file(
      "{\n\t\""
      R"(\u0061\/\"\\\b\f\n\r\t\u00e9\u6F22\ud83d\uDE00" : {"dtype":")" +
          dtype + R"(","shape":[)" + shape + R"(],"data_offsets":[1,)" +
          std::to_string(1 + data.size()) +
          "]} ,\r\n"
          R"("__metadata__": { }, "first":)"
          R"({"data_offsets":[ 0 , 1 ] ,"shape":[1],"dtype":"\u0055\u0038"}})"
          " \n  ",
      '?' + data);
  Safetensors whole = load_safetensors(bytes);
  check_on_disk(bytes, whole, dtype);
  return whole;
}

TEST_CASE("Numbers of a safetensors file are those of its bytes, where nothing is aligned") {
  const auto integers = [](const std::string& dtype, const std::string& data) {
    return read(dtype, "2", data).integers.at(escaped_name);
  };
  const auto check_floats = [](const std::string& dtype, const std::string& data,
                               const std::vector<float>& expected) {
    CAPTURE(dtype);
    CHECK(same_bits(read(dtype, std::to_string(expected.size()), data).tensors.at(escaped_name),
                    expected));
  };
  const std::string two_64 = little_endian(0xFEDCBA9876543210, 8) + little_endian(3, 8);
  const std::string two_32 = little_endian(0xFEDCBA98, 4) + little_endian(3, 4);
  const std::string two_16 = little_endian(0xFEDC, 2) + little_endian(3, 2);
  const std::string two_8 = "\xFE\x03";
  const auto pair = []<typename Number>(Number first) {
    return IntegerTensor(tensor_of<Number>({2}, {first, Number{3}}));
  };
  CHECK(integers("I64", two_64) == pair(std::int64_t{-0x0123456789ABCDF0}));
  CHECK(integers("U64", two_64) == pair(std::uint64_t{0xFEDCBA9876543210}));
  CHECK(integers("I32", two_32) == pair(std::int32_t{-0x01234568}));
  CHECK(integers("U32", two_32) == pair(std::uint32_t{0xFEDCBA98}));
  CHECK(integers("I16", two_16) == pair(std::int16_t{-0x0124}));
  CHECK(integers("U16", two_16) == pair(std::uint16_t{0xFEDC}));
  CHECK(integers("I8", two_8) == pair(std::int8_t{-2}));
  CHECK(integers("U8", two_8) == pair(std::uint8_t{0xFE}));
  // A boolean is true whatever byte says so.
  CHECK(integers("BOOL", std::string("\0\x02", 2)) ==
        IntegerTensor(tensor_of<bool>({2}, {false, true})));
  check_floats("F64",
               little_endian(std::bit_cast<std::uint64_t>(0.1), 8) +
                   little_endian(std::bit_cast<std::uint64_t>(-1e300), 8),
               {0.1F, -infinity});
  check_floats("F32", little_endian({-7.25F, 3}), {-7.25F, 3});
  check_floats("F16", little_endian(0x000180003E00, 6), {1.5F, -0.0F, 0x1p-24F});
  check_floats("BF16", little_endian(0x7F80C0400001, 6), {0x1p-133F, -3, infinity});
  check_floats("F8_E5M2", "\x3C\xFC\x01", {1, -infinity, 0x1p-16F});
  check_floats("F8_E4M3", "\x3C\xFC\x01", {0x1.8p0F, -384, 0x1p-9F});
  check_floats("F8_E5M2FNUZ", "\x3C\xFC\x01", {0.5F, -32768, 0x1p-17F});
  check_floats("F8_E4M3FNUZ", "\x3C\xFC\x01", {0x1.8p-1F, -192, 0x1p-10F});
  check_floats("F8_E8M0", "\x3C\xFC\x01", {0x1p-67F, 0x1p125F, 0x1p-126F});
  for (const auto& [dtype, size] : {std::pair("F4", 2), std::pair("F6_E2M3", 3),
                                    std::pair("F6_E3M2", 3), std::pair("C64", 32)}) {
    const Safetensors file = read(dtype, "4", std::string(static_cast<std::size_t>(size), '\0'));
    CHECK(file.unread == Texts{{escaped_name, dtype}});
    CHECK(file.tensors.empty());
    CHECK(file.integers.size() == 1);
  }
}

TEST_CASE("What a safetensors file cannot say is not saved") {
  const StateDict one = {{"a", tensor_of<float>({}, {1})}};
  const IntegerTensors integers = {{"a", tensor_of<bool>({}, {true})}};
  const std::string expected =
      "invalid-value; tensors: expected names and metadata in UTF-8, got other bytes";
  for (const std::string bytes :
       {"\x80", "\xFF", "a\xC3", "\xC3(", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xE2\x82", "\xE2(\x82", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xF0\x9F\x98", "\xF0\x9F\x98("}) {
    CAPTURE(bytes);
    CHECK(error_of([&] { return save_safetensors({{bytes, one.at("a")}}); }) == expected);
    CHECK(error_of([&] { return save_safetensors(one, {{bytes, "a"}}); }) == expected);
    CHECK(error_of([&] { return save_safetensors(one, {{"a", bytes}}); }) == expected);
    CHECK(error_of([&] { return save_safetensors({}, {}, {{bytes, integers.at("a")}}); }) ==
          expected);
  }
  const std::string reserved =
      "invalid-value; tensors: expected names other than that of the metadata, got '__metadata__'";
  CHECK(error_of([&] { return save_safetensors({{"__metadata__", one.at("a")}}); }) == reserved);
  CHECK(error_of([&] { return save_safetensors({}, {}, {{"__metadata__", integers.at("a")}}); }) ==
        reserved);
  CHECK(error_of([&] { return save_safetensors(one, {}, integers); }) ==
        "invalid-value; tensors: expected every name once, got 'a' twice");
}

TEST_CASE("A file rounds weights and leaves biases alone, and gives rounded ones back") {
  const auto dict_of = [](Precision weights) {
    return MultiHeadAttention({.num_hiddens = 12,
                               .num_heads = 3,
                               .bias = true,
                               .query_size = 7,
                               .key_size = 5,
                               .value_size = 12,
                               .weights = weights,
                               .seed = 1})
        .state_dict();
  };
  StateDict dict = dict_of(Precision::float32);
  for (const Precision precision : {Precision::float16, Precision::int8}) {
    const File bytes = save_safetensors(dict, {}, {}, precision);
    CHECK(bytes.size() < save_safetensors(dict).size());
    const StateDict rounded = state_dict_of(load_safetensors(bytes));
    CHECK(rounded == dict_of(precision));
    const TemporaryFolder folder;
    CHECK(state_dict_of(SafetensorsFile(folder.write("rounded.safetensors", bytes))) == rounded);
    CHECK(state_dict_of(load_safetensors(save_safetensors(rounded, {}, {}, precision))) == rounded);
  }
  const Safetensors int8 = load_safetensors(save_safetensors(dict, {}, {}, Precision::int8));
  CHECK(int8.integers.size() == 4);
  CHECK(int8.tensors.at("W_q.weight_scale").shape() == xt::dynamic_shape<std::size_t>{12, 1});
  Safetensors by_column = int8;
  by_column.tensors.at("W_q.weight_scale").reshape({1, 12});
  CHECK(!state_dict_of(by_column).contains("W_q.weight"));
  dict.emplace("W_k.weight_scale", tensor_of<float>({2}, {1, 2}));
  CHECK(error_of([&] { return save_safetensors(dict, {}, {}, Precision::int8); }) ==
        "invalid-value; tensors: expected every name once, got 'W_k.weight_scale' twice");
  CHECK(error_of([&] { return save_safetensors(dict, {}, {}, Precision::int4); }) ==
        "invalid-option; weights: expected 'float32', 'float16' or 'int8', got 'int4'");
}

using namespace std::string_literals;

void check_tensor(const xt::xarray<float>& tensor, const Shape& shape,
                  const std::vector<float>& numbers) {
  CHECK(Shape(tensor.shape().begin(), tensor.shape().end()) == shape);
  CHECK(same_bits(tensor, numbers));
}

std::string dictionary_of(const std::string& descr, const std::string& shape,
                          const std::string& fortran_order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

TEST_CASE("A tensor goes through a .npy file unchanged, with the bytes of NumPy's documentation") {
  for (std::size_t axes = 0; axes <= 64; ++axes) {
    CAPTURE(axes);
    const auto tensor = xt::xarray<float>(xt::ones<float>(Shape(axes, 1)));
    const std::string file = text_of(save_npy(tensor));
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(file[i]); };
    const std::size_t size = 10U + byte(8) + 256U * byte(9);
    CHECK(size % 64 == 0);
    CHECK(file.size() == size + sizeof(float));
    CHECK(file[size - 1] == '\n');
    check_tensor(load_npy(file_of(file)), Shape(axes, 1), {1});
  }
  CHECK(error_of([] { return save_npy(xt::xarray<float>::from_shape(Shape(65, 1))); }) ==
        "invalid-shape; tensor: expected at most 64 axes, got 65");
  const std::vector<float> special = {nan,       -nan,  std::bit_cast<float>(0x7F800001U), infinity,
                                      -infinity, -0.0F, std::bit_cast<float>(1U),          1};
  auto tensor = xt::xarray<float>::from_shape({2, 1, 4});
  std::copy(special.begin(), special.end(), tensor.begin());
  check_tensor(load_npy(save_npy(tensor)), {2, 1, 4}, special);
  check_tensor(load_npy(save_npy(xt::xarray<float>::from_shape({3, 0}))), {3, 0}, {});
  std::string header = dictionary_of("<f4", "(2,3,)");
  header.resize(128 - 10 - 1, ' ');
  const xt::xarray<float> matrix = {{1, 2, 3}, {4, 5, -6}};
  CHECK(text_of(save_npy(matrix)) ==
        "\x93NUMPY\x01\0\x76\0"s + header + '\n' + little_endian({1, 2, 3, 4, 5, -6}));
}

TEST_CASE("Numbers of every kind are read from .npy files") {
  const struct {
    const char* descr;
    std::string bytes;
    std::vector<float> expected;
  } kinds[] = {{"<f2", "\x00\x3E\x00\xC0"s, {1.5F, -2}},
               {">f2", "\x3E\x00\xC0\x00"s, {1.5F, -2}},
               {"=f4", "\x00\x00\xC0\x3F\x00\x00\x00\xC0"s, {1.5F, -2}},
               {">f4", "\x3F\xC0\x00\x00\xC0\x00\x00\x00"s, {1.5F, -2}},
               {"<f8", "\0\0\0\0\0\0\xF8\x3F\0\0\0\0\0\0\x00\xC0"s, {1.5F, -2}},
               {"|i1", "\x7F\x80"s, {127, -128}},
               {">i2", "\x01\x02\xFF\xFE"s, {258, -2}},
               {"<i4", "\x01\x02\0\0\xFE\xFF\xFF\xFF"s, {513, -2}},
               {"<i8", "\x01\x02\0\0\0\0\0\0\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s, {513, -2}},
               {"|u1", "\x7F\xFF"s, {127, 255}},
               {"<u2", "\x01\x02\xFE\xFF"s, {513, 65'534}},
               {">u4", "\0\0\x01\x02\x80\0\0\0"s, {258, 2'147'483'648}},
               {">u8", "\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x02"s, {0x1p63F, 258}},
               // A boolean is true whatever byte says so.
               {"|b1", "\x00\x02"s, {0, 1}},
               // As dtype.name and dtype.char have them.
               {"f4", "\x00\x00\xC0\x3F\x00\x00\x00\xC0"s, {1.5F, -2}},
               {"float16", "\x00\x3E\x00\xC0"s, {1.5F, -2}},
               {">H", "\x01\x02\xFF\xFE"s, {258, 65'534}},
               {"bool", "\x00\x01"s, {0, 1}},
               {"?", "\x00\x01"s, {0, 1}}};
  for (const auto& [descr, bytes, expected] : kinds) {
    CAPTURE(descr);
    check_tensor(load_npy(npy_file(dictionary_of(descr, "(2,)"), bytes)), {2}, expected);
  }
  const auto load = [](const std::string& shape, const std::vector<float>& numbers) {
    return load_npy(npy_file(dictionary_of("<f4", shape, "True"), little_endian(numbers)));
  };
  check_tensor(load("(2, 3)", {1, 4, 2, 5, 3, 6}), {2, 3}, {1, 2, 3, 4, 5, 6});
  check_tensor(load("(2, 3, 2)", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), {2, 3, 2},
               {0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11});
  check_tensor(load("( )", {7}), {}, {7});
  // As Python 2 and writers of other languages have them.
  check_tensor(load("(2L, 3L)", {1, 4, 2, 5, 3, 6}), {2, 3}, {1, 2, 3, 4, 5, 6});
  const std::string spaced =
      "{\tu'descr':\r\nu'<f4',\t\"fortran_order\": False,\r'shape':\f(1L,)\r}\r\n";
  check_tensor(load_npy(npy_file(spaced, little_endian({3}))), {1}, {3});
  for (const char* order : {"False", "True"}) {
    for (const std::string shape : {"(9007199254740992, 0, 255)", "(0, 255, 9007199254740992)"}) {
      CHECK(load_npy(npy_file(dictionary_of("<f4", shape, order))).size() == 0);
    }
  }
}

TEST_CASE("A .npy header is Python's, of every version, written as it may be") {
  const std::string data = little_endian({1, 2, 3, 4, 5, 6});
  for (const std::string dictionary :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n",
        "{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
        "{'fortran_order': False, 'shape': ( 2 , 3 , ), 'descr': '<f4' , }",
        R"({"descr": '<f4', 'fortran_order': False, "shape": (2, 3)})",
        "  {\n'descr' : '<f4' ,\n 'fortran_order' : False ,\n 'shape' : (2,\n3)\n}\n\n"}) {
    for (const unsigned version : {1, 2, 3}) {
      CAPTURE(dictionary, version);
      const std::string padded = dictionary + std::string(40'000, ' ') + '\n';
      for (const std::string& header : {dictionary, padded}) {
        check_tensor(
            load_npy(file_of("\x93NUMPY" + little_endian(version, 2) +
                             little_endian(header.size(), version == 1 ? 2 : 4) + header + data)),
            {2, 3}, {1, 2, 3, 4, 5, 6});
      }
    }
  }
}

}  // namespace
}  // namespace headwise::test
