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

/// What a call throws: an `Error`'s code, or another kind; empty if nothing.
/// Does not allocate.
template <typename Call>
std::string_view thrown_by(const Call& call) {
  try {
    static_cast<void>(call());
    return {};
  } catch (const Error& error) {
    return to_string(error.code());
  } catch (const std::bad_alloc&) {
    return "std::bad_alloc";
  } catch (const std::length_error&) {
    return "std::length_error";
  } catch (const std::exception&) {
    return "another exception";
  }
}

/// Objects and a call on them.
struct Trial {
  /// Makes the call and returns what it throws. Nothing else allocates.
  std::function<std::string_view()> call;
  /// Adds what the latest call returned.
  std::function<void(Fingerprint&)> add_result;
  /// Adds all that can be seen of the objects. May disturb them.
  std::function<void(Fingerprint&)> probe;
};

/// Makes every allocation of a call fail, one after the other, and checks each
/// time that the call throws out-of-memory (or what it throws anyway), leaves
/// all as it was and keeps no memory; and that the call does what it should
/// when at last there is memory. Trials are all alike.
void check_trials(const std::string& name, const std::function<Trial()>& make);

/// `make()` gives the objects, always the same; `call(objects)` is the call
/// alone, whose arguments are there already; `probe(objects, fingerprint)` as
/// in `Trial`.
template <typename Make, typename Call, typename Probe>
void check_every_allocation(const std::string& name, const Make& make, const Call& call,
                            const Probe& probe) {
  using World = decltype(make());
  using Returned = std::decay_t<std::invoke_result_t<const Call&, World&>>;
  constexpr bool is_void = std::is_void_v<Returned>;
  struct State {
    World world;
    std::optional<std::conditional_t<is_void, Nothing, Returned>> result;
  };
  check_trials(name, [&] {
    const std::shared_ptr<State> state(new State{make(), std::nullopt});
    const auto pass = [state, &call] {
      if constexpr (is_void) {
        call(state->world);
        state->result.emplace();
      } else {
        state->result.emplace(call(state->world));
      }
    };
    return Trial{.call =
                     [state, pass] {
                       state->result.reset();
                       return thrown_by(pass);
                     },
                 .add_result = [state](Fingerprint& print) { print.add("result", state->result); },
                 .probe = [state, &probe](Fingerprint& print) { probe(state->world, print); }};
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
void check_every_allocation(const std::string& name, const Call& call) {
  check_every_allocation(
      name, [] { return Nothing(); }, [&](const Nothing& /*world*/) { return call(); },
      [](const Nothing& /*world*/, const Fingerprint& /*print*/) {});
}

}  // namespace headwise::test
