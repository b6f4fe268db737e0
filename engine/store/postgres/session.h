// One transaction in the database, from its first statement to its end.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_SESSION_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_SESSION_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/store/postgres/connection.h"
#include "engine/store/postgres/connection_pool.h"
#include "engine/store/postgres/statements.h"

namespace dynolith::postgres {

inline void IgnoreResult(size_t /*call*/, const Result& /*result*/) {}

// Takes a connection at its first statement, with which the BEGIN goes, and gives it back at its
// end. Belongs to one thread at a time.
class Session {
 public:
  // `begin`: kBegin, kBeginReading or kBeginReadingSafe. `time`: until it is too old.
  Session(ConnectionPool* pool, Verb begin, absl::Duration time);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // As Connection::Run. Any error ends the transaction; afterwards kAborted.
  absl::Status Run(absl::Span<const Call> calls, Connection::Take take);

  // The last calls, of which the very last is a COMMIT. Errors: as Run;
  // kUnknown: it is not known whether they took effect, if they `change` anything.
  absl::Status Finish(absl::Span<const Call> calls, bool change,
                      Connection::Take take = IgnoreResult);

  // Whether there is a connection, and is not lost: then the server itself has ended it.
  bool is_connected() const { return lease_ && !lease_->is_lost(); }

 private:
  void End();

  ConnectionPool* const pool_;
  const Verb begin_;
  const absl::Time ends_;
  ConnectionPool::Lease lease_;
  bool has_ended_ = false;
};

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_SESSION_H_
