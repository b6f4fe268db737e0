#include "api/request/call_bounds.h"

#include "api/request/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::Status SpendWork(const OperationContext& context, size_t units) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotInterrupted(context));
  if (context.allowance == nullptr || context.allowance->Spend(units)) return absl::OkStatus();
  return absl::CancelledError();
}

absl::Status CheckNotInterrupted(const OperationContext& context) {
  if (!context.interrupted->load(std::memory_order_relaxed)) return absl::OkStatus();
  return MakeError(ErrorKind::kInternalServerError, messages::ServerEnds());
}

}  // namespace dynolith
