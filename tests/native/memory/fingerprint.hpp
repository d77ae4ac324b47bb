#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <exception>
#include <headwise/headwise.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace headwise::test {

/// All that can be seen of some objects, bit for bit: parts with names, in the order in which they
/// were added.
class Fingerprint {
 public:
  /// Takes numbers, texts, tensors, the library's results, and containers of these.
  template <typename Value>
  void add(const std::string& name, const Value& value) {
    if constexpr (std::is_floating_point_v<Value>) {
      add_bits(name, {std::bit_cast<std::uint64_t>(static_cast<double>(value))});
    } else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
      add_bits(name, {static_cast<std::uint64_t>(value)});
    } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
      const std::string_view text = value;
      add_bits(name, {text.begin(), text.end()});
    } else if constexpr (requires { value.has_value(); }) {
      add(name + " exists", value.has_value());
      if (value.has_value()) {
        add(name, *value);
      }
    } else if constexpr (requires { value.shape(); }) {
      add(name + " shape", std::vector<std::size_t>(value.shape().begin(), value.shape().end()));
      add_numbers(name, value);
    } else if constexpr (requires { typename Value::mapped_type; }) {
      add(name + " size", value.size());
      for (const auto& [key, mapped] : value) {
        add(name + " " + key, mapped);
      }
    } else if constexpr (requires { value.begin(); }) {
      if constexpr (std::is_arithmetic_v<typename Value::value_type> ||
                    std::is_enum_v<typename Value::value_type>) {
        add_numbers(name, value);
      } else {
        add(name + " size", value.size());
        for (const auto& element : value) {
          add(name, element);
        }
      }
    } else {
      describe(*this, name, value);
    }
  }

  template <typename... Values>
  void add_all(const std::string& name, const Values&... values) {
    (add(name, values), ...);
  }

  /// Adds what the function returns, or what it throws.
  template <typename Function>
  void add_outcome(const std::string& name, const Function& function) {
    try {
      if constexpr (std::is_void_v<decltype(function())>) {
        function();
        add(name, std::string_view("done"));
      } else {
        add(name, function());
      }
    } catch (const Error& error) {
      add(name, std::string(to_string(error.code())) + "; " + error.what());
    } catch (const std::exception& error) {
      add(name, std::string_view(error.what()));
    }
  }

  using Place = std::optional<std::size_t>;

  /// The first part in which the two differ, if they do.
  [[nodiscard]] Place difference(const Fingerprint& other) const {
    const std::size_t both = std::min(parts_.size(), other.parts_.size());
    for (std::size_t place = 0; place < both; ++place) {
      if (parts_[place] != other.parts_[place]) {
        return place;
      }
    }
    return parts_.size() == other.parts_.size() ? Place() : both;
  }

  /// The name of a part.
  [[nodiscard]] std::string name(std::size_t place) const {
    return place < parts_.size() ? parts_[place].first : "number of parts";
  }

 private:
  using Bits = std::vector<std::uint64_t>;

  void add_bits(const std::string& name, Bits bits) { parts_.emplace_back(name, std::move(bits)); }

  template <typename Numbers>
  void add_numbers(const std::string& name, const Numbers& numbers) {
    using Number = typename Numbers::value_type;
    Bits bits;
    for (const auto number : numbers) {
      if constexpr (std::is_floating_point_v<Number>) {
        bits.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(number)));
      } else {
        bits.push_back(static_cast<std::uint64_t>(number));
      }
    }
    add_bits(name, std::move(bits));
  }

  std::vector<std::pair<std::string, Bits>> parts_;
};

// What the library gives.

inline void describe(Fingerprint& print, const std::string& name, const KeyValueCache& cache) {
  print.add_all(name, cache.batch_size(), cache.max_length(), cache.length());
}

template <std::size_t Rank>
void describe(Fingerprint& print, const std::string& name, const ForwardResult<Rank>& result) {
  print.add_all(name, result.output, result.attention_weights);
}

template <std::size_t Rank>
void describe(Fingerprint& print, const std::string& name, const PoolingResult<Rank>& result) {
  print.add_all(name, result.output, result.attention_weights);
}

template <std::size_t Rank>
void describe(Fingerprint& print, const std::string& name, const BackwardResult<Rank>& result) {
  print.add_all(name, result.queries, result.keys, result.values, result.head_gate);
}

inline void describe(Fingerprint& print, const std::string& name,
                     const TransformerGradients& gradients) {
  print.add_all(name, gradients.head_gates, gradients.cross_head_gates,
                gradients.encoder_head_gates, gradients.pixels);
}

inline void describe(Fingerprint& print, const std::string& name, const PatternScores& scores) {
  print.add_all(name, scores.previous_token, scores.first_token, scores.diagonal, scores.uniform);
}

inline void describe(Fingerprint& print, const std::string& name, const TaskBatch& batch) {
  print.add_all(name, batch.tokens, batch.targets, batch.keys);
}

inline void describe(Fingerprint& print, const std::string& name, const Safetensors& file) {
  print.add_all(name, file.tensors, file.metadata, file.unread);
  for (const auto& named : file.integers) {
    std::visit([&](const auto& numbers) { print.add(name + " integers " + named.first, numbers); },
               named.second);
  }
}

}  // namespace headwise::test
