#include "api/faults/faulty_call.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "api/faults/messages.h"
#include "api/request/call_bounds.h"
#include "api/request/throttling.h"
#include "api/write/cancellation.h"
#include "api/write/messages.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

// The time between two checks whether the process should end.
constexpr absl::Duration kWaitStep = absl::Milliseconds(10);

// Whether the call uses the capacity of tables.
bool UsesCapacity(const FaultCall& call) {
  return call.kind != CallKind::kOther || call.operation == "GetItem" ||
         call.operation == "Query" || call.operation == "Scan" || call.operation == "SearchVectors";
}

}  // namespace

FaultyCall::FaultyCall(const OperationContext& context, FaultCall call, AnswerFault* answer)
    : context_(context), call_(std::move(call)), answer_(answer) {
  // The call begins again elsewhere, so that it is counted once.
  if (context.allowance != nullptr) {
    context.allowance->Spend(std::numeric_limits<size_t>::max());
    before_ = absl::CancelledError();
    return;
  }
  decision_ = context.fault_rules->Decide(call_);
  if (answer_ != nullptr) {
    answer_->rule = decision_.rule;
    answer_->delay = decision_.latency;
    answer_->retry_after = decision_.retry_after;
  }
  if (decision_.fault) Decide();
  if (!before_.ok()) Wait();
}

void FaultyCall::Decide() {
  switch (*decision_.fault) {
    case FaultKind::kThrottle:
      before_ = ThrottledCall();
      break;
    case FaultKind::kInternalError:
      before_ = MakeError(ErrorKind::kInternalServerError, messages::FaultInternalError());
      break;
    case FaultKind::kUnavailable:
      before_ = MakeError(ErrorKind::kServiceUnavailable, messages::FaultUnavailable());
      break;
    case FaultKind::kDroppedConnection:
      before_ = Dropped(messages::FaultConnectionDropped(decision_.rule));
      break;
    case FaultKind::kPartialBatch:
      LeaveOut(MakeError(ErrorKind::kThrottling, messages::FaultRequestRate()));
      break;
    case FaultKind::kTransactionConflict:
      before_ = ConflictingCall();
      break;
    case FaultKind::kLatency:
    case FaultKind::kAnswerLost:
      break;
  }
}

absl::Status FaultyCall::Finish() {
  Wait();
  if (decision_.fault != FaultKind::kAnswerLost) return absl::OkStatus();
  return Dropped(messages::FaultAnswerLost(decision_.rule));
}

void FaultyCall::LeaveOut(absl::Status why) {
  for (const size_t i : decision_.struck) {
    left_out_.elements.push_back(call_.elements[i].address);
  }
  left_out_.why = std::move(why);
  own_ = context_;
  own_->left_out = &left_out_;
}

// The exception that the table's capacity would give (api/facts/capacity.md §6).
absl::Status FaultyCall::Throttled(size_t element) const {
  const std::string& name = call_.elements[element].table;
  const std::shared_ptr<Table> table = context_.catalog->Find(name);
  if (table == nullptr || !UsesCapacity(call_)) {
    return MakeError(ErrorKind::kThrottling, messages::FaultRequestRate());
  }
  const std::shared_ptr<const TableMeta> meta = table->meta();
  const RefusedAccess refused = {.kind = call_.writes ? AccessKind::kWrite : AccessKind::kRead,
                                 .limit = meta->billing_mode == BillingMode::kPayPerRequest
                                              ? ThroughputLimit::kKeyRange
                                              : ThroughputLimit::kProvisionedThroughput};
  return Refuse(context_, *meta, {refused}, /*account_limit_throttles=*/false);
}

absl::Status FaultyCall::ThrottledCall() {
  if (decision_.struck.empty()) {
    return MakeError(ErrorKind::kThrottling, messages::FaultRequestRate());
  }
  if (call_.kind == CallKind::kTransaction) return CancelledWith(&FaultyCall::Throttled);
  const size_t first = decision_.struck[0];
  const bool is_all = decision_.struck.size() == call_.elements.size();
  // A batch fails only if none of its elements succeeds.
  const bool is_left_out =
      call_.kind == CallKind::kStatements || (call_.kind == CallKind::kBatch && !is_all);
  if (!is_left_out) return Throttled(first);
  LeaveOut(Throttled(first));
  return absl::OkStatus();
}

absl::Status FaultyCall::Conflict(size_t /*element*/) const {
  return MakeError(ErrorKind::kTransactionConflict, messages::TransactionConflict());
}

absl::Status FaultyCall::ConflictingCall() {
  if (call_.kind == CallKind::kTransaction && !decision_.struck.empty()) {
    return CancelledWith(&FaultyCall::Conflict);
  }
  if (call_.kind != CallKind::kStatements) return Conflict(0);
  LeaveOut(Conflict(0));
  return absl::OkStatus();
}

absl::Status FaultyCall::CancelledWith(absl::Status (FaultyCall::*reason)(size_t) const) const {
  std::vector<absl::Status> actions(call_.elements.size());
  for (const size_t i : decision_.struck) actions[i] = (this->*reason)(i);
  return Cancelled(actions);
}

absl::Status FaultyCall::Dropped(const std::string& text) {
  if (answer_ != nullptr) answer_->is_dropped = true;
  return absl::UnavailableError(text);
}

void FaultyCall::Wait() const {
  if (answer_ != nullptr || decision_.latency == absl::ZeroDuration()) return;
  const absl::Time end = absl::Now() + decision_.latency;
  while (absl::Now() < end && !context_.interrupted->load(std::memory_order_relaxed)) {
    absl::SleepFor(std::min(kWaitStep, end - absl::Now()));
  }
}

}  // namespace dynolith
