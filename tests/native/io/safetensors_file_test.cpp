#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <optional>

#include "compare.hpp"
#include "files.hpp"
#include "temporary_folder.hpp"

/// What of a safetensors file on disk is read when.
namespace headwise::test {
namespace {

using Names = std::vector<std::string>;
using Shape = std::vector<std::size_t>;

void check_same(const StateDict& tensors, const StateDict& expected) {
  REQUIRE(tensors.size() == expected.size());
  for (const auto& [name, tensor] : expected) {
    CAPTURE(name);
    REQUIRE(tensors.contains(name));
    CHECK(tensors.at(name).shape() == tensor.shape());
    CHECK(same_bits(tensors.at(name), tensor));
  }
}

/// `invalid-file; …/file: expected …, got …`
std::string invalid(const std::filesystem::path& path, const std::string& expected,
                    const std::string& got) {
  return "invalid-file; " + path.string() + ": expected " + expected + ", got " + got;
}

std::string error_of_path(const std::filesystem::path& path) {
  return error_of([&] { return SafetensorsFile(path).names().size(); });
}

struct Dtype {
  const char* name;
  std::size_t bits;
};
const std::vector<Dtype> floats = {{"F32", 32},        {"F16", 16},        {"BF16", 16},
                                   {"F64", 64},        {"F8_E5M2", 8},     {"F8_E4M3", 8},
                                   {"F8_E5M2FNUZ", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E8M0", 8}};
const std::vector<Dtype> integers = {{"BOOL", 8}, {"I8", 8},   {"I16", 16},
                                     {"I32", 32}, {"I64", 64}, {"U8", 8},
                                     {"U16", 16}, {"U32", 32}, {"U64", 64}};
const std::vector<Dtype> unread = {{"C64", 64}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4}};

/// A file with a tensor of (2, 4) of each dtype, of that name, the last first in the header.
File file_of_all() {
  std::string members;
  std::string data;
  for (const auto* dtypes : {&floats, &integers, &unread}) {
    for (const auto& [name, bits] : *dtypes) {
      const std::size_t begin = data.size();
      for (std::size_t i = 0; i < bits; ++i) {
        data += static_cast<char>(37 * data.size() + 1);
      }
      members = ",\"" + std::string(name) + R"(":{"dtype":")" + name +
                R"(","shape":[2,4],"data_offsets":[)" + std::to_string(begin) + "," +
                std::to_string(data.size()) + "]}" + members;
    }
  }
  return safetensors_file(R"({"__metadata__":{"format":"pt"})" + members + "}", data);
}

TEST_CASE("A SafetensorsFile gives what load_safetensors gives, of every dtype") {
  const TemporaryFolder folder;
  const File bytes = file_of_all();
  const Safetensors whole = load_safetensors(bytes);
  const SafetensorsFile file(folder.write("a.safetensors", bytes));
  CHECK(file.metadata() == whole.metadata);
  CHECK(file.names().size() == floats.size() + integers.size() + unread.size());
  CHECK(file.names().front() == "F4");
  CHECK(file.names().back() == "F32");
  for (const std::string& name : file.names()) {
    CHECK(file.contains(name));
    CHECK(file.dtype(name) == name);
    CHECK(file.shape(name) == Shape{2, 4});
  }
  REQUIRE(whole.tensors.size() == floats.size());
  check_same(file.tensors(), whole.tensors);
  REQUIRE(whole.integers.size() == integers.size());
  for (const auto& [name, expected] : whole.integers) {
    CAPTURE(name);
    CHECK(file.integer_tensor(name) == expected);
    CHECK(
        error_of([&, &key = name] { return file.tensor(key); }) ==
        invalid(folder / "a.safetensors", "tensor '" + name + "' of floats in whole bytes", name));
  }
  for (const auto& [name, expected] : whole.tensors) {
    CAPTURE(name);
    CHECK(same_bits(file.tensor(name), expected));
    CHECK(error_of([&, &key = name] { return file.integer_tensor(key); }) ==
          invalid(folder / "a.safetensors", "tensor '" + name + "' of integers or booleans", name));
  }
  for (const auto& [name, bits] : unread) {
    CHECK(error_of([&, key = name] { return file.tensor(key); }) ==
          invalid(folder / "a.safetensors",
                  "tensor '" + std::string(name) + "' of floats in whole bytes", name));
  }
}

const StateDict layers = {{"h.1.weight", randn<2>({3, 5}, 1)},  {"h.1.bias", randn<1>({5}, 2)},
                          {"h.10.weight", randn<2>({2, 2}, 3)}, {"h.1", randn<1>({4}, 4)},
                          {"none", randn<2>({0, 3}, 5)},        {"one", randn<1>({1}, 6)}};

StateDict chosen(const Names& names) {
  StateDict result;
  for (const std::string& name : names) {
    result.emplace(name, layers.at(name));
  }
  return result;
}

TEST_CASE("A SafetensorsFile reads tensors by their names and by a prefix") {
  const TemporaryFolder folder;
  const IntegerTensors ids = {{"h.1.ids", xt::xarray<std::int64_t>{1, 2}}};
  SafetensorsFile file(folder.write("a", save_safetensors(layers, {}, ids)));
  check_same(file.tensors(), layers);
  check_same(file.tensors(""), layers);
  for (const char* prefix : {"h.1", "h.1."}) {
    check_same(file.tensors(prefix), chosen({"h.1.weight", "h.1.bias"}));
  }
  check_same(file.tensors("h"), chosen({"h.1.weight", "h.1.bias", "h.10.weight", "h.1"}));
  check_same(file.tensors("x"), {});
  check_same(file.tensors({"h.1"}), chosen({"h.1"}));
  check_same(file.tensors({"one", "none"}), chosen({"one", "none"}));
  check_same(file.tensors(Names{"one", "h.1.bias", "one"}), chosen({"one", "h.1.bias"}));
  check_same(file.tensors(Names{}), {});

  const std::string unknown = "invalid-value; name: expected the name of a tensor in the file, got";
  CHECK(error_of([&] { return file.tensor("h.1."); }) == unknown + " 'h.1.'");
  CHECK(error_of([&] { return file.integer_tensor(""); }) == unknown + " ''");
  CHECK(error_of([&] { return file.dtype("H.1"); }) == unknown + " 'H.1'");
  CHECK(error_of([&] { return file.shape("x"); }) == unknown + " 'x'");
  CHECK_FALSE(file.contains("x"));
  CHECK(error_of([&] { return file.tensors({"b", "one", "a"}); }) ==
        "invalid-value; names: expected names of tensors in the file, got 'b', 'a'");
  CHECK(error_of([&] { return file.tensors({"h.1.ids"}); }) ==
        invalid(folder / "a", "tensor 'h.1.ids' of floats in whole bytes", "I64"));

  const SafetensorsFile moved = std::move(file);
  check_same(moved.tensors({"one"}), chosen({"one"}));
}

TEST_CASE("A safetensors file on disk that is cut short anywhere is refused by name") {
  const TemporaryFolder folder;
  const File whole = save_safetensors(layers, {{"format", "pt"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const File cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    std::string expected = error_of([&] { return load_safetensors(cut); });
    const std::string unnamed = "bytes:";
    const auto path = folder.write("a.safetensors", cut);
    REQUIRE(expected.find(unnamed) != std::string::npos);
    expected.replace(expected.find(unnamed), unnamed.size(), path.string() + ":");
    CAPTURE(size);
    CHECK(error_of_path(path) == expected);
  }
  const auto lies = folder.write("b", little_endian(~std::uint64_t{0}, 8) + "{}");
  CHECK(error_of_path(lies) ==
        invalid(lies, "a safetensors header of at most 2 bytes", "18446744073709551615"));
}

TEST_CASE("A file that cannot be read is an error with its name") {
  const TemporaryFolder folder;
  const auto starts = [](const std::filesystem::path& path) {
    return invalid(path, "a file that can be read", "an error: ");
  };
  const auto nowhere = folder / "nowhere.safetensors";
  CHECK(error_of_path(nowhere) == starts(nowhere) + "No such file or directory");
  const auto no_index = folder / "model.safetensors.index.json";
  CHECK(error_of_path(no_index) == starts(no_index) + "No such file or directory");
  CHECK(error_of_path(folder / "").starts_with(starts(folder / "")));
  const auto named = folder / "é 漢.safetensors";
  CHECK(error_of_path(named) == starts(named) + "No such file or directory");
}

TEST_CASE("A safetensors file that changes after it was opened is an error of what is asked for") {
  const TemporaryFolder folder;
  const File bytes = save_safetensors(layers, {}, {{"ids", xt::xarray<std::int8_t>{1, 2}}});
  const auto path = folder.write("a.safetensors", bytes);
  const SafetensorsFile file(path);
  for (const std::size_t size : {bytes.size() - 1, std::size_t{0}, bytes.size() + 1}) {
    std::filesystem::resize_file(path, size);
    const std::string expected =
        invalid(path, "a file of " + std::to_string(bytes.size()) + " bytes, as it had before",
                std::to_string(size));
    CHECK(error_of([&] { return file.tensor("one"); }) == expected);
    CHECK(error_of([&] { return file.integer_tensor("ids"); }) == expected);
    CHECK(error_of([&] { return file.tensors(); }) == expected);
  }
  folder.write("a.safetensors", bytes);
  check_same(file.tensors(), layers);
  std::filesystem::remove(path);
  CHECK(error_of([&] { return file.tensor("one"); }) ==
        invalid(path, "a file that can be read", "an error: No such file or directory"));
  CHECK(file.dtype("one") == "F32");
}

/// Bytes that this process has read so far; nothing where the system does not tell.
std::optional<std::size_t> bytes_read() {
  std::ifstream told("/proc/self/io");
  std::string word;
  std::size_t count = 0;
  if (told >> word >> count && word == "rchar:") {
    return count;
  }
  return {};
}

TEST_CASE("A safetensors file of 500 MB costs its header and the tensors that are asked for") {
  const TemporaryFolder folder;
  constexpr std::size_t large = 500'000'000;
  const File start = safetensors_file(
      R"({"large":{"dtype":"BF16","shape":[250000000],"data_offsets":[0,500000000]},)"
      R"("small":{"dtype":"F32","shape":[500,200],"data_offsets":[500000000,500400000]}})");
  const auto path = folder.write("a.safetensors", start);
  std::filesystem::resize_file(path, start.size() + large + 400'000);
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(start.size() + large));
    file << little_endian({1.5F});
  }
  if (!bytes_read().has_value()) {
    SKIP("this system does not tell how many bytes were read");
  }
  const std::size_t before = *bytes_read();
  const SafetensorsFile file(path);
  CHECK(file.shape("large") == Shape{250'000'000});
  const std::size_t opened = *bytes_read();
  const xt::xarray<float> small = file.tensor("small");
  const std::size_t read = *bytes_read();
  CHECK(small(0, 0) == 1.5F);
  CHECK(small(499, 199) == 0);
  constexpr std::size_t own = 1000;  // what bytes_read reads, with room
  CHECK(opened - before <= start.size() + own);
  CHECK(read - opened <= 400'000 + own);
  CHECK(read - opened >= 400'000);
}

TEST_CASE("A tensor that is read in several pieces is one") {
  const TemporaryFolder folder;
  constexpr std::size_t count = (std::size_t{1} << 20U) + 3;
  std::string halves(2 * count, '\0');
  const auto set = [&](std::size_t i, char upper) { halves[2 * i + 1] = upper; };
  set((count - 3) / 2 - 1, '\x3F');
  set((count - 3) / 2, '\x40');
  set(count - 1, '\x41');
  const std::string bytes = std::to_string(halves.size());
  const SafetensorsFile file(folder.write(
      "a", safetensors_file(R"({"a":{"dtype":"BF16","shape":[)" + std::to_string(count) +
                                R"(],"data_offsets":[0,)" + bytes + "]}}",
                            halves)));
  const xt::xarray<float> a = file.tensor("a");
  REQUIRE(a.size() == count);
  CHECK(a((count - 3) / 2 - 1) == 0.5F);
  CHECK(a((count - 3) / 2) == 2);
  CHECK(a(count - 1) == 8);
  CHECK(a(0) == 0);
}

}  // namespace
}  // namespace headwise::test
