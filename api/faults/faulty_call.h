// A call with its faults: the one place through which the wire and C++ programs reach an operation.
#ifndef DYNOLITH_API_FAULTS_FAULTY_CALL_H_
#define DYNOLITH_API_FAULTS_FAULTY_CALL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/faults/call_elements.h"
#include "api/faults/fault_rules.h"
#include "api/request/control_limit.h"
#include "api/request/current_tables.h"
#include "api/request/operation_context.h"

namespace dynolith {

// The effects of faults on an answer, for interfaces with connections.
struct AnswerFault {
  int64_t rule = 0;      // that has hit the call; 0: none
  absl::Duration delay;  // before it is sent
  // The value of its header x-amz-retry-after, if it is an error; 0: no header.
  absl::Duration retry_after;
  bool is_dropped = false;  // not sent: the connection is closed
};

// One call: the faults before, during and after its execution. Not thread-safe.
class FaultyCall {
 public:
  // Asks the rules. With `answer`, that receives the effects on the connection; without, this waits
  // and fails itself. Borrows all arguments.
  FaultyCall(const OperationContext& context, FaultCall call, AnswerFault* answer);

  // Failed: this is the answer, and the operation is not executed.
  const absl::Status& before() const { return before_; }
  // The context for its execution.
  const OperationContext& context() const { return own_ ? *own_ : context_; }
  // Call it afterwards. Failed: the answer is lost.
  absl::Status Finish();

 private:
  void Decide();
  void LeaveOut(absl::Status why);
  absl::Status Throttled(size_t element) const;
  absl::Status ThrottledCall();
  absl::Status ConflictingCall();
  absl::Status CancelledWith(absl::Status (FaultyCall::*reason)(size_t) const) const;
  absl::Status Conflict(size_t element) const;
  absl::Status Dropped(const std::string& text);
  void Wait() const;

  const OperationContext& context_;
  const FaultCall call_;
  AnswerFault* const answer_;
  FaultDecision decision_;
  LeftOutElements left_out_;
  std::optional<OperationContext> own_;
  absl::Status before_;
};

// The answer of `run`, which is the operation on a context, or the failure by a rule or the rate of
// control calls. Without rules it costs one relaxed load.
//
// Requires: the request's own members have been checked; the operation's own checks have not been
// made.
template <typename Request, typename Run>
auto WithFaults(const OperationContext& context, const CallName& operation, const Request& request,
                AnswerFault* answer, Run run) -> decltype(run(context)) {
  if (context.fault_rules != nullptr && context.fault_rules->process().IsForked()) [[unlikely]] {
    return context.fault_rules->process().CheckNotForked();
  }
  if (operation.control && context.control_limit != nullptr) [[unlikely]] {
    absl::Status admitted = context.control_limit->Admit(*operation.control);
    if (!admitted.ok()) return admitted;
  }
  const auto run_on = [&](const OperationContext& given) {
    return OnCurrentTables(given, operation.control ? TablesUse::kTables : TablesUse::kRows, run);
  };
  if (context.fault_rules == nullptr || !context.fault_rules->any()) return run_on(context);
  FaultCall call = FaultCallForOperation(operation.text);
  AddElements(context, request, &call);
  FaultyCall faulty(context, std::move(call), answer);
  if (!faulty.before().ok()) return faulty.before();
  auto result = run_on(faulty.context());
  if (absl::Status lost = faulty.Finish(); !lost.ok()) return lost;
  return result;
}

}  // namespace dynolith

#endif  // DYNOLITH_API_FAULTS_FAULTY_CALL_H_
