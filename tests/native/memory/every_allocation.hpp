#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "fingerprint.hpp"

namespace headwise::test {

/// What a call returns that returns nothing, and objects where there are none.
struct Nothing {};

inline void describe(Fingerprint& print, const std::string& name, const Nothing& /*nothing*/) {
  print.add(name, std::string_view("nothing"));
}

/// What a call gave or threw, taken without an allocation.
template <typename Result>
struct Outcome {
  std::optional<Result> result = {};
  /// An `Error`'s code, or what else came; empty if nothing was thrown.
  std::string_view thrown = {};
};

template <typename Call>
auto outcome_of(const Call& call) {
  using Returned = decltype(call());
  constexpr bool is_void = std::is_void_v<Returned>;
  Outcome<std::conditional_t<is_void, Nothing, std::decay_t<Returned>>> outcome;
  try {
    if constexpr (is_void) {
      call();
      outcome.result.emplace();
    } else {
      outcome.result.emplace(call());
    }
  } catch (const Error& error) {
    outcome.thrown = error.code();
  } catch (const std::bad_alloc&) {
    outcome.thrown = "std::bad_alloc";
  } catch (const std::length_error&) {
    outcome.thrown = "std::length_error";
  } catch (const std::exception&) {
    outcome.thrown = "another exception";
  }
  return outcome;
}

/// Objects and a call on them.
class Trial {
 public:
  Trial() = default;
  Trial(const Trial&) = delete;
  Trial(Trial&&) = delete;
  Trial& operator=(const Trial&) = delete;
  Trial& operator=(Trial&&) = delete;
  virtual ~Trial() = default;

  /// Makes the call and returns what it throws, see `Outcome`. Nothing else allocates.
  virtual std::string_view call() = 0;
  /// Adds what the latest call returned.
  virtual void add_result(Fingerprint& print) const = 0;
  /// Adds all that can be seen of the objects. May disturb them.
  virtual void probe(Fingerprint& print) = 0;
};

template <typename World, typename Call, typename Probe>
class TrialOf final : public Trial {
 public:
  template <typename Make>
  TrialOf(const Make& make, const Call& call, const Probe& probe)
      : world_(make()), call_(call), probe_(probe) {}

  std::string_view call() override {
    outcome_ = outcome_of([&] { return call_(world_); });
    return outcome_.thrown;
  }
  void add_result(Fingerprint& print) const override { print.add("result", outcome_.result); }
  void probe(Fingerprint& print) override { probe_(world_, print); }

 private:
  using Returned = std::decay_t<std::invoke_result_t<const Call&, World&>>;

  World world_;
  const Call& call_;
  const Probe& probe_;
  Outcome<std::conditional_t<std::is_void_v<Returned>, Nothing, Returned>> outcome_;
};

/// Makes every allocation of a call fail, one after the other, and checks each time that the call
/// throws out-of-memory (or what it throws anyway), leaves all as it was and keeps no memory; and
/// that the call does what it should when at last there is memory. Trials are all alike.
void check_every_allocation(const std::string& name,
                            const std::function<std::unique_ptr<Trial>()>& make);

/// `make()` gives the objects, always the same; `call(objects)` is the call alone, whose arguments
/// are there already; `probe(objects, fingerprint)` as in `Trial`.
template <typename Make, typename Call, typename Probe>
void check_every_allocation(const std::string& name, const Make& make, const Call& call,
                            const Probe& probe) {
  using World = decltype(make());
  check_every_allocation(name, [&]() -> std::unique_ptr<Trial> {
    return std::make_unique<TrialOf<World, Call, Probe>>(make, call, probe);
  });
}

/// For several calls of the same objects, each by `check(name, call)`.
template <typename Make, typename Probe>
auto checker(const std::string& objects, const Make& make, const Probe& probe) {
  return [=](const std::string& name, const auto& call) {
    check_every_allocation(name + ", " + objects, make, call, probe);
  };
}

/// The same for a call that takes numbers and gives numbers.
template <typename Call>
  requires std::is_invocable_v<const Call&> &&
           (!std::is_same_v<std::invoke_result_t<const Call&>, std::unique_ptr<Trial>>)
void check_every_allocation(const std::string& name, const Call& call) {
  check_every_allocation(
      name, [] { return Nothing(); }, [&](const Nothing& /*world*/) { return call(); },
      [](const Nothing& /*world*/, const Fingerprint& /*print*/) {});
}

}  // namespace headwise::test
