#include <algorithm>
#include <cmath>
#include <headwise/core/io/message.hpp>
#include <headwise/core/models/pretrained/config.hpp>

namespace headwise {
namespace {

constexpr double max_size = 2147483647;

std::string value_text(const PretrainedConfig::Field* field) {
  if (field == nullptr) {
    return "nothing";
  }
  switch (field->kind) {
    case PretrainedConfig::Kind::null:
      break;
    case PretrainedConfig::Kind::boolean:
      return field->number != 0 ? "true" : "false";
    case PretrainedConfig::Kind::number:
      return number_text(field->number);
    case PretrainedConfig::Kind::text:
      return std::string("'").append(field->text).append("'");
  }
  return "null";
}

}  // namespace

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

const PretrainedConfig::Field* PretrainedConfig::find(std::string_view name) const noexcept {
  const auto field = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const Field& each) { return each.name == name; });
  return field != fields_.end() && field->kind != Kind::null ? &*field : nullptr;
}

bool PretrainedConfig::has(std::string_view name) const noexcept {
  return std::any_of(fields_.begin(), fields_.end(), [&](const Field& field) {
    const std::string_view given = field.name;
    const bool is_member =
        given.size() > name.size() && given.starts_with(name) && given[name.size()] == '.';
    return field.kind != Kind::null && (given == name || is_member);
  });
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
  constexpr std::string_view expected = "an integer from 1 to 2147483647";
  const Field* field = find_kind(name, Kind::number, expected);
  if (field == nullptr) {
    return std::nullopt;
  }
  if (!(field->number >= 1 && field->number <= max_size) ||
      field->number != std::floor(field->number)) {
    reject(name, expected);
    return std::nullopt;
  }
  return static_cast<std::int64_t>(field->number);
}

std::int64_t PretrainedConfig::size(std::string_view name) {
  const std::size_t problems = problems_.size();
  const std::optional<std::int64_t> size = optional_size(name);
  if (!size && problems_.size() == problems) {
    reject(name, "an integer from 1 to 2147483647");
  }
  return size.value_or(1);
}

std::int64_t PretrainedConfig::size(std::string_view name, std::int64_t otherwise) {
  return optional_size(name).value_or(otherwise);
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
  problems_ += has(name) && find(name) == nullptr ? "an object" : value_text(find(name));
}

void PretrainedConfig::require_text(std::string_view name,
                                    std::initializer_list<std::string_view> texts) {
  const Field* field = find(name);
  if (!has(name) ||
      (field != nullptr && std::find(texts.begin(), texts.end(), field->text) != texts.end())) {
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
