#include <algorithm>
#include <cerrno>
#include <fstream>
#include <headwise/api/files.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/io/safetensors_index.hpp>
#include <headwise/core/layouts/state_dict_layouts.hpp>
#include <headwise/safetensors.hpp>
#include <system_error>
#include <tuple>

namespace headwise {
namespace {

/// Bytes that are converted at a time: whole numbers of every dtype.
constexpr std::size_t piece_size = std::size_t{1} << 20U;

std::string name_of(const std::filesystem::path& path) {
  const std::u8string name = path.u8string();
  return {name.begin(), name.end()};
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& expected,
                       const std::string& got) {
  throw Error(ErrorCode::invalid_file, name_of(path) + ": expected " + expected + ", got " + got);
}

/// A file that is open for reading.
class OpenFile {
 public:
  /// Fails if the file has not the size that it had before.
  OpenFile(const std::filesystem::path& path, std::uint64_t size) : OpenFile(path) {
    if (size_ != size) {
      fail(path_, "a file of " + std::to_string(size) + " bytes, as it had before",
           std::to_string(size_));
    }
  }

  explicit OpenFile(const std::filesystem::path& path) : path_(path) {
    std::error_code error;
    size_ = std::filesystem::file_size(path, error);
    if (error) {
      fail_to_read(error.message());
    }
    // What is read goes to the caller's memory at once.
    file_.pubsetbuf(nullptr, 0);
    errno = 0;
    if (file_.open(path, std::ios::in | std::ios::binary) == nullptr) {
      fail_to_read(std::error_code(errno, std::generic_category()).message());
    }
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Fills `bytes` with those of the file from `begin` on.
  void read(std::uint64_t begin, std::span<char> bytes) {
    std::streamsize count = 0;
    try {
      const auto place = static_cast<std::streamoff>(begin);
      if (file_.pubseekoff(place, std::ios::beg, std::ios::in) == std::streampos(place)) {
        count = file_.sgetn(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      }
    } catch (const std::ios_base::failure& failure) {
      fail_to_read(failure.code().message());
    }
    if (count != static_cast<std::streamsize>(bytes.size())) {
      fail(
          path_,
          std::to_string(bytes.size()) + " bytes at byte " + std::to_string(begin) + " of the file",
          std::to_string(count));
    }
  }

 private:
  [[noreturn]] void fail_to_read(const std::string& reason) const {
    fail(path_, "a file that can be read", "an error: " + reason);
  }

  const std::filesystem::path& path_;
  std::filebuf file_;
  std::uint64_t size_ = 0;
};

/// Whether it names a file in the index's folder, so that a malicious index cannot open other
/// files.
bool is_beside(std::string_view file) {
  constexpr std::string_view others("\\:\0", 3);
  if (file.find_first_of(others) != std::string_view::npos) {
    return false;
  }
  for (;;) {
    const std::string_view part = file.substr(0, file.find('/'));
    if (part.empty() || part == "." || part == "..") {
      return false;
    }
    if (part.size() == file.size()) {
      return true;
    }
    file.remove_prefix(part.size() + 1);
  }
}

/// A text of a file as an error shows it, whole.
std::string shown(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(result, [](char byte) { return byte >= '\0' && byte < ' '; }, '?');
  return result;
}

/// Items of an error's list.
class List {
 public:
  void add(std::initializer_list<std::string_view> parts) {
    text_ += text_.empty() ? "" : ", ";
    for (const std::string_view part : parts) {
      text_ += shown(part);
    }
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

std::filesystem::path path_of(const std::filesystem::path& index, std::string_view file) {
  return index.parent_path() / std::filesystem::path(std::u8string(file.begin(), file.end()));
}

[[noreturn]] void fail_kind(const std::filesystem::path& path, std::string_view name,
                            const std::string& kind, std::string_view dtype) {
  fail(path, "tensor '" + shown(name) + "' of " + kind, std::string(dtype));
}

[[noreturn]] void fail_names(const std::string& argument, const std::string& expected,
                             const std::string& names) {
  throw Error(ErrorCode::invalid_value, argument + ": expected " + expected + ", got " + names);
}

/// Of the parts of names that end before a dot, the one most similar to a prefix: it ends with the
/// prefix, or shares the longest beginning with it. `start` is the prefix with its dot.
std::string_view similar_prefix(const std::vector<std::string>& names, const std::string& start) {
  std::string_view similar;
  std::size_t longest = 0;
  for (const std::string_view name : names) {
    if (const std::size_t at = name.find('.' + start); at != std::string_view::npos) {
      return name.substr(0, at + start.size());
    }
    const auto shared =
        static_cast<std::size_t>(std::ranges::mismatch(name, start).in1 - name.begin());
    const std::size_t end = name.find('.', shared);
    if (end != std::string_view::npos && (similar.empty() || shared > longest)) {
      similar = name.substr(0, end);
      longest = shared;
    }
  }
  return similar;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) {
  report_out_of_memory([&] {
    if (path.extension() == ".json") {
      read_index(path);
    } else {
      std::tie(entries_, names_) = add_source(path);
    }
  });
}

std::pair<SafetensorsFile::Entries, std::vector<std::string>> SafetensorsFile::add_source(
    const std::filesystem::path& path) {
  OpenFile file(path);
  std::vector<char> bytes(std::min<std::uint64_t>(file.size(), sizeof(std::uint64_t)));
  file.read(0, bytes);
  const std::size_t first = bytes.size();
  bytes.resize(static_cast<std::size_t>(io::safetensors_header_size(bytes, file.size())));
  file.read(first, std::span(bytes).subspan(first));
  io::SafetensorsHeader header;
  io::Message message;
  io::read_safetensors_header(bytes, file.size(), header, message);
  io::throw_if(message, name_of(path));

  std::pair<Entries, std::vector<std::string>> result;
  auto& [entries, names] = result;
  for (const io::SafetensorsEntry& tensor : header.tensors) {
    const auto shape = header.shape_of(tensor);
    names.emplace_back(tensor.name);
    entries.emplace(tensor.name, Entry{.source = sources_.size(),
                                       .begin = header.size + tensor.begin,
                                       .end = header.size + tensor.end,
                                       .dtype = tensor.dtype->name,
                                       .shape = {shape.begin(), shape.end()}});
  }
  for (const io::SafetensorsEntry& text : header.metadata) {
    metadata_.emplace(text.name, text.text);
  }
  sources_.push_back({.path = path, .size = file.size()});
  return result;
}

void SafetensorsFile::read_index(const std::filesystem::path& path) {
  OpenFile file(path);
  if (file.size() > io::max_safetensors_header_size) {
    fail(path, "an index of at most " + std::to_string(io::max_safetensors_header_size) + " bytes",
         std::to_string(file.size()));
  }
  std::vector<char> json(static_cast<std::size_t>(file.size()));
  file.read(0, json);
  io::Message message;
  const std::vector<io::SafetensorsIndexEntry> index = io::read_safetensors_index(json, message);
  io::throw_if(message, name_of(path));

  List elsewhere;
  for (const auto& [name, shard] : index) {
    if (!is_beside(shard)) {
      elsewhere.add({"'", shard, "' for '", name, "'"});
    }
  }
  if (!elsewhere.text().empty()) {
    fail(path, "names of files beside it", elsewhere.text());
  }
  std::map<std::string_view, Entries> shards;
  List missing;
  for (const auto& [name, shard] : index) {
    auto found = shards.find(shard);
    if (found == shards.end()) {
      found = shards.emplace(shard, add_source(path_of(path, shard)).first).first;
    }
    Entries& entries = found->second;
    const auto entry = entries.find(name);
    if (entry == entries.end()) {
      missing.add({"'", name, "' of ", shard});
      continue;
    }
    names_.emplace_back(name);
    entries_.insert(entries.extract(entry));
  }
  if (!missing.text().empty()) {
    fail(path, "tensors that their files have", missing.text());
  }
}

const SafetensorsFile::Entry& SafetensorsFile::entry(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    report_out_of_memory([&] {
      List unknown;
      unknown.add({"'", name, "'"});
      fail_names("name", "the name of a tensor in the file", unknown.text());
    });
  }
  return found->second;
}

bool SafetensorsFile::contains(std::string_view name) const { return entries_.contains(name); }

std::string_view SafetensorsFile::dtype(std::string_view name) const { return entry(name).dtype; }

const std::vector<std::size_t>& SafetensorsFile::shape(std::string_view name) const {
  return entry(name).shape;
}

xt::xarray<float> SafetensorsFile::tensor(std::string_view name) const {
  return report_out_of_memory([&] {
    const Entry& stored = entry(name);
    const Source& source = sources_[stored.source];
    const io::SafetensorsDtype& dtype = *io::find_dtype(stored.dtype);
    if (!dtype.is_read() || dtype.holds_integers()) {
      fail_kind(source.path, name, "floats in whole bytes", stored.dtype);
    }
    OpenFile file(source.path, source.size);
    auto tensor = io::tensor_of_shape(stored.shape);
    std::vector<char> piece(std::min<std::uint64_t>(piece_size, stored.end - stored.begin));
    float* to = tensor.data();
    for (std::uint64_t begin = stored.begin; begin < stored.end; begin += piece.size()) {
      piece.resize(std::min<std::uint64_t>(piece_size, stored.end - begin));
      file.read(begin, piece);
      const std::size_t count = piece.size() / dtype.format.size;
      io::to_floats(dtype.format, reinterpret_cast<const std::byte*>(piece.data()), count, to);
      to += count;
    }
    return tensor;
  });
}

IntegerTensor SafetensorsFile::integer_tensor(std::string_view name) const {
  return report_out_of_memory([&] {
    const Entry& stored = entry(name);
    const Source& source = sources_[stored.source];
    if (!io::find_dtype(stored.dtype)->holds_integers()) {
      fail_kind(source.path, name, "integers or booleans", stored.dtype);
    }
    OpenFile file(source.path, source.size);
    std::vector<char> bytes(static_cast<std::size_t>(stored.end - stored.begin));
    file.read(stored.begin, bytes);
    const std::vector<std::uint64_t> shape(stored.shape.begin(), stored.shape.end());
    return io::read_integers(stored.dtype, shape, reinterpret_cast<const std::byte*>(bytes.data()));
  });
}

StateDict SafetensorsFile::tensors(const std::vector<std::string>& names) const {
  return report_out_of_memory([&] {
    List unknown;
    for (const std::string& name : names) {
      if (!contains(name)) {
        unknown.add({"'", name, "'"});
      }
    }
    if (!unknown.text().empty()) {
      fail_names("names", "names of tensors in the file", unknown.text());
    }
    StateDict result;
    for (const std::string& name : names) {
      if (!result.contains(name)) {
        result.emplace(name, tensor(name));
      }
    }
    return result;
  });
}

StateDict SafetensorsFile::tensors(std::initializer_list<std::string_view> names) const {
  return report_out_of_memory(
      [&] { return tensors(std::vector<std::string>(names.begin(), names.end())); });
}

StateDict SafetensorsFile::tensors(std::string_view prefix) const {
  return report_out_of_memory([&] {
    const std::string start = io::with_dot(prefix);
    auto each = entries_.lower_bound(start);
    if (!start.empty() && (each == entries_.end() || !each->first.starts_with(start))) {
      const std::string_view similar = similar_prefix(names_, start);
      std::string got = shown(prefix);
      got.insert(0, 1, '\'').push_back('\'');
      if (!similar.empty()) {
        got.append("; try '").append(shown(similar)).push_back('\'');
      }
      fail_names("prefix", "a prefix of names in the file", got);
    }
    StateDict result;
    for (; each != entries_.end() && each->first.starts_with(start); ++each) {
      const io::SafetensorsDtype& dtype = *io::find_dtype(each->second.dtype);
      if (dtype.is_read() && !dtype.holds_integers()) {
        result.emplace(each->first, tensor(each->first));
      }
    }
    return result;
  });
}

}  // namespace headwise
