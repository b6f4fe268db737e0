// Runs independent pieces of work on several threads.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_SIDE_BY_SIDE_H_
#define DYNOLITH_TOOLS_LAB_MODEL_SIDE_BY_SIDE_H_

#include <cstddef>

#include "absl/functional/function_ref.h"

namespace dynolith::lab {

// Calls `work` once with each number below `count`, beginning with the lowest, at most `threads` at
// a time, and waits for all. If fewer threads can be started it only takes longer.
void SideBySide(size_t count, size_t threads, absl::FunctionRef<void(size_t)> work);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_SIDE_BY_SIDE_H_
