// Stands in for Embind's own library, as bindings/wasm/embind.cpp does, and registers one call.
#include <emscripten/bind.h>

#include <limits>
#include <typeinfo>

float multiply_add(float a, float b, float c);

namespace {

emscripten::internal::InitFunc* init_functions = nullptr;

double call(std::size_t a, double b, double c) {
  return multiply_add(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}

}  // namespace

extern "C" {

void _embind_register_bindings(emscripten::internal::InitFunc* function) {
  function->next = init_functions;
  init_functions = function;
}

void _embind_initialize_bindings() {
  for (auto* function = init_functions; function != nullptr; function = function->next) {
    function->init_func();
  }
}

const char* __getTypeName(const std::type_info* /*type*/) { return nullptr; }
}

EMSCRIPTEN_BINDINGS(trial) {
  using namespace emscripten::internal;
  using Integer = std::size_t;
  _embind_register_void(TypeID<void>::get(), "void");
  _embind_register_integer(TypeID<Integer>::get(), "size", sizeof(Integer),
                           std::numeric_limits<Integer>::min(),
                           std::numeric_limits<Integer>::max());
  _embind_register_float(TypeID<double>::get(), "double", sizeof(double));
  emscripten::function("multiplyAdd", &call);
}
