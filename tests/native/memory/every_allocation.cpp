#include "every_allocation.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <vector>

#include "allocations.hpp"

namespace headwise::test {
namespace {

using allocations::Fail;
using allocations::Failing;
using MakeTrial = std::function<std::unique_ptr<Trial>()>;

/// What can be seen after a call that nothing fails, or without it.
struct Expected {
  std::string_view thrown;
  Fingerprint print;
};

Expected expected_of(const MakeTrial& make, bool with_call) {
  Expected expected;
  const std::unique_ptr<Trial> trial = make();
  if (with_call) {
    expected.thrown = trial->call();
    trial->add_result(expected.print);
  }
  trial->probe(expected.print);
  return expected;
}

/// The first part in which the trial is not as it should be.
Fingerprint::Place difference(Trial& trial, bool with_result, const Fingerprint& expected) {
  Fingerprint print;
  if (with_result) {
    trial.add_result(print);
  }
  trial.probe(print);
  return print.difference(expected);
}

class Report {
 public:
  void add(std::string_view what, std::string_view of_what, std::size_t place) {
    std::string problem(what);
    problem.append(of_what);
    places_[problem].push_back(place);
  }

  /// A line a problem, with the places as ranges.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [problem, places] : places_) {
      text.append(problem).append(" at");
      for (std::size_t first = 0, end = 0; first < places.size(); first = end) {
        while (end < places.size() && places[end] - places[first] == end - first) {
          ++end;
        }
        text.append(" ").append(std::to_string(places[first]));
        if (end - first > 1) {
          text.append("-").append(std::to_string(places[end - 1]));
        }
      }
      text.append("\n");
    }
    return text;
  }

 private:
  std::map<std::string, std::vector<std::size_t>> places_;
};

void check_failing(Failing failing, const MakeTrial& make) {
  const Expected before = expected_of(make, false);
  const Expected after = expected_of(make, true);
  // Else nothing below would mean anything.
  REQUIRE_FALSE(expected_of(make, false).print.difference(before.print).has_value());
  REQUIRE_FALSE(expected_of(make, true).print.difference(after.print).has_value());

  Report report;
  std::size_t places = 0;
  for (bool was_reached = true; was_reached;) {
    std::string_view thrown;
    Fingerprint::Place changed;
    bool has_failed = true;
    const std::size_t live_before = allocations::live();
    {
      const std::unique_ptr<Trial> trial = make();
      {
        const Fail fail(places, failing);
        thrown = trial->call();
        was_reached = Fail::has_failed();
      }
      has_failed = thrown != after.thrown;
      changed = difference(*trial, !has_failed, (has_failed ? before : after).print);
    }
    if (allocations::live() != live_before) {
      report.add("keeps memory", "", places);
    }
    if (has_failed && thrown != "out-of-memory") {
      report.add("throws ", thrown.empty() ? "nothing" : thrown, places);
    }
    if (changed) {
      report.add("changes ", (has_failed ? before : after).print.name(*changed), places);
    }
    places += was_reached ? 1 : 0;
  }

  const std::unique_ptr<Trial> trial = make();
  for (std::size_t place = 0; place <= places; ++place) {
    const Fail fail(place, failing);
    if (trial->call() == after.thrown) {
      break;
    }
  }
  if (const auto changed = difference(*trial, true, after.print)) {
    report.add("after failures, gives another ", after.print.name(*changed), places);
  }

  INFO((failing == Failing::one ? "one" : "all from one on")
       << " of " << places << " allocations failed");
  CHECK(report.text() == "");
}

}  // namespace

void check_every_allocation(const std::string& name, const MakeTrial& make) {
  INFO(name);
  check_failing(Failing::one, make);
#ifndef HEADWISE_SANITIZE
  // With sanitizers one way takes minutes, and the other takes the same paths.
  check_failing(Failing::all_from_then_on, make);
#endif
}

}  // namespace headwise::test
