#include <algorithm>
#include <headwise/core/heap_sort.hpp>
#include <headwise/core/io/words.hpp>
#include <headwise/core/models/pretrained/names.hpp>
#include <utility>

namespace headwise {
namespace {

/// Parts that wrappers add anywhere in a name: of PyTorch's data parallel and compiled modules, its
/// FSDP and activation checkpoints, of DeepSpeed, of PEFT.
constexpr std::string_view wrappers =
    "module _orig_mod _fsdp_wrapped_module _checkpoint_wrapped_module _forward_module base_model "
    "base_layer";

/// Matches `name` against `pattern`, in which `#` is a number; what follows the pattern is left in
/// `rest`, and the number, as text, in `number`.
bool matches(std::string_view pattern, std::string_view name, std::string_view& number,
             std::string_view& rest) noexcept {
  const std::size_t mark = pattern.find('#');
  if (mark != std::string_view::npos) {
    if (!name.starts_with(pattern.substr(0, mark))) {
      return false;
    }
    name.remove_prefix(mark);
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    number = name.substr(0, digits);
    name.remove_prefix(digits);
    pattern.remove_prefix(mark + 1);
  }
  if (!name.starts_with(pattern)) {
    return false;
  }
  rest = name.substr(pattern.size());
  return pattern.ends_with('.') || rest.empty();
}

/// Whether the family has a parameter's tensor of this name.
bool is_known(const PretrainedFamily& family, std::string_view name) noexcept {
  for (std::string_view names = family.names; !names.empty();) {
    static_cast<void>(io::next_word(names));
    std::string_view number;
    std::string_view rest;
    if (matches(io::next_word(names), name, number, rest) &&
        (rest.empty() || rest == "weight" || rest == "bias")) {
      return true;
    }
  }
  return false;
}

std::string without_wrappers(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('.'), name.size() - 1) + 1;
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(end);
    if (name.empty() || !io::has_word(wrappers, part.substr(0, end - 1))) {
      plain += part;
    }
  }
  return plain;
}

/// Gives norms' parameters their newer names.
bool rename_old_norm(std::string& name) {
  const bool is_weight = name.ends_with(".gamma");
  if (!is_weight && !name.ends_with(".beta")) {
    return false;
  }
  name.resize(name.rfind('.') + 1);
  name += is_weight ? "weight" : "bias";
  return true;
}

/// The prefix of most names that the family knows.
std::string_view common_prefix(const PretrainedFamily& family,
                               const std::vector<std::string_view>& names) {
  std::vector<std::string_view> prefixes;
  for (const std::string_view name : names) {
    for (std::size_t begin = 0; begin < name.size(); begin = name.find('.', begin) + 1) {
      if (is_known(family, name.substr(begin))) {
        prefixes.push_back(name.substr(0, begin));
      }
      if (name.find('.', begin) == std::string_view::npos) {
        break;
      }
    }
  }
  heap_sort(prefixes);
  std::string_view best;
  std::size_t most = 0;
  for (std::size_t begin = 0; begin < prefixes.size();) {
    std::size_t end = begin;
    while (end < prefixes.size() && prefixes[end] == prefixes[begin]) {
      ++end;
    }
    if (end - begin > most) {
      most = end - begin;
      best = prefixes[begin];
    }
    begin = end;
  }
  return best;
}

/// The name without the parts of the prefix that it begins with. Names of task heads begin with
/// fewer of them.
std::string_view without_prefix(std::string_view name, std::string_view prefix) noexcept {
  while (!prefix.empty() && !name.starts_with(prefix)) {
    prefix.remove_suffix(1);
    prefix = prefix.substr(0, prefix.rfind('.') + 1);
  }
  return name.substr(prefix.size());
}

}  // namespace

PretrainedNames::PretrainedNames(const PretrainedFamily& family,
                                 std::span<const io::NamedTensor> tensors)
    : names_(tensors.size()) {
  std::vector<std::string_view> views;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    names_[i].plain = without_wrappers(tensors[i].name);
    names_[i].is_old = rename_old_norm(names_[i].plain);
    views.emplace_back(names_[i].plain);
  }
  const std::string_view prefix = common_prefix(family, views);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    std::string_view& name = views[i];
    name = without_prefix(name, prefix);
    for (std::string_view known = family.prefixes; !known.empty();) {
      if (const std::string_view word = io::next_word(known); name.starts_with(word)) {
        name.remove_prefix(word.size());
        break;
      }
    }
    names_[i].name = name;
  }
  index_ = io::NameIndex(std::move(views));
}

std::string tensor_of(const PretrainedFamily& family, std::string_view parameter) {
  for (std::string_view names = family.names; !names.empty();) {
    const std::string_view pattern = io::next_word(names);
    std::string tensor(io::next_word(names));
    std::string_view number;
    std::string_view rest;
    if (matches(pattern, parameter, number, rest)) {
      if (const std::size_t mark = tensor.find('#'); mark != std::string::npos) {
        tensor.replace(mark, 1, number);
      }
      return tensor.append(rest);
    }
  }
  return "";
}

}  // namespace headwise
