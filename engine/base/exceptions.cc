#include "engine/base/exceptions.h"

#include <new>

#include "engine/base/messages.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

absl::Status Described(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(messages::NotEnoughMemory());
  } catch (const std::exception& failure) {
    return absl::InternalError(failure.what());
  }
}

}  // namespace

absl::Status StatusOfThrown(const std::exception_ptr& thrown) noexcept {
  try {
    return Described(thrown);
  } catch (...) {
    return absl::ResourceExhaustedError("");
  }
}

absl::Status CatchThrown(absl::FunctionRef<absl::Status()> call) noexcept {
  try {
    return call();
  } catch (...) {
    return StatusOfThrown(std::current_exception());
  }
}

}  // namespace dynolith
