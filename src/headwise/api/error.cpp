#include <headwise/error.hpp>

namespace headwise {

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_option:
      return "invalid-option";
    case ErrorCode::invalid_shape:
      return "invalid-shape";
    case ErrorCode::invalid_value:
      return "invalid-value";
    case ErrorCode::invalid_state_dict:
      return "invalid-state-dict";
    case ErrorCode::invalid_file:
      return "invalid-file";
    case ErrorCode::invalid_cache:
      return "invalid-cache";
    case ErrorCode::cache_full:
      return "cache-full";
    case ErrorCode::sizes_unknown:
      return "sizes-unknown";
    case ErrorCode::no_pending_backward:
      return "no-pending-backward";
    case ErrorCode::disposed:
      return "disposed";
    case ErrorCode::out_of_memory:
      return "out-of-memory";
  }
  return "unknown";
}

Error::Error(ErrorCode code, const std::string& message)
    : std::invalid_argument(message), code_(code) {}

}  // namespace headwise
