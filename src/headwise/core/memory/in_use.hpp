#pragma once

#include <utility>

namespace headwise {

/// Whether the object that has this member is in use: false once it was moved from. A copy is in
/// use if the original is.
class InUse {
 public:
  InUse() noexcept = default;
  InUse(const InUse&) noexcept = default;
  InUse(InUse&& other) noexcept : value_(std::exchange(other.value_, false)) {}
  InUse& operator=(const InUse&) noexcept = default;
  InUse& operator=(InUse&& other) noexcept {
    value_ = std::exchange(other.value_, false);
    return *this;
  }
  ~InUse() = default;

  explicit operator bool() const noexcept { return value_; }

 private:
  bool value_ = true;
};

}  // namespace headwise
