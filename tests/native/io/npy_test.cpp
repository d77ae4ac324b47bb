#include <bit>
#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "files.hpp"

namespace headwise::test {
namespace {

using Shape = std::vector<std::size_t>;

Shape shape_of(const xt::xarray<float>& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

void check_tensor(const xt::xarray<float>& tensor, const Shape& shape,
                  const std::vector<float>& numbers) {
  CHECK(shape_of(tensor) == shape);
  CHECK(same_bits(tensor, numbers));
}

std::string dictionary_of(const std::string& descr, const std::string& shape,
                          const std::string& fortran_order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

/// A .npy file of any version.
File file_of_version(char major, char minor, const std::string& dictionary,
                     const std::string& data) {
  return file_of(std::string("\x93NUMPY") + major + minor +
                 little_endian(dictionary.size(), major == 1 ? 2 : 4) + dictionary + data);
}

TEST_CASE("A tensor goes through a .npy file unchanged") {
  const std::vector<Shape> shapes = {
      {}, {0}, {1}, {5}, {2, 3}, {3, 0}, {0, 0}, {1, 1, 1}, {2, 3, 4}, {4, 1, 2, 3}, Shape(64, 1)};
  for (const Shape& shape : shapes) {
    CAPTURE(shape);
    auto tensor = xt::xarray<float>::from_shape(shape);
    fill_normal(tensor.data(), tensor.size(), 1);
    const xt::xarray<float> read = load_npy(save_npy(tensor));
    CHECK(shape_of(read) == shape);
    CHECK(same_bits(read, tensor));
  }
  const xt::xarray<float> special = {nan,
                                     -nan,
                                     std::bit_cast<float>(0x7F800001U),
                                     infinity,
                                     -0.0F,
                                     std::bit_cast<float>(0xFFABCDEFU),
                                     -infinity,
                                     std::bit_cast<float>(1U)};
  CHECK(same_bits(load_npy(save_npy(special)), special));
}

TEST_CASE("A .npy file has the bytes that NumPy's documentation says") {
  const auto expected = [](const std::string& shape, const std::vector<float>& numbers) {
    std::string header = dictionary_of("<f4", shape);
    header.resize(128 - 10 - 1, ' ');
    return std::string("\x93NUMPY\x01\0\x76\0", 10) + header + '\n' + little_endian(numbers);
  };
  const xt::xarray<float> matrix = {{1, 2, 3}, {4, 5, -6}};
  CHECK(text_of(save_npy(matrix)) == expected("(2,3,)", {1, 2, 3, 4, 5, -6}));
  CHECK(text_of(save_npy(xt::xarray<float>(7.5F))) == expected("()", {7.5F}));
  CHECK(text_of(save_npy(xt::xarray<float>{8.0F})) == expected("(1,)", {8}));
}

TEST_CASE("A .npy header is a multiple of 64 and ends its line") {
  for (std::size_t axes = 0; axes <= 64; ++axes) {
    const std::string file = text_of(save_npy(xt::xarray<float>::from_shape(Shape(axes, 1))));
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(file[i]); };
    const std::size_t size = 10U + byte(8) + 256U * byte(9);
    CAPTURE(axes);
    CHECK(size % 64 == 0);
    CHECK(file.size() == size + sizeof(float));
    CHECK(file[size - 1] == '\n');
  }
  CHECK(error_of([] { return save_npy(xt::xarray<float>::from_shape(Shape(65, 1))); }) ==
        "invalid-shape; tensor: expected at most 64 axes, got 65");
}

TEST_CASE("Numbers of every kind are read from .npy files") {
  struct Kind {
    const char* descr;
    std::string bytes;
    std::vector<float> expected;
  };
  using namespace std::string_literals;
  const std::vector<Kind> kinds = {
      {"<f2", "\x00\x3E\x00\xC0"s, {1.5F, -2}},
      {">f2", "\x3E\x00\xC0\x00"s, {1.5F, -2}},
      {"<f4", "\x00\x00\xC0\x3F\x00\x00\x00\xC0"s, {1.5F, -2}},
      {"=f4", "\x00\x00\xC0\x3F\x00\x00\x00\xC0"s, {1.5F, -2}},
      {">f4", "\x3F\xC0\x00\x00\xC0\x00\x00\x00"s, {1.5F, -2}},
      {"<f8", "\0\0\0\0\0\0\xF8\x3F\0\0\0\0\0\0\x00\xC0"s, {1.5F, -2}},
      {">f8", "\x3F\xF8\0\0\0\0\0\0\xC0\x00\0\0\0\0\0\0"s, {1.5F, -2}},
      {"=f2", "\x00\x3E\x00\xC0"s, {1.5F, -2}},
      {"|i1", "\x7F\x80"s, {127, -128}},
      {"<i2", "\x01\x02\xFE\xFF"s, {513, -2}},
      {">i2", "\x01\x02\xFF\xFE"s, {258, -2}},
      {"<i4", "\x01\x02\0\0\xFE\xFF\xFF\xFF"s, {513, -2}},
      {">i4", "\0\0\x01\x02\xFF\xFF\xFF\xFE"s, {258, -2}},
      {"<i8", "\x01\x02\0\0\0\0\0\0\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s, {513, -2}},
      {">i8", "\0\0\0\0\0\0\x01\x02\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"s, {258, -2}},
      {"|u1", "\x7F\xFF"s, {127, 255}},
      {"<u2", "\x01\x02\xFE\xFF"s, {513, 65'534}},
      {">u4", "\0\0\x01\x02\x80\0\0\0"s, {258, 2'147'483'648}},
      {"<u8", "\x01\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\x80"s, {513, 0x1p63F}},
      {"|b1", "\x00\x01"s, {0, 1}}};
  for (const Kind& kind : kinds) {
    CAPTURE(kind.descr);
    check_tensor(load_npy(npy_file(dictionary_of(kind.descr, "(2,)"), kind.bytes)), {2},
                 kind.expected);
  }
}

TEST_CASE("Versions 1, 2 and 3 of .npy files are read") {
  const std::string data = little_endian({1, 2});
  const std::string dictionary = dictionary_of("<f4", "(2,)");
  for (const char major : {'\1', '\2', '\3'}) {
    CAPTURE(static_cast<int>(major));
    check_tensor(load_npy(file_of_version(major, 0, dictionary, data)), {2}, {1, 2});
    const std::string padded = dictionary + std::string(40'000, ' ') + '\n';
    check_tensor(load_npy(file_of_version(major, 0, padded, data)), {2}, {1, 2});
  }
}

TEST_CASE("A .npy header is Python's, spaces, quotes, commas and order as they may be") {
  const std::string data = little_endian({1, 2, 3, 4, 5, 6});
  const auto check = [&](const std::string& dictionary) {
    CAPTURE(dictionary);
    check_tensor(load_npy(npy_file(dictionary, data)), {2, 3}, {1, 2, 3, 4, 5, 6});
  };
  check("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n");
  check("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}");
  check("{'descr':'<f4','fortran_order':False,'shape':(2,3)}");
  check("{'shape': (2, 3,), 'descr': '<f4', 'fortran_order': False}\n");
  check("{'fortran_order': False, 'shape': ( 2 , 3 , ), 'descr': '<f4' , }");
  check(R"({"descr": "<f4", "fortran_order": False, "shape": (2, 3)})");
  check(R"({"descr": '<f4', 'fortran_order': False, "shape": (2, 3)})");
  check("  {\n'descr' : '<f4' ,\n 'fortran_order' : False ,\n 'shape' : (2,\n3)\n}\n\n");
}

TEST_CASE("Axes of .npy files may be none, or hold no numbers") {
  check_tensor(load_npy(npy_file(dictionary_of("<f4", "( )"), little_endian({7}))), {}, {7});
  check_tensor(load_npy(npy_file(dictionary_of("<f8", "(3, 0)", "True"))), {3, 0}, {});
  const std::string p53 = "9007199254740992";
  for (const char* order : {"False", "True"}) {
    for (const std::string& shape : {'(' + p53 + ", 0, 255)", "(0, 255, " + p53 + ')'}) {
      CHECK(load_npy(npy_file(dictionary_of("<f4", shape, order))).size() == 0);
    }
  }
}

TEST_CASE("Numbers in Fortran's order are put into C's") {
  const auto load = [](const std::string& shape, const std::vector<float>& numbers) {
    return load_npy(npy_file(dictionary_of("<f4", shape, "True"), little_endian(numbers)));
  };
  check_tensor(load("(2, 3)", {1, 4, 2, 5, 3, 6}), {2, 3}, {1, 2, 3, 4, 5, 6});
  check_tensor(load("(2, 1, 2, 2)", {1, 5, 3, 7, 2, 6, 4, 8}), {2, 1, 2, 2},
               {1, 2, 3, 4, 5, 6, 7, 8});
  check_tensor(load("(3,)", {1, 2, 3}), {3}, {1, 2, 3});
  check_tensor(load("()", {1}), {}, {1});
  check_tensor(load_npy(npy_file(dictionary_of(">i2", "(2, 2)", "True"),
                                 std::string("\0\1\0\3\0\2\0\4", 8))),
               {2, 2}, {1, 2, 3, 4});
}

}  // namespace
}  // namespace headwise::test
