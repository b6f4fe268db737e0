#include "engine/store/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/postgres/limits.h"
#include "engine/store/postgres/messages.h"
#include "engine/store/transaction/patience.h"

namespace dynolith::postgres {
namespace {

constexpr int kBinary = 1;
constexpr std::string_view kSerializationFailure = "40001";
constexpr std::string_view kDeadlock = "40P01";
constexpr std::string_view kDivisionByZero = "22012";
constexpr std::string_view kReadOnlyTransaction = "25006";
constexpr std::string_view kQueryCanceled = "57014";

thread_local int64_t thread_round_trips = 0;

std::string NameOf(size_t statement) { return Concat("d", statement); }

// A trailing end of line does not belong into a message.
std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

void IgnoreNotice(void* /*unused*/, const PGresult* /*notice*/) {}

// Reads by keys and ranges only: a plan that reads a whole table would conflict with every writer.
std::string SessionOptions(const SharedState& shared, bool reads_only) {
  return Concat(
      shared.options,
      " -c default_transaction_isolation=serializable -c default_transaction_read_only=",
      reads_only ? "on" : "off",
      " -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off "
      "-c enable_mergejoin=off -c enable_sort=off -c jit=off "
      "-c plan_cache_mode=force_generic_plan -c synchronous_commit=on -c statement_timeout=",
      absl::ToInt64Milliseconds(shared.waits.statement), " -c idle_in_transaction_session_timeout=",
      reads_only ? absl::ToInt64Milliseconds(kSnapshotTime)
                 : absl::ToInt64Milliseconds(kTransactionTime),
      // Within a pipeline no time of the server's runs: a machine that is gone is found by these.
      " -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(SharedState* shared, bool reads_only) {
  const std::string options = SessionOptions(*shared, reads_only);
  // For libpq a session is not "read-write" if its transactions are read-only by default.
  const char* const session = reads_only ? "primary" : "read-write";
  const std::string connect_time = Concat(absl::ToInt64Seconds(kConnectTime));
  const std::string user_time = Concat(absl::ToInt64Milliseconds(shared->waits.pipeline));
  // The URL, at "dbname", prevails over what stands before it, and yields to what follows.
  const char* const keywords[] = {"application_name",
                                  "connect_timeout",
                                  "tcp_user_timeout",
                                  "keepalives_idle",
                                  "keepalives_interval",
                                  "keepalives_count",
                                  "dbname",
                                  "options",
                                  "client_encoding",
                                  "target_session_attrs",
                                  nullptr};
  const char* const values[] = {
      "dynolith", connect_time.c_str(), user_time.c_str(), "5",    "2",
      "3",        shared->url.c_str(),  options.c_str(),   "UTF8", session,
      nullptr};
  PGconn* const opened = shared->libpq->connectdbParams(keywords, values, /*expand_dbname=*/1);
  if (opened == nullptr) return absl::ResourceExhaustedError("");
  std::unique_ptr<Connection> connection(new Connection(shared, opened));
  if (shared->libpq->status(opened) != CONNECTION_OK) {
    return absl::UnavailableError(
        messages::StoreNotReached(shared->place, Trimmed(shared->libpq->errorMessage(opened))));
  }
  shared->libpq->setNoticeReceiver(opened, IgnoreNotice, nullptr);
  if (shared->libpq->setnonblocking(opened, 1) != 0) {
    return connection->Lost(shared->libpq->errorMessage(opened));
  }
  return connection;
}

absl::Status Connection::BeginPipelines() {
  if (libpq_->enterPipelineMode(connection_) == 0) return Lost(libpq_->errorMessage(connection_));
  return absl::OkStatus();
}

int64_t Connection::ThreadRoundTrips() { return thread_round_trips; }

Connection::~Connection() { libpq_->finish(connection_); }

absl::StatusOr<Result> Connection::Execute(const std::string& sql, absl::Duration time) {
  ++thread_round_trips;
  const absl::Time deadline = std::min(absl::Now() + time, Patience::End());
  if (libpq_->sendQuery(connection_, sql.c_str()) == 0) {
    return Lost(libpq_->errorMessage(connection_));
  }
  DYNOLITH_RETURN_IF_ERROR(Flush(deadline));
  absl::Status failure;
  Result last;
  for (;;) {
    DYNOLITH_ASSIGN_OR_RETURN(PGresult* const next, NextResult(deadline));
    if (next == nullptr) break;
    last = Result(libpq_, next);
    if (libpq_->resultStatus(next) == PGRES_FATAL_ERROR) failure.Update(FromError(next));
    if (is_lost_) break;
  }
  if (!failure.ok()) return failure;
  return last;
}

absl::Status Connection::Run(absl::Span<const Call> calls, Take take) {
  DYNOLITH_ASSIGN_OR_RETURN(const absl::Time deadline, Deadline());
  ++thread_round_trips;
  sent_.clear();
  for (const Call& call : calls) {
    DYNOLITH_ASSIGN_OR_RETURN(const Sent sent, Send(call));
    sent_.push_back(sent);
  }
  DYNOLITH_RETURN_IF_ERROR(SendEnd());
  DYNOLITH_RETURN_IF_ERROR(Flush(deadline));
  DYNOLITH_RETURN_IF_ERROR(ReceiveRollback(deadline));
  return Receive(sent_, deadline, take);
}

bool Connection::RollBack() {
  if (is_lost_) return false;
  if (rollback_) return true;  // nothing has been sent since
  const absl::StatusOr<Sent> sent = Send({.verb = Verb::kRollback});
  if (!sent.ok() || !SendEnd().ok() || libpq_->flush(connection_) != 0) return false;
  rollback_ = *sent;
  return true;
}

absl::Status Connection::ReceiveRollback(absl::Time deadline) {
  if (!rollback_) return absl::OkStatus();
  const Sent sent = *std::exchange(rollback_, std::nullopt);
  absl::Status ended =
      Receive(absl::MakeConstSpan(&sent, 1), deadline, [](size_t, const Result&) {});
  // What came after it was run in the transaction that should have ended.
  if (!ended.ok()) is_lost_ = true;
  return ended;
}

absl::StatusOr<absl::Time> Connection::Deadline() {
  const absl::Time now = absl::Now();
  int64_t until = shared_->slow_until.load(std::memory_order_relaxed);
  const absl::Time end = Patience::End();
  // With less time for its answer a call would say of the store what is true of its own wait.
  if (now + kLeastTime > end) return absl::UnavailableError(messages::StoreTooSlow());
  is_cut_short_ = now + (until == 0 ? shared_->waits.pipeline : kTryTime) > end;
  if (until == 0) return std::min(now + shared_->waits.pipeline, end);
  const int64_t next = absl::ToUnixNanos(now + kTryTime);
  if (absl::ToUnixNanos(now) < until || !shared_->slow_until.compare_exchange_strong(until, next)) {
    return absl::UnavailableError(messages::StoreTooSlow());
  }
  return std::min(now + kTryTime, end);
}

absl::Status Connection::Flush(absl::Time deadline) {
  for (int left = libpq_->flush(connection_); left != 0; left = libpq_->flush(connection_)) {
    if (left < 0) return Lost(libpq_->errorMessage(connection_));
    DYNOLITH_RETURN_IF_ERROR(Wait(/*for_writing=*/true, deadline));
  }
  return absl::OkStatus();
}

absl::Status Connection::SendEnd() {
  if (libpq_->pipelineSync(connection_) == 0) return Lost(libpq_->errorMessage(connection_));
  return absl::OkStatus();
}

absl::StatusOr<Connection::Sent> Connection::Send(const Call& call) {
  const size_t number = call.number();
  const std::string name = NameOf(number);
  const Sent sent = {.number = number, .prepares = !prepared_[number]};
  if (sent.prepares) {
    prepared_[number] = true;  // taken back if it is not run
    if (libpq_->sendPrepare(connection_, name.c_str(), SqlOf(call.verb, call.family).c_str(), 0,
                            nullptr) == 0) {
      return Lost(libpq_->errorMessage(connection_));
    }
  }
  constexpr size_t kParametersMax = 4;
  const char* values[kParametersMax] = {};
  int lengths[kParametersMax] = {};
  int formats[kParametersMax] = {kBinary, kBinary, kBinary, kBinary};
  for (size_t i = 0; i < call.parameters.size(); ++i) {
    // nullptr would be a null.
    values[i] = call.parameters[i].data() == nullptr ? "" : call.parameters[i].data();
    lengths[i] = static_cast<int>(call.parameters[i].size());
  }
  if (libpq_->sendQueryPrepared(connection_, name.c_str(), static_cast<int>(call.parameters.size()),
                                values, lengths, formats, kBinary) == 0) {
    return Lost(libpq_->errorMessage(connection_));
  }
  return sent;
}

absl::Status Connection::Receive(absl::Span<const Sent> calls, absl::Time deadline, Take take) {
  absl::Status failure;
  // One part of the pipeline: a statement that is prepared, or one that is run.
  const auto receive_part = [&](size_t call, bool is_run) -> absl::StatusOr<bool> {
    bool is_done = false;
    for (;;) {
      DYNOLITH_ASSIGN_OR_RETURN(PGresult* const next, NextResult(deadline));
      if (next == nullptr) return is_done;
      Result result(libpq_, next);
      const ExecStatusType status = libpq_->resultStatus(next);
      is_done = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
      if (is_done && is_run) take(call, std::move(result));
      if (status == PGRES_FATAL_ERROR) failure.Update(FromError(next));
      if (is_lost_) return failure;
    }
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].prepares) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool is_prepared, receive_part(i, false));
      if (!is_prepared) prepared_[calls[i].number] = false;
    }
    DYNOLITH_RETURN_IF_ERROR(receive_part(i, true).status());
  }
  DYNOLITH_ASSIGN_OR_RETURN(PGresult* const end, NextResult(deadline));
  const Result sync(libpq_, end);
  if (end == nullptr || libpq_->resultStatus(end) != PGRES_PIPELINE_SYNC) {
    return Lost(messages::StoreAnsweredOddly());
  }
  if (shared_->slow_until.load(std::memory_order_relaxed) != 0) shared_->slow_until = 0;
  Patience::Renew();
  return failure;
}

absl::StatusOr<PGresult*> Connection::NextResult(absl::Time deadline) {
  while (libpq_->isBusy(connection_) != 0) {
    DYNOLITH_RETURN_IF_ERROR(Wait(/*for_writing=*/false, deadline));
    if (libpq_->consumeInput(connection_) == 0) return Lost(libpq_->errorMessage(connection_));
  }
  return libpq_->getResult(connection_);
}

absl::Status Connection::Wait(bool for_writing, absl::Time deadline) {
  // Input is read while output waits: otherwise both sides could wait for each other.
  pollfd socket = {.fd = libpq_->socket(connection_), .events = POLLIN, .revents = 0};
  if (for_writing) socket.events |= POLLOUT;
  for (;;) {
    const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
    const int ready =
        left <= 0 ? 0 : poll(&socket, 1, static_cast<int>(std::min<int64_t>(left + 1, 60'000)));
    if (ready > 0) break;
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return Lost(messages::StoreAnsweredOddly());
    if (absl::Now() < deadline) continue;
    is_lost_ = true;
    // A thread that had waited elsewhere says nothing of the store.
    if (!is_cut_short_) shared_->slow_until = absl::ToUnixNanos(absl::Now() + kTryTime);
    return absl::UnavailableError(messages::StoreTooSlow());
  }
  if (for_writing && (socket.revents & POLLIN) != 0 && libpq_->consumeInput(connection_) == 0) {
    return Lost(libpq_->errorMessage(connection_));
  }
  return absl::OkStatus();
}

absl::Status Connection::Lost(std::string_view why) {
  is_lost_ = true;
  return absl::AbortedError(messages::StoreConnectionLost(Trimmed(why)));
}

absl::Status Connection::FromError(const PGresult* result) {
  const char* const field = libpq_->resultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string_view code = field == nullptr ? "" : field;
  const std::string_view why = Trimmed(libpq_->resultErrorMessage(result));
  // Without a code it is libpq's own; 08: connections; 57P: the server ends, or is not up yet.
  if (code.empty() || code.starts_with("08") || code.starts_with("57P") || code == "25P03" ||
      libpq_->status(connection_) != CONNECTION_OK) {
    return Lost(why);
  }
  // It is a standby now; another connection finds the primary.
  if (code == kReadOnlyTransaction) return Lost(why);
  const std::string text = messages::StoreRefused(code, why);
  if (code == kDivisionByZero) return absl::AbortedError(messages::StoreExpectationFailed());
  if (code == kSerializationFailure || code == kDeadlock) return absl::AbortedError(text);
  if (code == kQueryCanceled) return absl::UnavailableError(text);
  // Out of disk, memory or connections.
  if (code.starts_with("53")) return absl::ResourceExhaustedError(text);
  if (code == "42501") return absl::PermissionDeniedError(text);
  if (code == "42P01" || code == "3F000") return absl::NotFoundError(text);
  if (code == "42P06" || code == "42P07") return absl::AlreadyExistsError(text);
  return absl::InternalError(text);
}

bool Connection::IsAlive() {
  // What a server that ends says, or the end of the stream.
  return !is_lost_ && libpq_->consumeInput(connection_) != 0 &&
         libpq_->status(connection_) == CONNECTION_OK;
}

std::string Connection::Quoted(std::string_view identifier) {
  char* const quoted = libpq_->escapeIdentifier(connection_, identifier.data(), identifier.size());
  if (quoted == nullptr) return "";
  std::string text = quoted;
  libpq_->freemem(quoted);
  return text;
}

}  // namespace dynolith::postgres
