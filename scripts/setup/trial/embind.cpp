// Registers one call, which fails for a negative number.
#include <emscripten/bind.h>

#include <stdexcept>

float multiply_add(float a, float b, float c);

namespace {

double call(std::size_t a, double b, double c) {
  try {
    if (b < 0) {
      throw std::length_error("below 0");
    }
    return multiply_add(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
  } catch (const std::length_error&) {
    return -1;
  }
}

}  // namespace

EMSCRIPTEN_BINDINGS(trial) { emscripten::function("multiplyAdd", &call); }
