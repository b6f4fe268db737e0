#include "engine/store/postgres/session.h"

#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "engine/base/status_macros.h"
#include "engine/store/postgres/messages.h"

namespace dynolith::postgres {

Session::Session(ConnectionPool* pool, Verb begin, absl::Duration time)
    : pool_(pool), begin_(begin), ends_(absl::Now() + time) {}

Session::~Session() { End(); }

absl::Status Session::Run(absl::Span<const Call> calls, Connection::Take take) {
  if (has_ended_ || absl::Now() > ends_) {
    End();
    return absl::AbortedError(messages::StoreTransactionTooOld());
  }
  size_t before = 0;
  std::vector<Call> all;
  if (!lease_) {
    DYNOLITH_ASSIGN_OR_RETURN(lease_, pool_->Take());
    all.push_back({.verb = begin_});
    all.insert(all.end(), calls.begin(), calls.end());
    calls = all;
    before = 1;
  }
  absl::Status status = lease_->Run(calls, [&](size_t call, Result result) {
    if (call >= before) take(call - before, std::move(result));
  });
  if (!status.ok()) has_ended_ = true;
  return status;
}

absl::Status Session::Finish(absl::Span<const Call> calls, bool change, Connection::Take take) {
  bool is_committed = false;
  const absl::Status status = Run(calls, [&](size_t call, Result result) {
    if (call + 1 == calls.size()) is_committed = result.tag() == "COMMIT";
    take(call, std::move(result));
  });
  if (!status.ok()) {
    const bool is_lost = lease_ && lease_->is_lost();
    return is_lost && change ? absl::UnknownError(status.message()) : status;
  }
  has_ended_ = true;
  lease_ = ConnectionPool::Lease();
  if (!is_committed) return absl::AbortedError(messages::StoreRolledBack());
  return absl::OkStatus();
}

void Session::End() {
  has_ended_ = true;
  if (!lease_) return;
  // Otherwise its next user would be in this transaction.
  if (!lease_->RollBack()) lease_->GiveUp();
  lease_ = ConnectionPool::Lease();
}

}  // namespace dynolith::postgres
