#include <catch2/catch_test_macros.hpp>

#include "compare.hpp"
#include "files.hpp"
#include "temporary_folder.hpp"

/// Checkpoints of several safetensors files, as their index has them.
namespace headwise::test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* index_name = "model.safetensors.index.json";

const xt::xarray<float> first = {1, 2, 3};
const xt::xarray<float> second = {{4, 5}, {6, 7}};
const xt::xarray<float> third = {8};

/// A folder with two files, whose tensors a, b and ids, and c, are here, and an index.
class Checkpoint {
 public:
  explicit Checkpoint(std::string_view index) : index_(folder_.write(index_name, index)) {
    folder_.write("one.safetensors",
                  save_safetensors({{"a", first}, {"b", second}, {"unnamed", first}},
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
  CHECK(file.tensors() == StateDict{{"a", first}, {"b", second}, {"c", third}});
  CHECK(file.tensors({"c", "a"}) == StateDict{{"a", first}, {"c", third}});
  CHECK(file.integer_tensor("ids") == IntegerTensor(xt::xarray<std::int32_t>{1, 2}));
  CHECK(error_of([&] { return file.tensors({"a", "unnamed", "x"}); }) ==
        "invalid-value; names: expected names of tensors in the file, got 'unnamed', 'x'");

  const auto more = checkpoint.folder() / "more/zwei-é.safetensors";
  std::filesystem::resize_file(more, 9);
  CHECK(error_of([&] {
          return file.tensor("c");
        }).starts_with("invalid-file; " + more.string() + ": expected a file of "));
  CHECK(file.tensor("a") == first);
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
       {std::string("{}"), std::string("[]"), std::string("null"), std::string("true"),
        std::string("false"), std::string("0"), std::string("-0.5e+10"), std::string("12E-3"),
        std::string("1.25"), std::string(R"("text \" \\ \u00e9 }")"),
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
           {"null", with("{", 0), "n"},
           {"{}", "a safetensors index with a weight_map", "none"},
           {R"({"metadata":{}})", "a safetensors index with a weight_map", "none"},
           {R"({"weight_map":null})", with("{", 14), "n"},
           {R"({"weight_map":[]})", with("{", 14), "["},
           {R"({"weight_map":{"a":1}})", with("a string", 19), "1"},
           {R"({"weight_map":{"a":{"b":"c"}}})", with("a string", 19), "{"},
           {R"({"weight_map":{"a":"b",}})", with("a string", 23), "}"},
           {R"({"weight_map":{"a":"b"})", with(",", 23), "its end"},
           {R"({"weight_map":{}} x)", with("nothing behind its object", 18), "x"},
           {R"({"weight_map":{},"weight_map":{}})", "every name once in a safetensors index",
            "'weight_map' twice"},
           {R"({"weight_map":{"a":"b","c":"b","\u0061":"b"}})",
            "every name once in a safetensors index", "'a' twice"},
           {"{\"weight_map\":{\"\xFF\":\"b\"}}", "a safetensors index in UTF-8", "other bytes"},
           {R"({"x":})", with("a value", 5), "}"},
           {R"({"x":tru})", with("a value", 5), "t"},
           {R"({"x":-})", with("a value", 6), "}"},
           {R"({"x":1.})", with("a digit", 7), "}"},
           {R"({"x":1e+})", with("a digit", 8), "}"},
           {R"({"x":01})", with(",", 6), "1"},
           {R"({"x":[1,]})", with("a value", 8), "]"},
           {R"({"x":[1})", with("]", 7), "}"},
           {R"({"x":[1 2]})", with("]", 8), "2"},
           {R"({"x":{"a"}})", with(":", 9), "}"},
           {R"({"x":{"a":1,}})", with("a string", 12), "}"},
           {R"({"x":{1:2}})", with("a string", 6), "1"},
           {R"({"x":"a)", with("more", 7), "its end"},
           {R"({"x":[{)", with("a string", 7), "its end"},
           {R"({"x":)" + std::string(1'000'000, '['), with("a value", 1'000'005), "its end"},
       }) {
    CAPTURE(index.substr(0, 100));
    const Checkpoint checkpoint(index);
    CHECK(checkpoint.error() == checkpoint.invalid(expected, got));
  }
}

}  // namespace
}  // namespace headwise::test
