// Exercise 2 of d2l's chapter "Multi-Head Attention", on a trained model: how important is each of
// its heads, and which can go? Each measure ranks the heads on the first half of a text; heads go
// in that order, the least important first, and the second half shows what that costs.
//
//   headwise-prune-a-model FOLDER [TOKENS] [options]
//
// FOLDER is a checkpoint's, see checkpoint.hpp. TOKENS is a file of numbers, as tokens.mjs makes
// them of a text. Without it, the model draws a text itself; --start is then its first token.
//
//   --length N      tokens of a sequence (128, or what the model can read)
//   --sequences N   sequences to measure on, and as many others to test on (32)
//   --batch N       sequences at a time (8)
//   --steps N       points of a curve, but for the first, at most (16)
//   --measures A,B  of gradient, ablation, confidence, entropy (all)
//   --anew          also by each measure taken again of what is left after each point
//   --start N       token before a text that the model draws
//   --seed N        of that text and of random orders (1)
//   --threads N     (as many as the processor runs)
//   --csv FILE      where the curves go, see report.hpp; plot.mjs draws them
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <stdexcept>

#include "checkpoint.hpp"
#include "report.hpp"

namespace example {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::optional<std::int64_t> length = {};
  TextOptions text = {.length = 0, .sequences = 32, .batch = 8};
  std::int64_t steps = 16;
  std::vector<Measure> measures = all_measures();
  bool anew = false;
  std::optional<std::int64_t> start = {};
  std::int64_t seed = 1;
  std::optional<std::int64_t> threads = {};
  std::string csv;
};

std::int64_t number_of(const std::string& option, const std::string& text, std::int64_t least) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || read_to != end || number < least) {
    throw std::invalid_argument(option + ": expected an integer from " + std::to_string(least) +
                                ", got '" + text + "'");
  }
  return number;
}

std::vector<Measure> measures_of(const std::string& names) {
  std::vector<Measure> measures;
  for (const auto part : std::views::split(names, ',')) {
    const std::string name(part.begin(), part.end());
    const auto measure = std::ranges::find(all_measures(), name, &Measure::name);
    if (measure == all_measures().end()) {
      throw std::invalid_argument(
          "--measures: expected some of gradient, ablation, confidence, entropy, got '" + name +
          "'");
    }
    measures.push_back(*measure);
  }
  return measures;
}

Arguments read(const std::vector<std::string>& given) {
  Arguments arguments;
  std::map<std::string, std::function<void(const std::string&)>> options;
  const auto add_number = [&](const std::string& option, auto& number, std::int64_t least) {
    options[option] = [&number, option, least](const std::string& text) {
      number = number_of(option, text, least);
    };
  };
  add_number("--length", arguments.length, 1);
  add_number("--sequences", arguments.text.sequences, 1);
  add_number("--batch", arguments.text.batch, 1);
  add_number("--steps", arguments.steps, 1);
  add_number("--start", arguments.start, 0);
  add_number("--seed", arguments.seed, 0);
  add_number("--threads", arguments.threads, 1);
  options["--measures"] = [&](const std::string& text) { arguments.measures = measures_of(text); };
  options["--csv"] = [&](const std::string& text) { arguments.csv = text; };
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].starts_with("--")) {
      arguments.files.push_back(given[i]);
    } else if (given[i] == "--anew") {
      arguments.anew = true;
    } else if (!options.contains(given[i]) || i + 1 == given.size()) {
      throw std::invalid_argument(given[i] + (options.contains(given[i])
                                                  ? ": expected a value, got none"
                                                  : ": not an option of headwise-prune-a-model"));
    } else {
      options[given[i]](given[i + 1]);
      ++i;
    }
  }
  if (arguments.files.empty() || arguments.files.size() > 2) {
    throw std::invalid_argument("usage: headwise-prune-a-model FOLDER [TOKENS] [options]");
  }
  if ((arguments.files.size() == 1) != arguments.start.has_value()) {
    throw std::invalid_argument("expected a file of tokens, or --start without one");
  }
  return arguments;
}

void run(const Arguments& arguments) {
  if (arguments.threads) {
    headwise::set_num_threads(*arguments.threads);
  }
  headwise::Transformer model = read_model(arguments.files[0]);
  TextOptions options = arguments.text;
  options.length = arguments.length.value_or(
      std::min<std::int64_t>(128, static_cast<std::int64_t>(model.settings().max_length)));
  const auto seed = static_cast<std::uint64_t>(arguments.seed);
  const Text text = arguments.start ? draw(model, *arguments.start, seed, options)
                                    : cut(read_tokens(arguments.files[1]), options);

  std::vector<Importance> importance;
  importance.reserve(arguments.measures.size());
  for (const Measure& measure : arguments.measures) {
    importance.push_back(measure_heads(model, measure, text.measuring));
  }
  print_importance(model, arguments.measures, importance);

  std::vector<PruningCurve> curves;
  curves.reserve(2 * importance.size());
  const auto steps = static_cast<std::size_t>(arguments.steps);
  for (std::size_t i = 0; i < importance.size(); ++i) {
    curves.push_back(
        prune(model, order_of(model, arguments.measures[i], importance[i]), text.testing, steps));
    print_curve(curves.back());
    print_speed(measure_speed(model, curves.back().order, text.testing));
  }
  for (std::size_t i = 0; arguments.anew && i < importance.size(); ++i) {
    curves.push_back(prune_anew(model, arguments.measures[i], text, steps));
    print_curve(curves.back());
  }
  std::vector<PruningCurve> random;
  constexpr std::size_t num_random = 5;
  random.reserve(num_random);
  for (std::size_t number = 0; number < num_random; ++number) {
    random.push_back(prune(model, random_order(model, seed, number), text.testing, steps));
  }
  print_mean(random);
  std::printf("\n");
  for (const PruningCurve& curve : curves) {
    print_sum(model, curve);
  }
  if (!arguments.csv.empty()) {
    curves.insert(curves.end(), random.begin(), random.end());
    write_csv(arguments.csv, curves);
  }
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) {
  try {
    example::run(example::read({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
