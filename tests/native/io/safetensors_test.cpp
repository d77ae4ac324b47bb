#include "safetensors.hpp"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "compare.hpp"
#include "files.hpp"

namespace headwise::test {
namespace {

using Shape = std::vector<std::size_t>;

xt::xarray<float> tensor_of(const Shape& shape, const std::vector<float>& numbers) {
  auto tensor = xt::xarray<float>::from_shape(shape);
  REQUIRE(tensor.size() == numbers.size());
  std::copy(numbers.begin(), numbers.end(), tensor.data());
  return tensor;
}

Shape shape_of(const xt::xarray<float>& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

void check_same(const StateDict& tensors, const StateDict& expected) {
  REQUIRE(tensors.size() == expected.size());
  for (const auto& [name, tensor] : expected) {
    CAPTURE(name);
    REQUIRE(tensors.contains(name));
    CHECK(shape_of(tensors.at(name)) == shape_of(tensor));
    CHECK(same_bits(tensors.at(name), tensor));
  }
}

const std::vector<float> special_numbers = {nan,
                                            -nan,
                                            std::bit_cast<float>(0x7F800001U),
                                            std::bit_cast<float>(0xFFABCDEFU),
                                            infinity,
                                            -infinity,
                                            -0.0F,
                                            std::bit_cast<float>(1U)};

using Texts = std::map<std::string, std::string>;

/// Whatever JSON escapes, might escape or must not.
const std::vector<std::string> awkward_texts = {
    "",
    " ",
    "quote\"d",
    R"(back\slash\)",
    R"(\u0041)",
    "a/b",
    "tab\tline\nreturn\r\b\f",
    std::string("nul\0in\x01\x1F\x7F", 9),
    "naïve, 漢字, 😀, \uFFFF",
    "{\"a\":[1]}",
};

TEST_CASE("Tensors go through a safetensors file unchanged") {
  const StateDict tensors = {
      {"scalar", tensor_of({}, {2.5F})},       {"empty", tensor_of({0}, {})},
      {"no rows", tensor_of({0, 3}, {})},      {"no columns", tensor_of({2, 0, 5}, {})},
      {"ones", tensor_of({1, 1, 1, 1}, {-1})}, {"special", tensor_of({2, 4}, special_numbers)},
      {"normal", randn<3>({3, 5, 7}, 1)}};
  const Safetensors read = load_safetensors(save_safetensors(tensors));
  check_same(read.tensors, tensors);
  CHECK(read.metadata.empty());
}

TEST_CASE("Names and metadata of any text go through a safetensors file unchanged") {
  StateDict tensors;
  Texts metadata;
  for (const std::string& text : awkward_texts) {
    tensors.emplace(text, randn<1>({1 + text.size()}, text.size()));
    metadata.emplace(text, text + text);
  }
  metadata.emplace("__metadata__", "is a name like any other inside the metadata");
  const Safetensors read = load_safetensors(save_safetensors(tensors, metadata));
  check_same(read.tensors, tensors);
  CHECK(read.metadata == metadata);

  const Safetensors without_tensors = load_safetensors(save_safetensors({}, metadata));
  CHECK(without_tensors.tensors.empty());
  CHECK(without_tensors.metadata == metadata);
  CHECK(load_safetensors(save_safetensors({})).tensors.empty());
}

TEST_CASE("A safetensors file has the bytes that the format's description says") {
  const StateDict tensors = {{"b.weight", tensor_of({1, 2}, {1, -2})},
                             {"a", tensor_of({}, {0.5F})}};
  // 8 bytes of length, the header padded with spaces to a multiple of 8, the numbers.
  const std::string header = R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                             R"("b.weight":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]}})";
  CHECK(text_of(save_safetensors(tensors)) == little_endian(120, 8) + header +
                                                  std::string(120 - header.size(), ' ') +
                                                  little_endian({0.5F, 1, -2}));
  CHECK(text_of(save_safetensors({})) == little_endian(8, 8) + "{}      ");
  CHECK(text_of(save_safetensors({}, {{"b", "\"\n"}, {"a", "é"}})) ==
        little_endian(48, 8) + R"({"__metadata__":{"a":"é","b":"\"\u000a"}})" + "      ");
}

TEST_CASE("A safetensors file's header is a multiple of 8, and another reader reads it") {
  StateDict tensors;
  for (std::size_t i = 0; i < 20; ++i) {
    tensors.emplace("layer." + std::string(i, 'x') + std::to_string(i), randn<2>({i, 3}, i));
    const std::string file = text_of(save_safetensors(tensors));
    CHECK(static_cast<unsigned char>(file[0]) % 8 == 0);
    const StoredTensors read = parse_safetensors(file);
    REQUIRE(read.size() == tensors.size());
    for (const auto& [name, tensor] : tensors) {
      CAPTURE(name);
      CHECK(read.at(name).shape == shape_of(tensor));
      CHECK(max_difference(read.at(name).values, tensor) == 0);
    }
  }
}

TEST_CASE("Every text of the headers that the format allows is read") {
  // Spaces of all kinds, escapes, fields and tensors in any order, tensors where nothing is
  // aligned.
  const std::string header =
      "{\n\t\"half\" : { \"shape\" : [ 3 ] , \"data_offsets\" : [ 12 , 18 ] , \"dtype\" : \"F16\" "
      "},"
      "\r\n\"\\u0062\\/\\\"\\\\\\b\\f\\n\\r\\t\\u00e9\\u6F22\\ud83d\\uDE00\":"
      R"({"dtype":"\u0046\u00332","shape":[1,1],"data_offsets":[18,22]},)"
      R"("__metadata__" : { },"nothing":{"dtype":"BF16","shape":[9,0],"data_offsets":[18,18]},)"
      R"("brain":{"data_offsets":[0,12],"dtype":"BF16","shape":[2,1,3]}})"
      " \n  ";
  const std::string data = little_endian(0xC0403F803F800000, 8) + little_endian(0x7F800001, 4) +
                           little_endian(0x000180003E00, 6) + little_endian({-7.25F});
  const Safetensors read = load_safetensors(safetensors_file(header, data));
  check_same(read.tensors, {{"brain", tensor_of({2, 1, 3}, {0, 1, 1, -3, 0x1p-133F, infinity})},
                            {"half", tensor_of({3}, {1.5F, -0.0F, 0x1p-24F})},
                            {"nothing", tensor_of({9, 0}, {})},
                            {"b/\"\\\b\f\n\r\té漢😀", tensor_of({1, 1}, {-7.25F})}});
  CHECK(read.metadata.empty());
}

TEST_CASE("A safetensors file's tensors have as many axes as they like, and large ones if empty") {
  std::string many = "1";
  for (int i = 1; i < 300; ++i) {
    many += ",1";
  }
  const auto read = load_safetensors(safetensors_file(
      R"({"many":{"dtype":"F32","shape":[)" + many + R"(],"data_offsets":[0,4]},)" +
          R"("large":{"dtype":"F32","shape":[0,9007199254740992,255],"data_offsets":[0,0]}})",
      little_endian({3.0F})));
  CHECK(shape_of(read.tensors.at("many")) == Shape(300, 1));
  CHECK(*read.tensors.at("many").data() == 3);
  CHECK(shape_of(read.tensors.at("large")) == Shape{0, 9007199254740992, 255});
}

template <typename Number>
xt::xarray<Number> integers_of(const Shape& shape, const std::vector<Number>& numbers) {
  auto tensor = xt::xarray<Number>::from_shape(shape);
  REQUIRE(tensor.size() == numbers.size());
  std::copy(numbers.begin(), numbers.end(), tensor.data());
  return tensor;
}

/// Of each type the smallest, the largest, and 1.
template <typename... Number>
std::vector<IntegerTensor> extremes(std::variant<xt::xarray<Number>...> /*all*/) {
  return {integers_of<Number>({3, 1}, {std::numeric_limits<Number>::min(),
                                       std::numeric_limits<Number>::max(), Number{1}})...};
}

TEST_CASE("Integers and booleans go through a safetensors file unchanged") {
  IntegerTensors all = {{"scalar", integers_of<std::uint16_t>({}, {1})},
                        {"none", integers_of<bool>({2, 0, 7}, {})}};
  for (const IntegerTensor& tensor : extremes(IntegerTensor())) {
    all.emplace(std::to_string(tensor.index()), tensor);
  }
  const StateDict floats = {{"a", tensor_of({2, 4}, special_numbers)}, {"b", tensor_of({0}, {})}};
  const Texts metadata = {{"format", "pt"}};
  const File bytes = save_safetensors(floats, metadata, all);
  const Safetensors file = load_safetensors(bytes);
  check_same(file.tensors, floats);
  CHECK(file.integers == all);
  CHECK(file.metadata == metadata);
  CHECK(file.unread.empty());
  CHECK(save_safetensors(file.tensors, file.metadata, file.integers) == bytes);
}

/// A file of one tensor, `a`.
File file_of_one(const std::string& dtype, const std::string& shape, const std::string& data) {
  return safetensors_file(R"({"a":{"dtype":")" + dtype + R"(","shape":[)" + shape +
                              R"(],"data_offsets":[0,)" + std::to_string(data.size()) + "]}}",
                          data);
}

TEST_CASE("A safetensors file's integers are those of its bytes, where nothing is aligned") {
  const auto read = [](const std::string& dtype, const std::string& data) {
    return load_safetensors(file_of_one(dtype, "2", data)).integers.at("a");
  };
  const std::string two_64 = little_endian(0xFEDCBA9876543210, 8) + little_endian(3, 8);
  const std::string two_32 = little_endian(0xFEDCBA98, 4) + little_endian(3, 4);
  const std::string two_16 = little_endian(0xFEDC, 2) + little_endian(3, 2);
  const std::string two_8 = "\xFE\x03";
  CHECK(read("I64", two_64) ==
        IntegerTensor(integers_of<std::int64_t>({2}, {-0x0123456789ABCDF0, 3})));
  CHECK(read("U64", two_64) ==
        IntegerTensor(integers_of<std::uint64_t>({2}, {0xFEDCBA9876543210, 3})));
  CHECK(read("I32", two_32) == IntegerTensor(integers_of<std::int32_t>({2}, {-0x01234568, 3})));
  CHECK(read("U32", two_32) == IntegerTensor(integers_of<std::uint32_t>({2}, {0xFEDCBA98, 3})));
  CHECK(read("I16", two_16) == IntegerTensor(integers_of<std::int16_t>({2}, {-0x0124, 3})));
  CHECK(read("U16", two_16) == IntegerTensor(integers_of<std::uint16_t>({2}, {0xFEDC, 3})));
  CHECK(read("I8", two_8) == IntegerTensor(integers_of<std::int8_t>({2}, {-2, 3})));
  CHECK(read("U8", two_8) == IntegerTensor(integers_of<std::uint8_t>({2}, {0xFE, 3})));
  // A boolean is true whatever byte says so.
  CHECK(read("BOOL", two_8) == IntegerTensor(integers_of<bool>({2}, {true, true})));
  CHECK(read("BOOL", std::string("\0\x01", 2)) ==
        IntegerTensor(integers_of<bool>({2}, {false, true})));
}

TEST_CASE("F64 of a safetensors file is rounded, small floats are exact") {
  const std::string doubles = little_endian(std::bit_cast<std::uint64_t>(0.1), 8) +
                              little_endian(std::bit_cast<std::uint64_t>(-1e300), 8);
  const auto read = [](const std::string& dtype, const std::string& shape,
                       const std::string& data) {
    return load_safetensors(file_of_one(dtype, shape, data)).tensors.at("a");
  };
  CHECK(same_bits(read("F64", "2,1", doubles), tensor_of({2, 1}, {0.1F, -infinity})));
  for (const auto& [dtype, numbers] :
       {std::pair("F8_E5M2", std::vector{1.0F, -infinity, 0x1p-16F}),
        std::pair("F8_E4M3", std::vector{0x1.8p0F, -384.0F, 0x1p-9F}),
        std::pair("F8_E5M2FNUZ", std::vector{0.5F, -32768.0F, 0x1p-17F}),
        std::pair("F8_E4M3FNUZ", std::vector{0x1.8p-1F, -192.0F, 0x1p-10F}),
        std::pair("F8_E8M0", std::vector{0x1p-67F, 0x1p125F, 0x1p-126F})}) {
    CAPTURE(dtype);
    CHECK(same_bits(read(dtype, "3", "\x3C\xFC\x01"), tensor_of({3}, numbers)));
  }
}

TEST_CASE(
    "A safetensors file of several dtypes has larger numbers first, so that all are aligned") {
  const IntegerTensors integers = {{"mask", integers_of<bool>({1, 3}, {true, false, true})},
                                   {"ids", integers_of<std::int64_t>({}, {-2})},
                                   {"a", integers_of<std::uint32_t>({1}, {7})}};
  std::string header = R"({"ids":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                       R"("a":{"dtype":"U32","shape":[1],"data_offsets":[8,12]},)"
                       R"("b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]},)"
                       R"("mask":{"dtype":"BOOL","shape":[1,3],"data_offsets":[16,19]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  CHECK(
      text_of(save_safetensors({{"b", tensor_of({1}, {0.5F})}}, {}, integers)) ==
      text_of(safetensors_file(header, little_endian(~std::uint64_t{1}, 8) + little_endian(7, 4) +
                                           little_endian({0.5F}) + std::string("\x01\0\x01", 3))));
}

TEST_CASE("Tensors of a safetensors file that are not read are named, and the others are there") {
  const std::string header = R"({"fine":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
                             R"("quarter":{"dtype":"F4","shape":[2,3],"data_offsets":[4,7]},)"
                             R"("six":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[7,10]},)"
                             R"("other":{"dtype":"F6_E3M2","shape":[0,3],"data_offsets":[10,10]},)"
                             R"("complex":{"dtype":"C64","shape":[],"data_offsets":[10,18]},)"
                             R"("last":{"dtype":"U8","shape":[1],"data_offsets":[18,19]}})";
  const Safetensors file = load_safetensors(safetensors_file(header, std::string(19, '\0')));
  check_same(file.tensors, {{"fine", tensor_of({2}, {0, 0})}});
  CHECK(file.integers == IntegerTensors{{"last", integers_of<std::uint8_t>({1}, {0})}});
  CHECK(file.unread ==
        Texts{{"quarter", "F4"}, {"six", "F6_E2M3"}, {"other", "F6_E3M2"}, {"complex", "C64"}});
}

TEST_CASE("What a safetensors file cannot say is not saved") {
  const StateDict one = {{"a", tensor_of({}, {1})}};
  const std::string expected =
      "invalid-value; tensors: expected names and metadata in UTF-8, got other bytes";
  const std::vector<std::string> other_bytes = {"\x80",
                                                "\xFF",
                                                "a\xC3",
                                                "\xC3(",
                                                "\xC0\x80",
                                                "\xC1\xBF",
                                                "\xE0\x9F\xBF",
                                                "\xED\xA0\x80",
                                                "\xED\xBF\xBF",
                                                "\xE2\x82",
                                                "\xE2(\x82",
                                                "\xF0\x8F\xBF\xBF",
                                                "\xF4\x90\x80\x80",
                                                "\xF5\x80\x80\x80",
                                                "\xF0\x9F\x98",
                                                "\xF0\x9F\x98("};
  for (const std::string& bytes : other_bytes) {
    CAPTURE(bytes);
    CHECK(error_of([&] { return save_safetensors({{bytes, one.at("a")}}); }) == expected);
    CHECK(error_of([&] { return save_safetensors(one, {{bytes, "a"}}); }) == expected);
    CHECK(error_of([&] { return save_safetensors(one, {{"a", bytes}}); }) == expected);
  }
  CHECK(error_of([&] { return save_safetensors({{"__metadata__", one.at("a")}}); }) ==
        "invalid-value; tensors: expected names other than that of the metadata, got "
        "'__metadata__'");
  const IntegerTensors integers = {{"a", integers_of<bool>({}, {true})}};
  CHECK(error_of([&] { return save_safetensors(one, {}, integers); }) ==
        "invalid-value; tensors: expected every name once, got 'a' twice");
  CHECK(error_of([&] {
          return save_safetensors({}, {}, {{"__metadata__", integers.at("a")}});
        }).starts_with("invalid-value; tensors: expected names other than that of the metadata"));
  CHECK(error_of([&] { return save_safetensors({}, {}, {{"\x80", integers.at("a")}}); }) ==
        expected);
}

TEST_CASE("Characters at the edges of UTF-8's lengths are names like any other") {
  StateDict tensors;
  for (const char* name : {"\u007F", "\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFF",
                           "\U00010000", "\U000FFFFF", "\U00100000", "\U0010FFFF"}) {
    tensors.emplace(name, tensor_of({}, {1}));
  }
  check_same(load_safetensors(save_safetensors(tensors)).tensors, tensors);
  const auto escaped = load_safetensors(
      safetensors_file(R"({"__metadata__":{"\u007F\u0080\u00AA\u07FF\u0800\uD7FF\uE000\uFFFF":)"
                       R"("\uD800\uDC00\uDBFF\uDFFF"}})"));
  CHECK(escaped.metadata ==
        Texts{{"\u007F\u0080\u00AA\u07FF\u0800\uD7FF\uE000\uFFFF", "\U00010000\U0010FFFF"}});
}

}  // namespace
}  // namespace headwise::test
