#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "configuration.hpp"
#include "files.hpp"
#include "records.hpp"

// Safetensors and .npy files that break their format's rules.
namespace headwise::test {
namespace {

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

const std::string integer = "an integer from 0 to 2^53";

std::string at_most(const std::string& format, std::size_t bytes, std::uint64_t length) {
  return invalid("a " + format + " header of at most " + std::to_string(bytes) + " bytes",
                 std::to_string(length));
}

TEST_CASE("A safetensors file cut short anywhere, or with a length that lies, is refused") {
  const std::string header = R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";
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
  for (const Record& record : read_records("other-files.txt")) {
    const std::string& hexadecimal = record.text("bytes");
    const std::string& what = record.text("message");
    CAPTURE(what);
    File file(hexadecimal.size() / 2);
    for (std::size_t i = 0; i < file.size(); ++i) {
      file[i] = static_cast<std::byte>(std::stoi(hexadecimal.substr(2 * i, 2), nullptr, 16));
    }
    CHECK(safetensors_error(file) == invalid("a safetensors file", what));
    CHECK(npy_error(file) == invalid("a .npy file", what));
  }
  CHECK(safetensors_error(save_npy(xt::zeros<float>({2}))) ==
        invalid("a safetensors file", "a .npy file"));
}

TEST_CASE("A header that breaks the format's rules is refused with the rule") {
  for (const Record& record : read_records("malformed.txt")) {
    const std::string& header = record.text("header");
    CAPTURE(header);
    const std::string data(record.number<std::size_t>("size", 4), '\0');
    CHECK((record.text("format") == "npy" ? npy_error(npy_file(header, data))
                                          : safetensors_error(safetensors_file(header, data))) ==
          "invalid-file; bytes: expected " + record.text("message"));
  }
}

/// A safetensors header that is no line of ASCII, and what is said of its file.
void check_header(const std::string& header, const std::string& expected, const std::string& got) {
  CAPTURE(header.substr(0, 200));
  CHECK(safetensors_error(safetensors_file(header, "1234")) == invalid(expected, got));
}

TEST_CASE("Other bytes, and long or deep texts, are no header of a safetensors file") {
  const std::string good = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::string utf_8 = "a safetensors header in UTF-8";
  const std::string header_with = "a safetensors header with ";
  check_header("{\"\xFF\":{}}", utf_8, "other bytes");
  check_header("{\"\xC3\":{}}", utf_8, "other bytes");
  // A character does not go on behind the header.
  CHECK(safetensors_error(safetensors_file("{}\xC3", "\xA9")) == invalid(utf_8, "other bytes"));
  check_header("\uFEFF" + good, header_with + "{ at byte 0", "?");
  check_header(good + '\0', header_with + "nothing behind its object at byte 54", "?");
  check_header("{\"\x1F\":{}}", header_with + "control characters escaped at byte 3", "\"");
  check_header(R"({"é\n":{"dtype":"F32","shape":[1],"data_offsets":[0]}})",
               "tensor '\?\?\?' with two data_offsets", "1");
  // Long texts are cut in messages.
  check_header(
      R"({"a":{"dtype":")" + std::string(500, 'y') + R"(","shape":[1],"data_offsets":[0,4]}})",
      "tensor 'a' of one of the format's dtypes", std::string(80, 'y'));
  // No nesting exhausts the stack.
  check_header(std::string(1'000'000, '['), header_with + "{ at byte 0", "[");
  check_header(R"({"a":{"shape":)" + std::string(1'000'000, '['),
               header_with + integer + " at byte 15", "[");
  check_header(R"({"a":{"shape":[)" + std::string(1'000, '1'),
               header_with + integer + " at byte 15", "1");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += R"({"a":)";
  }
  check_header(objects, "tensor 'a' with dtype, shape and data_offsets, each once", "a");
}

TEST_CASE("Tensors of a safetensors file may lie in any order, empty ones anywhere between them") {
  const auto error_with = [](const std::string& a, const std::string& b, const std::string& data) {
    return safetensors_error(safetensors_file(
        R"({"a":{"dtype":"F32",)" + a + R"(},"b":{"dtype":"F32",)" + b + "}}", data));
  };
  const std::string first = R"("shape":[1],"data_offsets":[0,4])";
  CHECK(error_with(R"("shape":[1],"data_offsets":[4,8])", first, "12345678") == "no error");
  for (const std::string offsets : {"4,4", "0,0"}) {
    CHECK(error_with(first, R"("shape":[0],"data_offsets":[)" + offsets + "]", "1234") ==
          "no error");
  }
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

TEST_CASE("Other bytes, and long or deep texts, are no header of a .npy file") {
  const auto error_with = [](const std::string& header) {
    return npy_error(npy_file(header, "1234"));
  };
  const auto described = [](const std::string& name) {
    return "{'descr': '" + name + "', 'fortran_order': False, 'shape': (1,)}";
  };
  const std::string kinds = "a .npy file of floats, integers or booleans";
  CHECK(error_with(described(std::string(500, 'x'))) == invalid(kinds, std::string(80, 'x')));
  CHECK(error_with(described("")) == invalid(kinds, ""));
  CHECK(error_with(described("\xC3\xA9\n")) == invalid(kinds, "\?\?\?"));
  CHECK(error_with("   \n") == invalid("a .npy header with { at byte 4", "its end"));
  CHECK(error_with("{\v'descr': '<f4'}") == invalid("a .npy header with a string at byte 1", "?"));
  CHECK(error_with("{'shape': " + std::string(60'000, '(')) ==
        invalid("a .npy header with " + integer + " at byte 11", "("));
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
