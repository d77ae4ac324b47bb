#include "every_allocation.hpp"

#include <catch2/catch_test_macros.hpp>

#include "allocations.hpp"

namespace headwise::test {
namespace {

using allocations::Fail;
using allocations::Failing;

Fingerprint print_of(const Trial& trial, bool with_result) {
  Fingerprint print;
  if (with_result) {
    trial.add_result(print);
  }
  trial.probe(print);
  return print;
}

void check_failing(Failing failing, const std::function<Trial()>& make) {
  const Fingerprint before = print_of(make(), false);
  std::string_view expected_error;
  const auto print_after_call = [&] {
    const Trial trial = make();
    expected_error = trial.call();
    return print_of(trial, true);
  };
  const Fingerprint after = print_after_call();
  // Else nothing below would mean anything.
  REQUIRE_FALSE(print_of(make(), false).difference(before).has_value());
  REQUIRE_FALSE(print_after_call().difference(after).has_value());

  std::string report;
  std::size_t place = 0;
  const auto add_to_report = [&](std::string_view problem, std::string_view of_what) {
    report.append(problem).append(of_what).append(" at ").append(std::to_string(place) + "\n");
  };
  for (bool was_reached = true; was_reached; ++place) {
    const std::size_t live_before = allocations::live();
    std::string_view thrown;
    bool has_failed = true;
    Fingerprint::Place changed;
    {
      const Trial trial = make();
      {
        const Fail fail(place, failing);
        thrown = trial.call();
        was_reached = Fail::has_failed();
      }
      has_failed = thrown != expected_error;
      changed = print_of(trial, !has_failed).difference(has_failed ? before : after);
    }
    if (allocations::live() != live_before) {
      add_to_report("keeps memory", "");
    }
    if (has_failed && thrown != "out-of-memory") {
      add_to_report("throws ", thrown.empty() ? "nothing" : thrown);
    }
    if (changed) {
      add_to_report("changes ", (has_failed ? before : after).name(*changed));
    }
  }

  const Trial trial = make();
  const std::size_t end = place;
  for (place = 0; place < end; ++place) {
    const Fail fail(place, failing);
    if (trial.call() == expected_error) {
      break;
    }
  }
  if (const auto changed = print_of(trial, true).difference(after)) {
    add_to_report("after failures, gives another ", after.name(*changed));
  }
  INFO((failing == Failing::one ? "one" : "all from one on") << " of the allocations failed");
  CHECK(report == "");
}

}  // namespace

void check_trials(const std::string& name, const std::function<Trial()>& make) {
  INFO(name);
  check_failing(Failing::one, make);
#ifndef HEADWISE_SANITIZE
  // With sanitizers one way takes minutes, and the other takes the same paths.
  check_failing(Failing::all_from_then_on, make);
#endif
}

}  // namespace headwise::test
