#include <headwise/api/validation.hpp>
#include <headwise/key_value_cache.hpp>

namespace headwise {

void KeyValueCache::truncate(std::int64_t length) {
  report_out_of_memory([&] {
    validation::check_in_use(in_use(), "cache");
    validation::check_truncate(length, this->length());
  });
  set_length(static_cast<std::size_t>(length));
}

}  // namespace headwise
