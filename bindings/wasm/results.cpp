#include "results.hpp"

#include <cstddef>
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

float* Results::of(ResultName name, std::span<const std::size_t> shape) {
  const Address address = makeResult(static_cast<std::size_t>(name), shape.data(), shape.size());
  if (address == 1) {
    // JavaScript has kept the reason.
    throw std::bad_alloc();
  }
  return at<float>(address);
}

void Results::take(ResultName name, const float* numbers) noexcept {
  takeResult(static_cast<std::size_t>(name), numbers);
}

}  // namespace headwise::bindings
