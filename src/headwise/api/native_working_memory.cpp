// Native builds only: WebAssembly has one block of working memory for all calls.
#include <headwise/api/working_memory.hpp>
#include <headwise/core/memory/aligned_floats.hpp>

namespace headwise {

WorkingMemory::WorkingMemory(std::size_t bytes)
    : memory_(LineAllocator<std::byte>().allocate(bytes)), arena_(memory_, bytes) {}

WorkingMemory::~WorkingMemory() { LineAllocator<std::byte>().deallocate(memory_, 0); }

}  // namespace headwise
