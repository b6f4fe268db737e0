#include "engine/store/postgres/postgres_store.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/store/limits/limited_store.h"
#include "engine/store/postgres/address.h"
#include "engine/store/postgres/change_calls.h"
#include "engine/store/postgres/connection.h"
#include "engine/store/postgres/connection_pool.h"
#include "engine/store/postgres/limits.h"
#include "engine/store/postgres/messages.h"
#include "engine/store/postgres/reads.h"
#include "engine/store/postgres/schema.h"
#include "engine/store/postgres/session.h"
#include "engine/store/transaction/patience.h"
#include "engine/store/transaction/run_transaction.h"
#include "engine/store/transaction/stamp.h"

namespace dynolith::postgres {
namespace {

constexpr StoreLimits kLimits = {.key_bytes = kKeyBytesMax,
                                 .value_bytes = kValueBytesMax,
                                 .batch_bytes = kBatchBytesMax,
                                 .transaction_time = kTransactionTime};

// How statements of a session's transaction are run; cursors may outlive the view.
template <typename Of>
RunCalls RunsOf(const std::shared_ptr<Of>& session) {
  return [session](absl::Span<const Call> calls, Connection::Take take) {
    return session->Run(calls, take);
  };
}

class PostgresAttempt final : public ReadsByCalls<Attempt> {
 public:
  PostgresAttempt(ConnectionPool* pool, StampSource stamps)
      : PostgresAttempt(std::make_shared<Session>(pool, Verb::kBegin, kTransactionTime), stamps) {}

  void Expect(Family family, std::string_view key, std::optional<std::string_view> value) override {
    changes_.Expect(family, key, value);
  }
  bool ExpectPresent(Family family, std::string_view key) override {
    changes_.ExpectPresent(family, key);
    return true;
  }
  absl::Status PutStamped(Family family, std::string_view key, uint16_t place,
                          std::string_view value) override {
    return changes_.PutStamped(family, key, place, value);
  }
  absl::Status MultiGetAndCommit(absl::Span<RowRead> reads) override {
    const RunCalls finish = [this](absl::Span<const Call> of_reads, Connection::Take take) {
      std::vector<Call> calls(of_reads.begin(), of_reads.end());
      for (Call& call : changes_.Finish()) calls.push_back(std::move(call));
      return session_->Finish(calls, /*change=*/false, [&](size_t call, Result result) {
        if (call < of_reads.size()) take(call, std::move(result));
      });
    };
    return ReadRows(finish, reads);
  }
  absl::Status Commit(const WriteBatch& batch) override {
    DYNOLITH_RETURN_IF_ERROR(changes_.Add(batch));
    return session_->Finish(changes_.Finish(), /*change=*/!batch.empty());
  }

 private:
  PostgresAttempt(const std::shared_ptr<Session>& session, StampSource stamps)
      : ReadsByCalls(RunsOf(session)), session_(session), changes_(stamps) {}

  const std::shared_ptr<Session> session_;
  ChangeCalls changes_;
};

// The transaction of a snapshot, which several threads may read.
class SharedSession {
 public:
  SharedSession(ConnectionPool* pool, Verb begin) : session_(pool, begin, kSnapshotTime) {
    absl::MutexLock lock(&mutex_);
    // Now, and not at the first read.
    const Call fix = {.verb = Verb::kFix};
    failure_ = session_.Run(absl::MakeConstSpan(&fix, 1), [](size_t, const Result&) {});
    // Transactions under way have lasted too long. Those that the next one finds are others.
    if (begin == Verb::kBeginReadingSafe && absl::IsUnavailable(failure_) &&
        session_.is_connected()) {
      failure_ = absl::AbortedError(failure_.message());
    }
  }
  absl::Status Run(absl::Span<const Call> calls, Connection::Take take)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (failure_.ok()) failure_ = session_.Run(calls, take);
    return failure_;
  }

 private:
  absl::Mutex mutex_;
  Session session_ ABSL_GUARDED_BY(mutex_);
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

class PostgresSnapshot final : public ReadsByCalls<Snapshot> {
 public:
  PostgresSnapshot(ConnectionPool* pool, Verb begin)
      : ReadsByCalls(RunsOf(std::make_shared<SharedSession>(pool, begin))) {}
};

// Each time in the newest state, until nobody is in the way.
RunCalls RunsAlone(ConnectionPool* reads) {
  return [reads](absl::Span<const Call> calls, Connection::Take take) {
    const Patience patience;
    return RunTransaction([&] {
      DYNOLITH_ASSIGN_OR_RETURN(ConnectionPool::Lease lease, reads->Take());
      return lease->Run(calls, take);
    });
  };
}

// A store's connections, made before its reads and gone after them.
struct Pools {
  Pools(std::unique_ptr<SharedState> state, int connections_max)
      : shared(std::move(state)),
        writes(shared.get(), /*reads_only=*/false, connections_max),
        reads(shared.get(), /*reads_only=*/true, connections_max),
        snapshots(shared.get(), /*reads_only=*/true, std::max(1, connections_max / 4)) {}

  const std::unique_ptr<SharedState> shared;
  ConnectionPool writes;
  ConnectionPool reads;
  ConnectionPool snapshots;
};

class StoreOnPools final : public ReadsByCalls<SharedStore> {
 public:
  explicit StoreOnPools(std::unique_ptr<Pools> pools)
      : ReadsByCalls(RunsAlone(&pools->reads)), pools_(std::move(pools)) {}

  bool read_only() const override { return false; }
  absl::Status CheckWritable() const override { return absl::OkStatus(); }
  const StoreLimits& limits() const override { return kLimits; }

  std::unique_ptr<Attempt> Begin() override {
    return std::make_unique<PostgresAttempt>(&pools_->writes, pools_->shared->stamps);
  }
  absl::StatusOr<Stamp> StableStamp() const override {
    std::optional<uint64_t> ended_before;
    const bool is_counted = pools_->shared->stamps == StampSource::kCounter;
    const Call call = {.verb = is_counted ? Verb::kCountedBefore : Verb::kEndedBefore};
    DYNOLITH_RETURN_IF_ERROR(
        RunsAlone(&pools_->reads)(absl::MakeConstSpan(&call, 1), [&](size_t, const Result& result) {
          if (result.rows() == 1) ended_before = ReadBigEndian(result.Field(0, 0));
        }));
    if (!ended_before) return absl::DataLossError(messages::StoreCounterLost());
    return MakeStamp(*ended_before, 0) - 1;
  }
  std::shared_ptr<const Snapshot> TakeSnapshot() const override {
    return std::make_shared<PostgresSnapshot>(&pools_->snapshots, Verb::kBeginReading);
  }
  std::shared_ptr<const Snapshot> TakeSerialSnapshot() const override {
    return std::make_shared<PostgresSnapshot>(&pools_->snapshots, Verb::kBeginReadingSafe);
  }

 private:
  const std::unique_ptr<Pools> pools_;
};

}  // namespace
}  // namespace dynolith::postgres

namespace dynolith {

int64_t PostgresStore::ThreadRoundTrips() { return postgres::Connection::ThreadRoundTrips(); }

absl::StatusOr<std::string> PostgresStore::PlaceOf(const std::string& url) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<postgres::SharedState> shared,
                            postgres::ReadAddress(url));
  return shared->place;
}

absl::StatusOr<std::unique_ptr<SharedStore>> PostgresStore::Open(const PostgresOptions& options,
                                                                 postgres::StampSource* stamps) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<postgres::SharedState> shared,
                            postgres::ReadAddress(options.url));
  shared->waits = options.waits;
  auto pools = std::make_unique<postgres::Pools>(std::move(shared), options.connections_max);
  // Whether the store can be used at all.
  DYNOLITH_RETURN_IF_ERROR(
      postgres::OpenStoreConnection(pools->shared.get(), /*reads_only=*/false).status());
  if (stamps != nullptr) *stamps = pools->shared->stamps;
  return WithLongRows(std::make_unique<postgres::StoreOnPools>(std::move(pools)));
}

}  // namespace dynolith
