#include "call_list.hpp"

#include <fstream>

#include "files.hpp"

namespace headwise::test {
namespace {

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary);
  stream.exceptions(std::ios::failbit | std::ios::badbit);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
}

}  // namespace

void VectorFile::write(const std::filesystem::path& folder, const std::string& name) const {
  write_file(folder / (name + ".safetensors"), text_of(save_safetensors(floats_, {}, integers_)));
  std::string cases;
  for (const JsonObject& each : cases_) {
    cases += (cases.empty() ? "[" : ",\n") + each.text();
  }
  write_file(folder / (name + ".json"), cases + "]\n");
}

Json CallList::dict(const StateDict& dict) {
  JsonObject object;
  for (const auto& [name, each] : dict) {
    object.set(name, tensor(each));
  }
  return {object.text()};
}

void CallList::has(std::string_view on, std::string_view property, double value) {
  begin({{"on", json(on)}, {"get", json(property)}}, {});
  gives("", value, 0);
}

void CallList::gives(const StateDict& dict, double share) {
  double largest = 0;
  for (const auto& [name, tensor] : dict) {
    largest = std::fmax(largest, largest_magnitude(tensor));
  }
  for (const auto& [name, tensor] : dict) {
    gives(name, tensor, share, 0.02 * largest);
  }
}

void CallList::begin(const std::vector<std::pair<std::string, std::string>>& members,
                     const std::vector<std::string>& arguments) {
  end_call();
  has_call_ = true;
  for (const auto& [name, text] : members) {
    call_.set(name, Json{text});
  }
  std::vector<Json> all;
  for (const std::string& argument : arguments) {
    all.push_back({argument});
  }
  call_.set("arguments", all);
}

void CallList::end_call() {
  if (has_call_) {
    if (has_results_) {
      call_.set("gives", gives_);
    }
    calls_.push_back(call_);
  }
  call_ = gives_ = {};
  has_call_ = has_results_ = false;
}

void CallList::end() {
  end_call();
  file_.add_case(case_.set("calls", calls_));
}

}  // namespace headwise::test
