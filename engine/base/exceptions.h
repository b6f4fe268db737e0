// Turns exceptions into statuses where no caller would catch them. Only a lack of memory, or a bug,
// throws.
#ifndef DYNOLITH_ENGINE_BASE_EXCEPTIONS_H_
#define DYNOLITH_ENGINE_BASE_EXCEPTIONS_H_

#include <exception>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace dynolith {

// kResourceExhausted for std::bad_alloc, else kInternal. Without memory for its message it has
// none.
absl::Status StatusOfThrown(const std::exception_ptr& thrown) noexcept;

// What `call` returns, or the status of what it throws.
absl::Status CatchThrown(absl::FunctionRef<absl::Status()> call) noexcept;

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_EXCEPTIONS_H_
