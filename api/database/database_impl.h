// The Database behind the public interface: owns the parts that its operations use.
#ifndef DYNOLITH_API_DATABASE_DATABASE_IMPL_H_
#define DYNOLITH_API_DATABASE_DATABASE_IMPL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "api/database/follower.h"
#include "api/database/housekeeper.h"
#include "api/faults/fault_rules.h"
#include "api/replica/region_group.h"
#include "api/request/control_limit.h"
#include "api/request/operation_context.h"
#include "api/staleness/stale_reads.h"
#include "api/transfer/transfer_runner.h"
#include "api/write/conflict_table.h"
#include "api/write/idempotency.h"
#include "dynolith/database.h"
#include "engine/catalog/catalog.h"
#include "engine/history/history.h"
#include "engine/process/background_work.h"
#include "engine/process/forked_process.h"
#include "engine/replica/replica_log.h"
#include "engine/store/local_store.h"
#include "engine/store/row_locks.h"
#include "engine/store/transaction/row_beliefs.h"
#include "engine/stream/stream_log.h"
#include "engine/ttl/expiry_index.h"
#include "index/backfill_runner.h"
#include "index/graph/vector_graphs.h"

namespace dynolith {

class DatabaseImpl final : public Database {
 public:
  // Takes an open store; loads the catalog, finishes deletions and resumes unfinished backfills.
  static absl::StatusOr<std::unique_ptr<DatabaseImpl>> Make(const DatabaseOptions& options,
                                                            std::unique_ptr<Store> store);
  // For one that follows a writer. `opened`: a moment before the store was opened.
  absl::Status BeginToFollow(absl::Time opened);
  // The store options of such a database. Errors: kInvalidArgument for an invalid memory budget.
  static absl::StatusOr<StoreOptions> ToStoreOptions(const DatabaseOptions& options);

  // Whether no background work is running that a close would interrupt, and no state exists only in
  // memory: rules of faults, held reads, capacity settings.
  bool IsAtRest() const;

  // In a child of the process that opened it, it is left as it is, with its threads' locks.
  static void operator delete(DatabaseImpl* database, std::destroying_delete_t) {
    if (database->process_.IsForked()) return;
    database->~DatabaseImpl();
    ::operator delete(database);
  }

  absl::StatusOr<int64_t> SweepExpiredItems() override;
  absl::Status TakeBackgroundFailure() override;
  absl::StatusOr<std::unique_ptr<ChangeReader>> ReadChanges(const ChangesFrom& from) override;
  absl::StatusOr<std::unique_ptr<TableLoad>> LoadTable(const CreateTableRequest& request) override;
  absl::Status Checkpoint(const std::string& folder) override;
  absl::StatusOr<int64_t> AddFault(const FaultRule& rule) override;
  bool RemoveFault(int64_t id) override;
  void RemoveFaults() override;
  std::vector<FaultReport> ListFaults() const override;
  absl::Status HoldReads(const ReadScope& of) override;
  absl::Status ReleaseReads(const ReadScope& of) override;
  StalenessState DescribeStaleness() const override;
  FollowReport ReportFollowing() const override;
  absl::Status CatchUp() override;
  Statistics TakeStatistics() const override;
  absl::Status SetCapacity(std::string_view table, const CapacityOptions& options) override;
  absl::StatusOr<CapacityReport> ReportCapacity(std::string_view table) const override;
  std::vector<UseReport> ReportUse() const override;
  absl::StatusOr<HotKeyReport> ReportHotKeys(std::string_view table,
                                             std::string_view index) const override;
  absl::Status WatchHeat(std::string_view table, bool watches) override;
  absl::StatusOr<HeatReport> ReportHeat(std::string_view table, std::string_view index,
                                        absl::Time since) const override;
  absl::Status SetIndexShards(std::string_view table, std::string_view index, int shards) override;
  absl::StatusOr<IndexReport> ReportIndexes(std::string_view table) const override;
  absl::StatusOr<IndexShards> DescribeIndexShards(std::string_view table,
                                                  std::string_view index) const override;
  void Interrupt() override { interrupted_ = true; }
  absl::Status WaitForBackfills() override;
  const OperationContext& context() const override { return context_; }

  // For tools and tests that use the layers below the operations.
  Store* store() { return store_.get(); }
  // Requires: no other process changes its rows.
  LocalStore* local_store() { return store_->local(); }
  Catalog* catalog() { return catalog_.get(); }
  History* history() { return history_.get(); }
  VectorGraphs* vector_graphs() { return vector_graphs_.get(); }

  ~DatabaseImpl() override;

 private:
  DatabaseImpl() = default;

  // What only one kind of store has: of this process alone, or of several.
  void MakeForKindOfStore();
  // Requires: it can be used. `regions`: nullptr: none. Errors: RegionGroup::CheckNotForked's.
  absl::Status JoinRegions(Regions* regions, ManualClock* clock);
  void MakeHousekeeper(const DatabaseOptions& options, ManualClock* clock,
                       BackgroundThreads* threads);
  // What the last process to write to the store has left undone, as far as no other process may be
  // doing it.
  absl::Status FinishLeftovers() ABSL_LOCKS_EXCLUDED(transfers_mutex_);
  // In a store of several processes one does transfers at a time. One that takes them over finishes
  // what was left undone; imports that begin again are to be resumed then.
  enum class Transfers : uint8_t { kOthers, kOwn, kTakenOver };
  absl::StatusOr<Transfers> TakeTransfers() ABSL_LOCKS_EXCLUDED(transfers_mutex_);
  bool OwnsTransfers() const ABSL_LOCKS_EXCLUDED(transfers_mutex_);
  // Asked before a transfer begins. Errors: kFailedPrecondition: they are another process's; the
  // store's.
  absl::Status MayTransfer() ABSL_LOCKS_EXCLUDED(transfers_mutex_);
  // They stay this process's as long as one is under way.
  absl::Status KeepTransfers();

  const MakingProcess process_{};
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> is_capacity_told_{false};  // by SetCapacity

  // Destroyed from the last to the first: the runner stops before the parts that it uses are
  // destroyed.
  std::unique_ptr<Store> store_;
  std::unique_ptr<StaleReads> staleness_;  // as long as anybody commits
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<VectorGraphs> vector_graphs_;  // nullptr: searches compare every vector
  RowLocks locks_;
  std::optional<RowBeliefs> row_beliefs_;  // nullopt: no other process uses the store
  std::unique_ptr<IdempotencyTokens> tokens_;
  std::unique_ptr<ConflictTable> conflicts_;  // nullptr: overlapping writes wait
  std::unique_ptr<Leases> leases_;
  mutable absl::Mutex transfers_mutex_;
  std::shared_ptr<const Lease> transfers_lease_ ABSL_GUARDED_BY(transfers_mutex_);
  std::unique_ptr<StreamLog> streams_;
  std::unique_ptr<History> history_;
  std::unique_ptr<ExpiryIndex> expiry_;
  std::unique_ptr<ReplicaLog> replica_log_;    // nullptr: other processes use the store as well
  std::unique_ptr<BackfillRunner> backfills_;  // nullptr: read-only
  std::unique_ptr<FaultRules> faults_;
  std::optional<ControlLimit> control_limit_;  // nullopt: capacity is only counted
  OperationContext context_;
  std::unique_ptr<Follower> follower_;  // nullptr: it follows nobody
  RegionGroup* regions_ = nullptr;  // nullptr: this is the only region, or it has not joined yet
  std::unique_ptr<Housekeeper> housekeeper_;
  bool clock_stands_ = false;  // until it is moved by hand
  TransferRunner transfers_{[this] { return MayTransfer(); }};
  TransferRunner bulk_puts_{[this] { return MayTransfer(); }};
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_DATABASE_IMPL_H_
