#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <optional>

#include "compare.hpp"
#include "files.hpp"

// What of safetensors files on disk is read when, alone and as an index has them.
namespace headwise::test {
namespace {

using Names = std::vector<std::string>;
using Shape = std::vector<std::size_t>;

/// `invalid-file; …/file: expected …, got …`
std::string invalid(const std::filesystem::path& path, const std::string& expected,
                    const std::string& got) {
  return "invalid-file; " + path.string() + ": expected " + expected + ", got " + got;
}

std::string error_of_path(const std::filesystem::path& path) {
  return error_of([&] { return SafetensorsFile(path).names().size(); });
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
  CHECK(file.tensors("") == layers);
  for (const char* prefix : {"h.1", "h.1."}) {
    CHECK(file.tensors(prefix) == chosen({"h.1.weight", "h.1.bias"}));
  }
  CHECK(file.tensors("h") == chosen({"h.1.weight", "h.1.bias", "h.10.weight", "h.1"}));
  const std::string no_prefix =
      "invalid-value; prefix: expected a prefix of names in the file, got";
  CHECK(error_of([&] { return file.tensors("1"); }) == no_prefix + " '1'; try 'h.1'");
  CHECK(error_of([&] { return file.tensors("h.11"); }) == no_prefix + " 'h.11'; try 'h.1'");
  CHECK(file.tensors({"h.1"}) == chosen({"h.1"}));
  CHECK(file.tensors({"one", "none"}) == chosen({"one", "none"}));
  CHECK(file.tensors(Names{"one", "h.1.bias", "one"}) == chosen({"one", "h.1.bias"}));
  CHECK(file.tensors(Names{}).empty());

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
  CHECK(moved.tensors({"one"}) == chosen({"one"}));
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
  const auto no_index = folder / "model.safetensors.index.json";
  CHECK(error_of_path(no_index) == starts(no_index) + "No such file or directory");
  CHECK(error_of_path(folder / "").starts_with(starts(folder / "")));
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
  CHECK(file.tensors() == layers);
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

TEST_CASE("A file costs its header and the tensors that are asked for, large ones in pieces") {
  const TemporaryFolder folder;
  constexpr std::size_t count = (std::size_t{1} << 20U) + 3;
  std::string halves(2 * count, '\0');
  halves[count - 2] = '\x40';
  halves[2 * count - 1] = '\x41';
  const std::string end = std::to_string(halves.size());
  const std::string whole = std::to_string(halves.size() + 50'000'000);
  const File start = safetensors_file(
      R"({"a":{"dtype":"BF16","shape":[)" + std::to_string(count) + R"(],"data_offsets":[0,)" +
          end + R"(]},"large":{"dtype":"I8","shape":[50000000],"data_offsets":[)" + end + "," +
          whole + "]}}",
      halves);
  const auto path = folder.write("a.safetensors", start);
  std::filesystem::resize_file(path, start.size() + 50'000'000);
  const std::optional<std::size_t> before = bytes_read();
  const SafetensorsFile file(path);
  CHECK(file.shape("large") == Shape{50'000'000});
  const std::optional<std::size_t> opened = bytes_read();
  const xt::xarray<float> a = file.tensor("a");
  const std::optional<std::size_t> read = bytes_read();
  REQUIRE(a.size() == count);
  CHECK(a((count - 3) / 2) == 2);
  CHECK(a(count - 1) == 8);
  if (before) {
    constexpr std::size_t own = 1000;  // what bytes_read reads, with room
    CHECK(*opened - *before <= start.size() - halves.size() + own);
    CHECK(*read - *opened <= halves.size() + own);
    CHECK(*read - *opened >= halves.size());
  }
}

constexpr const char* index_name = "model.safetensors.index.json";

const xt::xarray<float> first_tensor = {1, 2, 3};
const xt::xarray<float> second = {{4, 5}, {6, 7}};
const xt::xarray<float> third = {8};

/// A folder with two files, whose tensors a, b and ids, and c, are here, and an index.
class Checkpoint {
 public:
  explicit Checkpoint(std::string_view index) : index_(folder_.write(index_name, index)) {
    folder_.write("one.safetensors",
                  save_safetensors({{"a", first_tensor}, {"b", second}, {"unnamed", first_tensor}},
                                   {{"format", "pt"}, {"of", "one"}},
                                   {{"ids", xt::xarray<std::int32_t>{1, 2}}}));
    folder_.write("more/zwei-é.safetensors",
                  save_safetensors({{"c", third}}, {{"of", "two"}, {"also", "this"}}));
  }

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] const std::filesystem::path& index() const { return index_; }
  [[nodiscard]] std::string error() const {
    return error_of([&] { return SafetensorsFile(index_).names().size(); });
  }
  [[nodiscard]] std::string invalid(const std::string& expected, const std::string& got) const {
    return "invalid-file; " + index_.string() + ": expected " + expected + ", got " + got;
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path index_;
};

const std::string weight_map =
    R"("weight_map":{"c":"more/zwei-\u00e9.safetensors","b":"one.safetensors",)"
    R"("ids":"one.safetensors","a":"one.safetensors"})";

TEST_CASE("A checkpoint of several files is read as one") {
  const Checkpoint checkpoint(R"({"metadata":{"total_size":36},)" + weight_map + "}\n");
  const SafetensorsFile file(checkpoint.index());
  CHECK(file.names() == Names{"c", "b", "ids", "a"});
  CHECK(file.dtype("ids") == "I32");
  CHECK(file.shape("b") == std::vector<std::size_t>{2, 2});
  CHECK_FALSE(file.contains("unnamed"));
  CHECK(file.metadata() ==
        std::map<std::string, std::string>{{"also", "this"}, {"format", "pt"}, {"of", "two"}});
  CHECK(file.tensors() == StateDict{{"a", first_tensor}, {"b", second}, {"c", third}});
  CHECK(file.tensors({"c", "a"}) == StateDict{{"a", first_tensor}, {"c", third}});
  CHECK(file.integer_tensor("ids") == IntegerTensor(xt::xarray<std::int32_t>{1, 2}));
  CHECK(error_of([&] { return file.tensors({"a", "unnamed", "x"}); }) ==
        "invalid-value; names: expected names of tensors in the file, got 'unnamed', 'x'");

  const auto more = checkpoint.folder() / "more/zwei-é.safetensors";
  std::filesystem::resize_file(more, 9);
  CHECK(error_of([&] {
          return file.tensor("c");
        }).starts_with("invalid-file; " + more.string() + ": expected a file of "));
  CHECK(file.tensor("a") == first_tensor);
  CHECK(checkpoint.error().starts_with("invalid-file; " + more.string() +
                                       ": expected a safetensors header of at most 1 bytes"));
  std::filesystem::remove(more);
  CHECK(checkpoint.error() == "invalid-file; " + more.string() +
                                  ": expected a file that can be read, got an error: No such file "
                                  "or directory");
  CHECK(SafetensorsFile(Checkpoint(R"({"weight_map":{}})").index()).names().empty());
}

TEST_CASE("Whatever an index says beside its weight_map is skipped") {
  const std::string deep(100'000, '[');
  const std::string up(100'000, ']');
  for (const std::string& value :
       {std::string("null"), std::string("-0.5e+10"), std::string(R"("text \" \\ \u00e9 }")"),
        std::string(R"([1, [], {}, {"a": [{"b": null}, "]"]}, [[2]] ])"),
        std::string(R"({"weight_map": {"a": 1}, "b": {"c": [true, false]}, "d": -1})"),
        std::string(R"( {"a" : 1 , "b" : [ ] } )"), deep + up}) {
    CAPTURE(value.substr(0, 100));
    for (const std::string& index : {R"({"x":)" + value + "," + weight_map + "}",
                                     "{" + weight_map + R"( ,"x": )" + value + "}"}) {
      CHECK(Checkpoint(index).error() == "no error");
    }
  }
}

TEST_CASE("Tensors that their files do not have are one error that lists them") {
  const Checkpoint checkpoint(
      R"({"weight_map":{"a":"one.safetensors","x":"one.safetensors","b":"more/zwei-é.safetensors",)"
      R"("c":"more/zwei-é.safetensors","y.z":"one.safetensors"}})");
  CHECK(checkpoint.error() ==
        checkpoint.invalid("tensors that their files have",
                           "'x' of one.safetensors, 'b' of more/zwei-é.safetensors, "
                           "'y.z' of one.safetensors"));
}

TEST_CASE("An index leads to no file but those beside it") {
  for (const char* file : {"/etc/passwd", "../one.safetensors", "more/../one.safetensors", "..",
                           ".", "", "more//a", "more/", "./one.safetensors", "c:one", "more\\a"}) {
    std::string escaped(file);
    if (const auto at = escaped.find('\\'); at != std::string::npos) {
      escaped.insert(at, "\\");
    }
    const Checkpoint checkpoint(R"({"weight_map":{"b":"one.safetensors","a":")" + escaped + "\"}}");
    CHECK(checkpoint.error() ==
          checkpoint.invalid("names of files beside it", "'" + std::string(file) + "' for 'a'"));
  }
  const Checkpoint checkpoint(R"({"weight_map":{"x":"/x","a":"one.safetensors","y":"\u0000"}})");
  CHECK(checkpoint.error() ==
        checkpoint.invalid("names of files beside it", "'/x' for 'x', '?' for 'y'"));
}

TEST_CASE("An index that is malformed is refused by name") {
  const auto with = [](const std::string& expected, std::size_t place) {
    return "a safetensors index with " + expected + " at byte " + std::to_string(place);
  };
  struct Case {
    std::string index;
    std::string expected;
    std::string got;
  };
  for (const auto& [index, expected, got] : std::vector<Case>{
           {"", with("{", 0), "its end"},
           {"[]", with("{", 0), "["},
           {"{}", "a safetensors index with a weight_map", "none"},
           {R"({"weight_map":null})", with("{", 14), "n"},
           {R"({"weight_map":{"a":1}})", with("a string", 19), "1"},
           {R"({"weight_map":{"a":"b",}})", with("a string", 23), "}"},
           {R"({"weight_map":{"a":"b"})", with(",", 23), "its end"},
           {R"({"weight_map":{}} x)", with("nothing behind its object", 18), "x"},
           {R"({"weight_map":{},"weight_map":{}})", "every name once in a safetensors index",
            "'weight_map' twice"},
           {R"({"weight_map":{"a":"b","c":"b","\u0061":"b"}})",
            "every name once in a safetensors index", "'a' twice"},
           {"{\"weight_map\":{\"\xFF\":\"b\"}}", "a safetensors index in UTF-8", "other bytes"},
           {R"({"x":})", with("a value", 5), "}"},
           {R"({"x":[1,]})", with("a value", 8), "]"},
           {R"({"x":{"a"}})", with(":", 9), "}"},
           {R"({"x":)" + std::string(1'000'000, '['), with("a value", 1'000'005), "its end"},
       }) {
    CAPTURE(index.substr(0, 100));
    const Checkpoint checkpoint(index);
    CHECK(checkpoint.error() == checkpoint.invalid(expected, got));
  }
}

}  // namespace
}  // namespace headwise::test
