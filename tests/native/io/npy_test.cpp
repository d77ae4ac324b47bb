#include <bit>
#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "files.hpp"

// What goes into a .npy file and comes out. NumPy itself reads and writes those of JavaScript's
// tests, of every type, order and version.
namespace headwise::test {
namespace {

using Shape = std::vector<std::size_t>;
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
