// Exercise 2 of d2l's chapter "Multi-Head Attention": how would you measure the importance of a
// head? By heads whose importance is known. Models learn induction with four of their twelve heads;
// the others are there, but shut. When all are opened, each measure ranks the heads, and heads go
// in that order, the least important first: a good measure leaves the four for the end.
//
//   head-importance [--quick] [FOLDER]
//
// --quick takes one seed in place of five, and little time for it: to see that all runs. Into
// FOLDER, if there is one, go curve.csv and heads.csv (see report.hpp).
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "report.hpp"

namespace example {
namespace {

struct Arguments {
  bool quick = false;
  std::string folder;
};

Arguments read(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      arguments.quick = true;
    } else if (argument.starts_with('-') || !arguments.folder.empty()) {
      throw std::invalid_argument("usage: head-importance [--quick] [FOLDER]");
    } else {
      arguments.folder = argument;
    }
  }
  return arguments;
}

constexpr Effort full_effort = {
    .planting = 300, .settling = 100, .sequences = 128, .seeds = 5, .random_orders = 5};
constexpr Effort quick_effort = {
    .planting = 40, .settling = 10, .sequences = 16, .seeds = 1, .random_orders = 1};

SeedResult result_of(std::uint64_t seed, const Effort& effort) {
  PlantedModel planted(seed, effort);
  using enum Role;
  SeedResult result{.seed = seed,
                    .loss = planted.loss_without({}),
                    .loss_without_others = planted.loss_without({sharp, quiet}),
                    .loss_without_previous_token = planted.loss_without({previous_token}),
                    .loss_without_induction = planted.loss_without({induction}),
                    .loss_without_planted = planted.loss_without({previous_token, induction}),
                    .previous_token = planted.previous_token_scores(),
                    .induction = planted.induction_scores(),
                    .importance = {},
                    .curves = {}};
  for (const Measure& measure : measures()) {
    result.importance.push_back(
        PrunedModel(planted).importance(measure, planted.measuring_batch()));
    result.curves.push_back(prune_by(planted, measure));
  }
  for (const Measure& measure : measures()) {
    result.curves.push_back(prune_by_measuring_anew(planted, measure));
  }
  for (std::size_t number = 0; number < effort.random_orders; ++number) {
    result.curves.push_back(prune_at_random(planted, seed, number));
  }
  return result;
}

void run(const Arguments& arguments) {
  headwise::set_num_threads(1);  // which is all that so small a model has work for
  std::vector<SeedResult> results;
  const Effort& effort = arguments.quick ? quick_effort : full_effort;
  for (std::uint64_t seed = 1; seed <= effort.seeds; ++seed) {
    results.push_back(result_of(seed, effort));
    print_heads(results.back());
  }
  print_ranks(results);
  print_orders(results);
  if (!arguments.folder.empty()) {
    write_csv(arguments.folder, results);
  }
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) {
  try {
    example::run(example::read(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
