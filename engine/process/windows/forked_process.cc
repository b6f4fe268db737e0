#include "engine/process/forked_process.h"

#include <fcntl.h>

#include "engine/base/errors.h"
#include "engine/process/messages.h"

namespace dynolith {

namespace internal {
std::atomic<uint32_t> fork_generation = 0;
}  // namespace internal

// Never called: nothing raises the generation.
absl::Status MakingProcess::Refused() const {
  return MakeError(ErrorKind::kAccessDenied, messages::DatabaseOfParent(id_, getpid()));
}

NoForks::NoForks() = default;
NoForks::~NoForks() = default;

}  // namespace dynolith
