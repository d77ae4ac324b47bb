#include "results.hpp"

#include <cstddef>
#include <headwise/core/memory/checked_sizes.hpp>
#include <new>

#include "record.hpp"

// JavaScript's, see library.js.
extern "C" {
// NOLINTBEGIN(*-identifier-naming)
/// Makes a result of this shape. Returns the address of the caller's memory for it, 0 if that is
/// not WebAssembly's, or 1 if it could not be made.
std::size_t makeResult(std::size_t name, const std::size_t* shape, std::size_t rank);
/// Copies a result out of WebAssembly memory.
void takeResult(std::size_t name, const float* numbers);
// NOLINTEND(*-identifier-naming)
}

namespace headwise::bindings {
namespace {

Address make(std::size_t number, std::span<const std::size_t> shape) {
  const Address address = makeResult(number, shape.data(), shape.size());
  if (address == 1) {
    // JavaScript has kept the reason.
    throw std::bad_alloc();
  }
  return address;
}

/// As in model-results.ts: 5 bits for the name or what is captured, 2 for the side, and the layer.
std::size_t number_of(const ModelResult& result) noexcept {
  const std::size_t name =
      static_cast<std::size_t>(result.name) + static_cast<std::size_t>(result.activation);
  return name | static_cast<std::size_t>(result.side) << 5U | result.layer << 7U;
}

}  // namespace

float* Results::of(ResultName name, std::span<const std::size_t> shape) {
  return at<float>(make(static_cast<std::size_t>(name), shape));
}

void Results::take(ResultName name, const float* numbers) noexcept {
  takeResult(static_cast<std::size_t>(name), numbers);
}

float* ResultsOfModel::of(const ModelResult& result, std::span<const std::size_t> shape) {
  const std::size_t number = number_of(result);
  static_cast<void>(make(number, shape));
  const std::size_t count = checked_count(shape, sizeof(float));
  return written_.emplace_back(Written{.number = number, .numbers = AlignedFloats(count)})
      .numbers.data();
}

void ResultsOfModel::begin_list(const ModelResult& captured) {
  static_cast<void>(make(number_of(captured), {}));
}

void ResultsOfModel::give() const noexcept {
  for (const Written& each : written_) {
    takeResult(each.number, each.numbers.data());
  }
}

}  // namespace headwise::bindings
