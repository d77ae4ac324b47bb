#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "configuration.hpp"
#include "files.hpp"

// Safetensors and .npy files that break their format's rules.
namespace headwise::test {
namespace {

using namespace std::string_literals;

#if defined(HEADWISE_SANITIZE)
constexpr std::size_t num_mutations = 2'000;  // sanitizers take their time
#else
constexpr std::size_t num_mutations = 20'000;
#endif

std::string safetensors_error(const File& file) {
  return error_of([&] { return load_safetensors(file); });
}

std::string npy_error(const File& file) {
  return error_of([&] { return load_npy(file); });
}

/// `invalid-file; bytes: expected …, got …`
std::string invalid(const std::string& expected, const std::string& got) {
  return "invalid-file; bytes: expected " + expected + ", got " + got;
}

/// A header that breaks the format's rules, and what is said of it.
struct Malformed {
  std::string header, expected, got;
  std::size_t num_data = 4;  ///< bytes behind the header
};

void check_safetensors(const std::vector<Malformed>& headers) {
  for (const auto& [header, expected, got, num_data] : headers) {
    CAPTURE(header.substr(0, 200));
    CHECK(safetensors_error(safetensors_file(header, std::string(num_data, '\0'))) ==
          invalid(expected, got));
  }
}

void check_npy(const std::vector<Malformed>& headers) {
  for (const auto& [header, expected, got, num_data] : headers) {
    CAPTURE(header.substr(0, 200));
    CHECK(npy_error(npy_file(header, std::string(num_data, '\0'))) == invalid(expected, got));
  }
}

/// What stands where a header should go on otherwise.
Malformed syntax(const std::string& header, const std::string& expected, std::size_t place,
                 const std::string& got, const std::string& format = "safetensors") {
  return {header, "a " + format + " header with " + expected + " at byte " + std::to_string(place),
          got};
}

Malformed npy_syntax(const std::string& header, const std::string& expected, std::size_t place,
                     const std::string& got) {
  return syntax(header, expected, place, got, ".npy");
}

std::string at_most(const std::string& format, std::size_t bytes, std::uint64_t length) {
  return invalid("a " + format + " header of at most " + std::to_string(bytes) + " bytes",
                 std::to_string(length));
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

const std::string integer = "an integer from 0 to 2^53";
const std::string p53 = "9007199254740992";
const std::string p32 = "4294967296";

TEST_CASE("A safetensors file cut short anywhere, or with a length that lies, is refused") {
  const std::string header = tensor("3", "0,12");
  const std::string whole = text_of(safetensors_file(header, little_endian({1, 2, 3})));
  REQUIRE(load_safetensors(file_of(whole)).tensors.at("a")(2) == 3);
  const std::size_t data = 8 + header.size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(safetensors_error(file_of(whole.substr(0, size))) ==
          (size < 8 ? invalid("a safetensors file of at least 8 bytes", std::to_string(size))
           : size < data
               ? at_most("safetensors", size - 8, header.size())
               : invalid("tensor 'a' to lie within " + std::to_string(size - data) + " bytes",
                         "0 to 12")));
  }
  const auto error_of_length = [&](std::uint64_t length) {
    return safetensors_error(file_of(little_endian(length, 8) + header + std::string(12, ' ')));
  };
  for (const std::uint64_t length :
       {std::uint64_t{header.size() + 13}, (std::uint64_t{1} << 32U) + header.size(),
        std::uint64_t{1} << 63U, ~std::uint64_t{0} - 7, ~std::uint64_t{0}}) {
    CHECK(error_of_length(length) == at_most("safetensors", header.size() + 12, length));
  }
  CHECK(error_of_length(header.size() + 12) ==
        invalid("tensor 'a' to lie within 0 bytes", "0 to 12"));
  CHECK(error_of_length(0) == invalid("a safetensors header with { at byte 0", "its end"));
  const std::size_t largest = 100'000'000;
  File file = file_of(little_endian(largest, 8) + '[');
  file.resize(8 + largest + 1, std::byte{' '});
  CHECK(safetensors_error(file) == invalid("a safetensors header with { at byte 0", "["));
  file[0] |= std::byte{1};
  CHECK(safetensors_error(file) == at_most("safetensors", largest, largest + 1));
}

TEST_CASE("Another kind of file is called by its name") {
  const std::string by_torch_or_numpy =
      "a file of torch.save or numpy.savez: convert it by safetensors' save_file";
  const std::string web_page =
      "a web page: fetch the file itself, with the login that the page may ask for";
  const std::vector<std::pair<std::string, std::string>> files = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
       "a Git LFS pointer: fetch the file itself by git lfs pull"},
      {"<!DOCTYPE html><html><body>Unauthorized</body></html>", web_page},
      {"\n  <html lang=\"en\">", web_page},
      {"PK\x03\x04\x14\0\0\0\x08\0"s, by_torch_or_numpy},
      {"\x80\x02\x8a\x0al\xfc\x9c"
       "F\xf9 j\xa8",
       by_torch_or_numpy},
      {"\x80\x04\x95\x10\0\0\0\0\0\0\0"s, by_torch_or_numpy},
      {"GGUF\x03\0\0\0\x10\0\0\0"s, "a GGUF file: read it with loadGguf (JavaScript)"},
      {"\x89HDF\r\n\x1a\n\0\0\0\0"s, "an HDF5 file, as Keras writes it"},
      {"\x1f\x8b\x08\0\0\0\0\0\0\x03"s, "a gzip file: unpack it first"},
      {"Entry not found", "text that begins with 'Entry no'"},
      {"{\"metadata\": {}, \"weight_map\": {}}", "text that begins with '{\"metada'"}};
  for (const auto& [bytes, what] : files) {
    CAPTURE(what);
    CHECK(safetensors_error(file_of(bytes)) == invalid("a safetensors file", what));
    CHECK(npy_error(file_of(bytes)) == invalid("a .npy file", what));
  }
  CHECK(safetensors_error(save_npy(xt::zeros<float>({2}))) ==
        invalid("a safetensors file", "a .npy file"));
}

TEST_CASE("A safetensors header of other text than JSON's objects is refused") {
  const std::string good = tensor("1", "0,4");
  const std::string utf_8 = "a safetensors header in UTF-8";
  const std::string no_pair = "a pair of surrogates";
  const std::string no_digits = "four hexadecimal digits";
  const std::string twice = "every name once in a safetensors header";
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += R"({"a":)";
  }
  check_safetensors(
      {{"{\"\xFF\":{}}", utf_8, "other bytes"},
       {"{\"\xC3\":{}}", utf_8, "other bytes"},
       syntax("\uFEFF" + good, "{", 0, "?"),
       syntax(" " + good, "{", 0, " "),
       syntax(good + good, "nothing behind its object", good.size(), "{"),
       syntax(good + '\0', "nothing behind its object", good.size(), "?"),
       syntax("{", "a string", 1, "its end"),
       syntax("{,}", "a string", 1, ","),
       syntax(R"({"__metadata__":{},})", "a string", 19, "}"),
       syntax(R"({"__metadata__":{}"b":{}})", ",", 18, "\""),
       syntax(R"({"a"{}})", ":", 4, "{"),
       syntax(R"({"abc)", "more", 5, "its end"),
       syntax(R"({"a":1})", "{", 5, "1"),
       syntax("{\"\x1F\":{}}", "control characters escaped", 3, "\""),
       syntax(R"({"\a":{}})", "one of JSON's escapes", 4, "\""),
       syntax(R"({"\)", "more", 3, "its end"),
       syntax(R"({"\u006":{}})", no_digits, 8, ":"),
       syntax(R"({"\u00g0":{}})", no_digits, 7, "0"),
       syntax(R"({"\u-061":{}})", no_digits, 5, "0"),
       syntax(R"({"\ud83d":{}})", no_pair, 8, "\""),
       syntax(R"({"\ude00":{}})", no_pair, 8, "\""),
       syntax(R"({"\ud83d\ue000":{}})", no_pair, 14, "\""),
       syntax(R"({"\ude00\ud83d":{}})", no_pair, 8, "\\"),
       syntax(R"({"__metadata__":{"a":1}})", "a string", 21, "1"),
       syntax(R"({"__metadata__":[]})", "{", 16, "["),
       // No nesting exhausts the stack.
       syntax(std::string(1'000'000, '['), "{", 0, "["),
       syntax(R"({"a":{"shape":)" + std::string(1'000'000, '['), integer, 15, "["),
       {objects, "tensor 'a' with dtype, shape and data_offsets, each once", "a"},
       {'{' + member("a", "0", "0,0") + ',' + member(R"(\u0061)", "0", "0,0") + '}', twice,
        "'a' twice", 0},
       {R"({"__metadata__":{"a":"b"},"\u005f_metadata__":{}})", twice, "'__metadata__' twice", 0},
       {R"({"__metadata__":{"x":"1","y":"2","\u0078":"1"}})", twice, "'x' twice", 0}});
  // A character does not go on behind the header.
  CHECK(safetensors_error(safetensors_file("{}\xC3", "\xA9")) == invalid(utf_8, "other bytes"));
}

TEST_CASE("Tensors of a safetensors file have three fields, each once, of the format's dtypes") {
  const std::pair<std::string, std::string> fields[] = {
      {"dtype", R"("dtype":"F32")"},
      {"shape", R"("shape":[1])"},
      {"data_offsets", R"("data_offsets":[0,4])"}};
  const auto with = [](const std::string& members) { return R"({"a":{)" + members + "}}"; };
  const std::string all = "tensor 'a' with dtype, shape and data_offsets";
  const std::string other = "tensor 'a' of one of the format's dtypes";
  std::vector<Malformed> headers = {
      {with(fields[0].second + R"(,"stride":[1])"), all + ", each once", "stride"},
      syntax(R"({"a":{"dtype":32}})", "a string", 14, "3"),
      // Long texts are cut in messages, others than ASCII hidden.
      {tensor("1", "0,4", std::string(500, 'y')), other, std::string(80, 'y')},
      {'{' + member(R"(é\n)", "1", "0") + '}', "tensor '\?\?\?' with two data_offsets", "1"}};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string& next = fields[(i + 1) % 3].second;
    headers.push_back(
        {with(fields[i].second + ',' + fields[i].second), all + ", each once", fields[i].first});
    headers.push_back({with(next + ',' + fields[(i + 2) % 3].second), all, "not all of them"});
  }
  for (const char* name : {"f32", "F3", "F322", "F8_E4M3FN", "BOOL ", ""}) {
    headers.push_back({tensor("1", "0,4", name), other, name});
  }
  check_safetensors(headers);
}

TEST_CASE("Tensors of a safetensors file lie side by side, in the bytes that their shapes take") {
  std::vector<Malformed> headers = {
      syntax(tensor("1,", "0,4"), integer, 31, "]"), syntax(R"({"a":{"shape":1}})", "[", 14, "1"),
      syntax(tensor("1", "-4,0"), integer, 48, "-"), syntax(tensor("1", "0.0,4"), ",", 49, "."),
      syntax(tensor("1", "0,9007199254740993"), integer, 50, "9")};
  for (const std::string& number : {std::string("-1"), std::string("01"), std::string("\"1\""),
                                    std::string("true"), std::string("9007199254740993"),
                                    std::string("18446744073709551617"), std::string(1000, '1')}) {
    headers.push_back(syntax(tensor(number, "0,4"), integer, 29, number.substr(0, 1)));
  }
  for (const std::string number : {"1.0", "1e0", "0x1"}) {
    headers.push_back(syntax(tensor(number, "0,4"), ",", 30, number.substr(1, 1)));
  }
  check_safetensors(headers);
  const std::string within = "tensor 'a' to lie within 4 bytes";
  const std::string two_offsets = "tensor 'a' with two data_offsets";
  const std::string fits = "tensor 'a' in as many bytes as its shape takes";
  const std::string a = "tensor 'a' to begin where the one before it ends";
  const std::string b = "tensor 'b' to begin where the one before it ends";
  const auto two = [](const std::string& first, const std::string& second) {
    return '{' + member("a", "1", first) + ',' + member("b", "1", second) + '}';
  };
  check_safetensors(
      {{tensor("2", "0,8"), within, "0 to 8"},
       {tensor("1", "4,8"), within, "4 to 8"},
       {tensor("1", p53 + ',' + p53), within, p53 + " to " + p53},
       {tensor("0", "5,5"), within, "5 to 5"},
       {tensor("1", "4,0"), within, "4 to 0"},
       {tensor("1", ""), two_offsets, "0"},
       {tensor("1", "0,0,4"), two_offsets, "3"},
       {tensor("1", "0,4", "F16"), fits, "4"},
       {tensor("1", "0,3"), fits, "3"},
       {tensor("9", "0,4", "F4"), fits, "4"},
       {tensor("7", "0,4", "F4"), fits, "4"},
       {tensor("5", "0,4", "F6_E2M3"), fits, "4"},
       {tensor("6", "0,4", "F6_E3M2"), fits, "4"},
       {tensor("0", "0,4"), fits, "4"},
       {tensor("", "0,0"), fits, "0"},
       {tensor(p53 + ',' + p53, "0,4"), fits, "4"},
       // 4 · 2^62 is 0 modulo 2^64, 4 · (2^62 + 1) is 4.
       {tensor(p32 + ",1073741824", "0,0"), fits, "0"},
       {tensor(p32 + ",1073741824", "0,0", "F4"), fits, "0"},
       {tensor("5,5581,8681,49477,384773", "0,4"), fits, "4"},
       // 2^63 bytes beside an axis of 0, and 2^128.
       {tensor("0,256," + p53, "0,0"), fits, "0"},
       {tensor(p32 + ',' + p32 + ',' + p32 + ',' + p32, "0,0"), fits, "0"},
       {two("0,4", "0,4"), b, "0"},
       {two("0,4", "2,6"), b, "2", 6},
       {two("2,6", "0,4"), a, "2", 6},
       {two("4,8", "8,12"), a, "4", 12},
       {two("0,4", "5,9"), b, "5", 9},
       {two("0,4", "4,8"), "8 bytes of tensors", "9", 9},
       {"{}", "0 bytes of tensors", "1", 1},
       {'{' + member("a", "1", "0,4") + ',' + member("b", "0", "2,2") + '}', b, "2"}});
  CHECK(safetensors_error(safetensors_file(two("4,8", "0,4"), "12345678")) == "no error");
  CHECK(safetensors_error(safetensors_file('{' + member("a", "1", "0,4") + ',' +
                                               member("b", "0", "4,4") + ',' +
                                               member("c", "0", "0,0") + '}',
                                           "1234")) == "no error");
}

std::string shaped(const std::string& shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
}

TEST_CASE("A .npy file cut short anywhere, of another version or a length that lies is refused") {
  const std::string header = shaped("(3,)");
  const std::string too_few = "a .npy file with as many bytes of numbers as its shape takes";
  for (const unsigned version : {1, 2}) {
    const std::size_t before = version == 1 ? 10 : 12;
    const std::string whole = "\x93NUMPY" + little_endian(version, 2) +
                              little_endian(header.size(), before - 8) + header +
                              little_endian({1, 2, 3});
    REQUIRE(load_npy(file_of(whole))(2) == 3);
    const std::size_t data = before + header.size();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(version, size);
      CHECK(npy_error(file_of(whole.substr(0, size))) ==
            (size < 6      ? invalid("a .npy file", "other bytes")
             : size < 12   ? invalid("a .npy file of at least 12 bytes", std::to_string(size))
             : size < data ? at_most(".npy", size - before, header.size())
                           : invalid(too_few, std::to_string(size - data))));
    }
    CHECK(npy_error(file_of(whole + '\0')) == invalid(too_few, "13"));
  }
  const std::size_t size = header.size();
  const auto with = [&](const std::string& magic, unsigned version, std::uint64_t length,
                        std::size_t padding = 0) {
    return npy_error(file_of(magic + little_endian(version, 2) +
                             little_endian(length, version == 1 ? 2 : 4) + header +
                             std::string(padding, ' ') + std::string(12, '1')));
  };
  const std::string numpy = "\x93NUMPY";
  CHECK(with("\x93NUMPZ", 1, size) == invalid("a .npy file", "other bytes"));
  CHECK(with("\x92NUMPY", 1, size) == invalid("a .npy file", "other bytes"));
  for (const unsigned version : {0U, 4U, 255U}) {
    CHECK(with(numpy, version, size) ==
          invalid("a .npy file of version 1, 2 or 3", std::to_string(version)));
  }
  CHECK(with(numpy, 1, size + 13) == at_most(".npy", size + 12, size + 13));
  CHECK(with(numpy, 2, 0xFFFFFFFF) == at_most(".npy", size + 12, 0xFFFFFFFF));
  CHECK(with(numpy, 3, 0x80000000) == at_most(".npy", size + 12, 0x80000000));
  CHECK(with(numpy, 1, 0) == invalid("a .npy header with { at byte 0", "its end"));
  const std::size_t largest = 65'536 - 12;
  CHECK(with(numpy, 2, largest, largest - size) == "no error");
  CHECK(with(numpy, 2, largest + 1, largest + 1 - size) == at_most(".npy", largest, largest + 1));
}

TEST_CASE("A .npy header of other text than NumPy's is refused") {
  const std::string descr = "'descr': '<f4', ";
  const std::string order = "'fortran_order': False, ";
  const std::string shape = "'shape': (1,), ";
  const std::string three_keys = "a .npy header of descr, fortran_order and shape, each once";
  check_npy({{'{' + order + shape + '}', three_keys, "others"},
             {'{' + descr + shape + '}', three_keys, "others"},
             {'{' + descr + order + '}', three_keys, "others"},
             {'{' + descr + order + shape + descr + '}', three_keys, "descr"},
             {'{' + order + order + '}', three_keys, "fortran_order"},
             {'{' + shape + "\"shape\": (1,)}", three_keys, "shape"},
             {'{' + descr + "'dtype': '<f4'}", three_keys, "dtype"},
             {shaped("(1,)") + " x", three_keys, "others"},
             npy_syntax("   \n", "{", 4, "its end"),
             npy_syntax("{", "a string", 1, "its end"),
             npy_syntax("{,}", "a string", 1, ","),
             npy_syntax("{'shape': (1,),,}", "a string", 15, ","),
             npy_syntax("{'shape': (1,) 'descr': '<f4'}", "}", 15, "'"),
             npy_syntax("{'shape' (1,)}", ":", 9, "("),
             npy_syntax("{'shape\": (1,)}", "more", 15, "its end"),
             npy_syntax("{\v'descr': '<f4'}", "a string", 1, "?"),
             npy_syntax("{'fortran_order': 1}", "False", 18, "1"),
             npy_syntax("{'fortran_order': Truest}", "}", 22, "s"),
             npy_syntax("{'shape': " + std::string(60'000, '('), integer, 11, "(")});
  const std::string bytes = "a .npy file with as many bytes of numbers as its shape takes";
  std::string many = "(";
  for (int i = 0; i < 65; ++i) {
    many += "1,";
  }
  check_npy({npy_syntax(shaped("1"), "(", 50, "1"),
             npy_syntax(shaped("(1,"), integer, 53, "}"),
             npy_syntax(shaped("(,)"), integer, 51, ","),
             npy_syntax(shaped("(1 1)"), ")", 53, "1"),
             npy_syntax(shaped("(-1,)"), integer, 51, "-"),
             npy_syntax(shaped("(1.0,)"), ")", 52, "."),
             npy_syntax(shaped("(01,)"), integer, 51, "0"),
             npy_syntax(shaped("(9007199254740993,)"), integer, 51, "9"),
             {shaped(many + ')'), "a .npy file of at most 64 axes that memory can hold", "1"},
             {shaped("(2,)"), bytes, "4"},
             {shaped("(0,)"), bytes, "4"},
             {shaped("()"), bytes, "0", 0},
             {shaped('(' + p53 + ',' + p53 + ')'), bytes, "4"},
             // 2^64 bytes and four more, 2^63 beside an axis of 0, and 2^128.
             {shaped("(4294967296, 1073741824)"), bytes, "0", 0},
             {shaped("(5,5581,8681,49477,384773)"), bytes, "4"},
             {shaped("(0, 256, " + p53 + ')'), bytes, "0", 0},
             {shaped("(4294967296,4294967296,4294967296,4294967296)"), bytes, "0", 0}});
  const auto described = [](const std::string& text) {
    return "{'descr': " + text + ", 'fortran_order': False, 'shape': (1,)}";
  };
  const std::string expected = "a .npy file of floats, integers or booleans";
  std::vector<Malformed> headers = {
      {described("[('x', '<f4')]"), expected, "a structured type"},
      npy_syntax(described("('<f4', (2,))"), "a string", 10, "("),
      {described('\'' + std::string(500, 'x') + '\''), expected, std::string(80, 'x')},
      {described("'\xC3\xA9\n'"), expected, "\?\?\?"}};
  for (const std::string name : {"<f1", "<f3", "<f16", "<c8", "|S4", "<U1", "|O8", "<M8[ns]", "|b2",
                                 "f5", "!f4", "<float32", "<f4 ", " <f4", "<i3", "<u0", ""}) {
    headers.push_back({described('\'' + name + '\''), expected, name});
  }
  check_npy(headers);
}

/// The file with up to four bytes changed, put in or taken out; mostly where the header is, mostly
/// for bytes that mean something in one.
File mutated(File file, Random& random) {
  constexpr std::string_view meaningful = "{}[]():,.'\"\\ \n0123456789eEu-<>|=bifFTrue";
  const auto byte = [&] {
    return random.chance(0.7) ? static_cast<std::byte>(meaningful[random.below(meaningful.size())])
                              : static_cast<std::byte>(random.below(256));
  };
  for (std::size_t left = 1 + random.below(1 + random.below(4)); left > 0; --left) {
    const std::size_t size = random.chance(0.1) ? file.size() : file.size() * 3 / 4;
    const auto place = file.begin() + static_cast<std::ptrdiff_t>(random.below(size));
    if (random.chance(0.3)) {
      file.insert(place, byte());
    } else if (random.chance(0.3)) {
      file.erase(place);
    } else {
      *place = random.chance(0.5) ? *place ^ static_cast<std::byte>(1U << random.below(8)) : byte();
    }
  }
  return {file.begin(), file.end()};
}

TEST_CASE("A file with random bytes changed loads or is refused") {
  const StateDict tensors = {{"W_q.weight", randn<2>({2, 3}, 1)},
                             {"\"\u00e9\n", randn<1>({1}, 2)},
                             {"empty", randn<2>({0, 7}, 3)}};
  const std::pair<File, std::string (*)(const File&)> files[] = {
      {save_safetensors(
           tensors, {{"format", "pt"}, {"a\\b", "\x01"}},
           {{"ids", xt::xarray<std::int64_t>{1, 2}}, {"mask", xt::xarray<bool>{true}}}),
       safetensors_error},
      {npy_file(shaped("(2, 3)"), little_endian({1, 2, 3, 4, 5, 6})), npy_error},
      // Empty shapes are those whose sizes nothing bounds.
      {npy_file("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 9, 0)}"), npy_error}};
  Random random(1);
  for (const auto& [file, read] : files) {
    std::size_t refused = 0;
    for (std::size_t i = 0; i < num_mutations; ++i) {
      const File mutation = mutated(file, random);
      const std::string error = read(mutation);
      if (error != "no error") {
        ++refused;
        CAPTURE(i, text_of(mutation));
        REQUIRE(error.starts_with("invalid-file; "));
      }
    }
    CHECK(refused > 1'000);
    CHECK(num_mutations - refused > 10);
  }
}

}  // namespace
}  // namespace headwise::test
