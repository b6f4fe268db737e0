// One connection to PostgreSQL: statements go in pipelines, so that any number of them is one round
// trip, and every wait has an end.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_CONNECTION_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_CONNECTION_H_

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/store/postgres/address.h"
#include "engine/store/postgres/libpq.h"
#include "engine/store/postgres/statements.h"

namespace dynolith::postgres {

// The rows that a statement has returned. Owns them.
class Result {
 public:
  Result() = default;
  Result(const Libpq* libpq, PGresult* result) : libpq_(libpq), result_(result, {libpq}) {}

  int rows() const { return result_ == nullptr ? 0 : libpq_->ntuples(result_.get()); }
  // Requires: there is such a field. Valid as long as this object.
  std::string_view Field(int row, int column) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return {libpq_->getvalue(result_.get(), row, column),
            static_cast<size_t>(libpq_->getlength(result_.get(), row, column))};
  }
  bool IsNull(int row, int column) const {
    return libpq_->getisnull(result_.get(), row, column) != 0;
  }
  // What was done: "COMMIT".
  std::string_view tag() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return libpq_->cmdStatus(result_.get());
  }

 private:
  const Libpq* libpq_ = nullptr;
  ResultPtr result_;
};

// Not thread-safe.
class Connection {
 public:
  // The time for a pipeline after one that was not answered.
  static constexpr absl::Duration kTryTime = absl::Seconds(1);
  // A call with less time left of its thread's patience is not begun.
  static constexpr absl::Duration kLeastTime = absl::Milliseconds(500);
  // For each host to accept a connection; libpq takes no less.
  static constexpr absl::Duration kConnectTime = absl::Seconds(2);

  // `reads_only`: its transactions are READ ONLY unless they say otherwise. kUnavailable: the store
  // cannot be reached.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(SharedState* shared, bool reads_only);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Requires: BeginPipelines. Sends the calls and waits for all answers: one round trip. `take`
  // gets the result of each call that succeeded, by its position. After an error later calls were
  // not run. Errors: kAborted: run the transaction again (a conflict, a failed expectation, or
  // is_lost()); kUnavailable: too slow; otherwise what the server says. If is_lost() afterwards, it
  // is not known what was done.
  using Take = absl::FunctionRef<void(size_t call, Result result)>;
  absl::Status Run(absl::Span<const Call> calls, Take take);
  // Ends the transaction under way, without a round trip: the answer comes before those of the next
  // Run, which fails if it is an error. False: it could not be sent, and nobody may go on with it.
  bool RollBack();
  // From now on it takes calls.
  absl::Status BeginPipelines();
  // SQL text, without parameters, of one or several statements; texts as the result of the last.
  // Requires: no BeginPipelines. `time`: after which it is kUnavailable; less than a year.
  absl::StatusOr<Result> Execute(const std::string& sql, absl::Duration time = Waits().pipeline);

  // Of all connections, by the calling thread.
  static int64_t ThreadRoundTrips();
  bool is_lost() const { return is_lost_; }
  // As if it were lost: nobody uses it any more.
  void GiveUp() { is_lost_ = true; }
  // Whether an idle connection seems usable; no round trip.
  bool IsAlive();
  std::string Quoted(std::string_view identifier);

 private:
  Connection(SharedState* shared, PGconn* connection)
      : shared_(shared), libpq_(shared->libpq), connection_(connection) {}

  // A call of a pipeline that was sent.
  struct Sent {
    size_t number;  // of the statement
    bool prepares;  // that it is prepared before it is run
  };

  // When the next pipeline has to be answered. kUnavailable: the store is too slow for any.
  absl::StatusOr<absl::Time> Deadline();
  absl::StatusOr<Sent> Send(const Call& call);
  // The end of a pipeline.
  absl::Status SendEnd();
  absl::Status Flush(absl::Time deadline);
  absl::Status Receive(absl::Span<const Sent> calls, absl::Time deadline, Take take);
  absl::Status ReceiveRollback(absl::Time deadline);
  // The next result, or nullptr at the end of a statement's results.
  absl::StatusOr<PGresult*> NextResult(absl::Time deadline);
  absl::Status Wait(bool for_writing, absl::Time deadline);
  absl::Status Lost(std::string_view why);
  absl::Status FromError(const PGresult* result);

  SharedState* const shared_;
  const Libpq* const libpq_;
  PGconn* const connection_;
  bool is_lost_ = false;
  bool is_cut_short_ = false;  // the last deadline, by the thread's patience
  std::bitset<kStatements> prepared_;
  std::vector<Sent> sent_;        // the pipeline under way
  std::optional<Sent> rollback_;  // sent before it, and not answered yet
};

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_CONNECTION_H_
