// Early return on a failed absl::Status or absl::StatusOr.
#ifndef DYNOLITH_ENGINE_BASE_STATUS_MACROS_H_
#define DYNOLITH_ENGINE_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Evaluates `expression` (an absl::Status) and returns it from the enclosing function unless it is
// OK.
#define DYNOLITH_RETURN_IF_ERROR(expression)                                    \
  do {                                                                          \
    if (absl::Status dynolith_status_ = (expression); !dynolith_status_.ok()) { \
      return dynolith_status_;                                                  \
    }                                                                           \
  } while (false)

#define DYNOLITH_CONCAT_INNER_(a, b) a##b
#define DYNOLITH_CONCAT_(a, b) DYNOLITH_CONCAT_INNER_(a, b)

// Evaluates `expression` (an absl::StatusOr), returns its status from the enclosing function unless
// it is OK, and otherwise moves its value into `target`, which may declare a variable:
//   DYNOLITH_ASSIGN_OR_RETURN(Number sum, Add(left, right));
#define DYNOLITH_ASSIGN_OR_RETURN(target, expression) \
  DYNOLITH_ASSIGN_OR_RETURN_(DYNOLITH_CONCAT_(dynolith_status_or_, __LINE__), target, expression)
#define DYNOLITH_ASSIGN_OR_RETURN_(temporary, target, expression) \
  auto temporary = (expression);                                  \
  if (!temporary.ok()) return std::move(temporary).status();      \
  target = std::move(temporary).value()

#endif  // DYNOLITH_ENGINE_BASE_STATUS_MACROS_H_
