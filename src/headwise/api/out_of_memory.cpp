// Native builds only: WebAssembly reports too little memory to JavaScript without an `Error`.
#include <headwise/error.hpp>

namespace headwise {
namespace {

/// Constructed while there is memory; copies share its text.
const Error out_of_memory(  // NOLINT(cert-err58-cpp)
    ErrorCode::out_of_memory, "memory: not enough for tensors of these sizes");

}  // namespace

void throw_as_error() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(out_of_memory);
  } catch (const std::length_error&) {
    throw Error(out_of_memory);
  }
}

}  // namespace headwise
