#include <algorithm>
#include <cmath>
#include <headwise/core/io/message.hpp>
#include <headwise/core/models/pretrained/config.hpp>
#include <utility>

namespace headwise {
namespace {

constexpr double max_size = 2147483647;
constexpr std::string_view expected_size = "an integer from 1 to 2147483647";

std::string scalar_text(const PretrainedConfig::Field& field) {
  switch (field.kind) {
    case PretrainedConfig::Kind::null:
      break;
    case PretrainedConfig::Kind::boolean:
      return field.number != 0 ? "true" : "false";
    case PretrainedConfig::Kind::number:
      return number_text(field.number);
    case PretrainedConfig::Kind::text:
      return "'" + io::shortened(field.text) + "'";
    case PretrainedConfig::Kind::list:
      return "a list";
    case PretrainedConfig::Kind::object:
      return "an object";
  }
  return "null";
}

/// Whether it is an integer of 32 bits from 1 on.
bool is_size(const PretrainedConfig::Field& field) {
  return field.kind == PretrainedConfig::Kind::number && field.number >= 1 &&
         field.number <= max_size && field.number == std::floor(field.number);
}

}  // namespace

std::string member(std::string_view list, std::size_t number) {
  std::string text(list);
  text += ".";
  return text += io::Decimal(number).text();
}

std::string number_text(double number) {
  // Whole numbers, which is what sizes should be, exactly; others need no digits to be recognized.
  std::string text;
  const double size = std::abs(number);
  if (number < 0) {
    text += "-";
  }
  if (!(size <= max_size)) {
    return "a number above 2147483647";
  }
  text += io::Decimal(static_cast<std::uint64_t>(size)).text();
  if (size != std::floor(size)) {
    text += ".";
    text += io::Decimal(static_cast<std::uint64_t>((size - std::floor(size)) * 10)).text();
    text += "…";
  }
  return text;
}

PretrainedConfig::PretrainedConfig(std::vector<Field> fields) : fields_(std::move(fields)) {
  std::vector<std::string_view> names;
  names.reserve(fields_.size());
  for (const Field& field : fields_) {
    names.emplace_back(field.name);
  }
  index_ = io::NameIndex(std::move(names));
}

const PretrainedConfig::Field* PretrainedConfig::find(std::string_view name) const noexcept {
  const std::size_t number = index_.find(name);
  const bool is_there = number != io::NameIndex::none && fields_[number].kind != Kind::null;
  return is_there ? &fields_[number] : nullptr;
}

bool PretrainedConfig::has_members(std::string_view name) const {
  return has(name) && index_.has_prefix(std::string(name) + ".");
}

const PretrainedConfig::Field* PretrainedConfig::find_kind(std::string_view name, Kind kind,
                                                           std::string_view expected) {
  const Field* field = find(name);
  if (field != nullptr && field->kind != kind) {
    reject(name, expected);
    return nullptr;
  }
  return field;
}

std::optional<std::int64_t> PretrainedConfig::optional_size(std::string_view name) {
  const Field* field = find(name);
  if (field != nullptr && !is_size(*field)) {
    reject(name, expected_size);
    return std::nullopt;
  }
  return field != nullptr ? std::optional(static_cast<std::int64_t>(field->number)) : std::nullopt;
}

std::int64_t PretrainedConfig::size(std::string_view name) {
  const std::optional<std::int64_t> size = optional_size(name);
  if (!size) {
    reject(name, expected_size);
  }
  return size.value_or(1);
}

std::int64_t PretrainedConfig::size(std::string_view name, std::int64_t otherwise) {
  std::string assumption = "; where the config has no ";
  assumption.append(name).append(", it is ");
  assumption += number_text(static_cast<double>(otherwise));
  if (!has(name) && assumptions_.find(assumption) == std::string::npos) {
    assumptions_ += assumption;
  }
  return optional_size(name).value_or(otherwise);
}

std::int64_t PretrainedConfig::side_of_square(std::string_view name, std::int64_t otherwise) {
  const Field* field = find(name);
  if (field == nullptr || field->kind != Kind::list) {
    return size(name, otherwise);
  }
  const Field* height = find(member(name, 0));
  const Field* width = find(member(name, 1));
  if (height == nullptr || width == nullptr || mentions(member(name, 2)) || !is_size(*height) ||
      width->kind != Kind::number || width->number != height->number) {
    reject(name, std::string(expected_size) + ", or two equal ones");
    return otherwise;
  }
  return static_cast<std::int64_t>(height->number);
}

double PretrainedConfig::number(std::string_view name, double otherwise) {
  const Field* field = find_kind(name, Kind::number, "a number");
  return field != nullptr ? field->number : otherwise;
}

bool PretrainedConfig::flag(std::string_view name, bool otherwise) {
  const Field* field = find_kind(name, Kind::boolean, "true or false");
  return field != nullptr ? field->number != 0 : otherwise;
}

std::string_view PretrainedConfig::text(std::string_view name, std::string_view otherwise) {
  const Field* field = find_kind(name, Kind::text, "a text");
  return field != nullptr ? std::string_view(field->text) : otherwise;
}

void PretrainedConfig::reject(std::string_view name, std::string_view expected) {
  const std::string line = std::string("\nconfig.").append(name).append(": ");
  const std::string_view start = std::string_view(line).substr(1);
  if (problems_.starts_with(start) || problems_.find(line) != std::string::npos) {
    return;
  }
  problems_ += problems_.empty() ? start : std::string_view(line);
  problems_ += "expected ";
  problems_ += expected;
  problems_ += ", got ";
  problems_ += shown(name);
}

std::string PretrainedConfig::shown(std::string_view name) const {
  const Field* field = find(name);
  return field == nullptr            ? "nothing"
         : field->kind == Kind::list ? shown_list(name)
                                     : scalar_text(*field);
}

std::string PretrainedConfig::shown_list(std::string_view name) const {
  constexpr std::size_t max_shown = 4;
  std::string text = "[";
  for (std::size_t i = 0; mentions(member(name, i)); ++i) {
    text += i > 0 ? ", " : "";
    if (i == max_shown) {
      text += "…";
      break;
    }
    text += scalar_text(fields_[index_.find(member(name, i))]);
  }
  return text += "]";
}

void PretrainedConfig::require_text(std::string_view name,
                                    std::initializer_list<std::string_view> texts) {
  const Field* field = find(name);
  if (field == nullptr || (field->kind == Kind::text &&
                           std::find(texts.begin(), texts.end(), field->text) != texts.end())) {
    return;
  }
  std::string expected;
  for (const std::string_view text : texts) {
    expected += (expected.empty() ? "'" : " or '") + std::string(text) + "'";
  }
  reject(name, expected);
}

void PretrainedConfig::require_off(std::string_view name) {
  if (flag(name, false)) {
    reject(name, "false");
  }
}

}  // namespace headwise
