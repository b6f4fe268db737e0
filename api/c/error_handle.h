// Failures as the C interface returns them; stops all exceptions.
#ifndef DYNOLITH_API_C_ERROR_HANDLE_H_
#define DYNOLITH_API_C_ERROR_HANDLE_H_

#include <exception>
#include <new>
#include <string>

#include "absl/status/status.h"
#include "api/c/messages.h"
#include "dynolith/dynolith.h"

struct dynolith_error {
  std::string kind;
  std::string message;
};

namespace dynolith::c {

// nullptr if it is OK.
dynolith_error* ToCError(const absl::Status& status);
// Made when the library is loaded, since there is no memory for it later; dynolith_error_free
// recognises it.
dynolith_error* OutOfMemory();

// The status that `body` returns, or one for the exception that it threw; only a lack of memory or
// a bug throws.
template <typename Body>
dynolith_error* Guarded(Body body) noexcept {
  try {
    try {
      return ToCError(body());
    } catch (const std::bad_alloc&) {
      return OutOfMemory();
    } catch (const std::exception& exception) {
      return ToCError(absl::InternalError(messages::UnexpectedException(exception.what())));
    }
  } catch (...) {
    return OutOfMemory();
  }
}

}  // namespace dynolith::c

#endif  // DYNOLITH_API_C_ERROR_HANDLE_H_
