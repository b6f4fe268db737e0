#include "api/database/database_impl.h"

#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "api/control/delete_table.h"
#include "api/control/index_shards.h"
#include "api/database/endpoint_opener.h"
#include "api/database/latest_time.h"
#include "api/database/messages.h"
#include "api/database/table_capacity.h"
#include "api/database/table_use_report.h"
#include "api/stream/change_reader.h"
#include "api/transfer/interrupted_transfers.h"
#include "api/transfer/load_table.h"
#include "engine/base/status_macros.h"
#include "engine/model/check_members.h"
#include "engine/model/members.h"
#include "engine/process/memory_budget.h"
#include "engine/store/local_store.h"
#include "engine/store/messages.h"

namespace dynolith {
namespace {

// After that time the service closes a shard and opens a child of it (api/facts/operations.md §6).
constexpr absl::Duration kStreamShardLife = absl::Hours(4);
constexpr size_t kRowBeliefsBytes = size_t{32} << 20;

// A clock that stands still goes on from where everything in the store has happened.
absl::Status MoveToLatest(const OperationContext& context, ManualClock* clock) {
  DYNOLITH_ASSIGN_OR_RETURN(const absl::Time latest, LatestTime(context));
  if (clock->Now() < latest) clock->Set(latest);
  return absl::OkStatus();
}

BackgroundThreads* SharedThreads(const DatabaseOptions& options,
                                 BackgroundThreads::Kind in_folder) {
  return BackgroundThreads::Shared(options.in_memory ? BackgroundThreads::Kind::kInMemory
                                                     : in_folder);
}

absl::StatusOr<std::unique_ptr<BackfillRunner>> MakeBackfills(const DatabaseOptions& options,
                                                              const OperationContext& context,
                                                              Leases* leases) {
  const auto note_reshard = [reads = context.staleness](std::string_view table,
                                                        std::string_view index) {
    reads->NoteReshard({.table = std::string(table), .index = std::string(index)});
  };
  return BackfillRunner::Make(context.store, context.locks, context.catalog,
                              SharedThreads(options, BackgroundThreads::Kind::kFill), note_reshard,
                              leases);
}

bool HasIndex(const Catalog& catalog, StorageId id) {
  for (const std::shared_ptr<Table>& table : catalog.All()) {
    for (const IndexSchema& index : table->meta()->schema.indexes) {
      if (index.id == id) return true;
    }
  }
  return false;
}

// Returns nullptr if searches are to compare every vector.
std::unique_ptr<VectorGraphs> MakeVectorGraphs(const DatabaseOptions& options,
                                               const OperationContext& context,
                                               BackgroundThreads* threads) {
  if (options.vector_search == VectorSearch::kExact) return nullptr;
  // Others write rows as well, which a graph would miss.
  if (context.store->local() == nullptr || options.follow) return nullptr;
  return std::make_unique<VectorGraphs>(
      context.store, [catalog = context.catalog](StorageId id) { return HasIndex(*catalog, id); },
      threads,
      VectorGraphOptions{.bytes_max = options.vector_graph_bytes,
                         .entries_min = options.vector_graph_entries});
}

absl::Status DivideBudget(const DatabaseOptions& options, StoreOptions* store) {
  if (options.memory_budget_bytes == 0) {
    const StoreOptions usual;
    store->write_buffer_bytes = options.write_buffer_bytes.value_or(usual.write_buffer_bytes);
    store->block_cache_bytes = options.block_cache_bytes.value_or(usual.block_cache_bytes);
    store->row_cache_bytes = options.item_cache_bytes.value_or(usual.row_cache_bytes);
    return absl::OkStatus();
  }
  if (options.in_memory) return absl::InvalidArgumentError(messages::MemoryBudgetInMemory());
  DYNOLITH_ASSIGN_OR_RETURN(
      const MemoryShares shares,
      DivideMemory(options.memory_budget_bytes, {.write_buffer_bytes = options.write_buffer_bytes,
                                                 .block_cache_bytes = options.block_cache_bytes,
                                                 .item_cache_bytes = options.item_cache_bytes}));
  store->write_buffer_bytes = shares.write_buffer_bytes;
  store->memtables_bytes = shares.memtables_bytes;
  store->block_cache_bytes = shares.block_cache_bytes;
  store->row_cache_bytes = shares.item_cache_bytes;
  return absl::OkStatus();
}

void SetPlainOptions(const DatabaseOptions& options, OperationContext* context) {
  context->region = options.region;
  context->account_id = options.account_id;
  context->delays = options.table_delays;
  context->sends_to_kinesis = options.sends_to_kinesis;
  context->charges_updates = options.charge_updates;
}

}  // namespace

absl::StatusOr<StoreOptions> DatabaseImpl::ToStoreOptions(const DatabaseOptions& options) {
  if (!options.endpoint.empty()) {
    return absl::FailedPreconditionError(dynolith_open_endpoint == nullptr
                                             ? messages::EndpointNotLinked()
                                             : messages::EndpointHasNoStates(options.endpoint));
  }
  StoreOptions store;
  store.path = options.path;
  store.in_memory = options.in_memory;
  store.sync_commits = options.sync_commits;
  if (options.in_memory && !options.encryption_key.empty()) {
    return absl::InvalidArgumentError(messages::EncryptionKeyWithoutFolder());
  }
  store.encryption_key = options.encryption_key;
  store.log_observer = options.log_observer;
  DYNOLITH_RETURN_IF_ERROR(DivideBudget(options, &store));
  store.read_only = store.beside_writer = options.read_only;
  store.follows = options.follow;
  if (options.follow && !options.read_only) {
    return absl::InvalidArgumentError(messages::FollowsOnlyReading());
  }
  if (options.follow && !options.staleness.rules.empty()) {
    return absl::InvalidArgumentError(messages::FollowsWithoutStaleness());
  }
  return store;
}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  if (!options.endpoint.empty() && dynolith_open_endpoint != nullptr) {
    absl::StatusOr<std::unique_ptr<Database>> database;
    dynolith_open_endpoint(&options, &database);
    return database;
  }
  DYNOLITH_ASSIGN_OR_RETURN(const StoreOptions store_options,
                            DatabaseImpl::ToStoreOptions(options));
  const absl::Time before = absl::Now();
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<LocalStore> store, LocalStore::Open(store_options));
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<DatabaseImpl> database,
                            DatabaseImpl::Make(options, std::move(store)));
  if (options.follow) DYNOLITH_RETURN_IF_ERROR(database->BeginToFollow(before));
  return database;
}

absl::StatusOr<std::unique_ptr<DatabaseImpl>> DatabaseImpl::Make(const DatabaseOptions& options,
                                                                 std::unique_ptr<Store> store) {
  std::unique_ptr<DatabaseImpl> database(new DatabaseImpl);
  database->store_ = std::move(store);
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<CapacitySettings> capacity,
                            ToCapacitySettings(options.capacity));
  const UseOptions counted = {.counts = options.count_use,
                              .hot_keys = options.hot_keys,
                              .observed = options.observer != nullptr};
  DYNOLITH_ASSIGN_OR_RETURN(database->catalog_,
                            Catalog::Load(database->store_.get(), capacity, counted));
  OperationContext& context = database->context_;
  context.store = database->store_.get();
  context.catalog = database->catalog_.get();
  context.locks = &database->locks_;
  context.clock = options.clock ? options.clock : &SystemClock();
  SetPlainOptions(options, &context);
  BackgroundThreads* const threads = SharedThreads(options, BackgroundThreads::Kind::kInFolder);
  database->vector_graphs_ = MakeVectorGraphs(options, context, threads);
  context.vector_graphs = database->vector_graphs_.get();
  context.observer = options.observer;
  database->faults_ = std::make_unique<FaultRules>(context.clock);
  context.fault_rules = database->faults_.get();
  if (capacity) {
    context.control_limit = &database->control_limit_.emplace(options.control_rates, context.clock);
  }
  context.transfers = options.transfers;
  context.transfer_runner = &database->transfers_;
  context.bulk_put_runner = &database->bulk_puts_;
  database->tokens_ = std::make_unique<IdempotencyTokens>(context.store, context.clock);
  context.interrupted = &database->interrupted_;
  context.tokens = database->tokens_.get();
  if (options.fail_on_conflict) database->conflicts_ = std::make_unique<ConflictTable>();
  context.conflicts = database->conflicts_.get();
  database->leases_ = std::make_unique<Leases>(context.store, context.clock);
  DYNOLITH_ASSIGN_OR_RETURN(database->streams_, StreamLog::Load(context.store, context.clock,
                                                                {.shards = options.stream_shards,
                                                                 .shard_life = kStreamShardLife}));
  context.streams = database->streams_.get();
  DYNOLITH_ASSIGN_OR_RETURN(database->history_, History::Load(context.store, context.clock));
  context.history = database->history_.get();
  database->MakeForKindOfStore();
  ManualClock* const manual_clock = options.clock ? options.clock->AsManual() : nullptr;
  database->clock_stands_ = manual_clock != nullptr;
  if (manual_clock != nullptr) DYNOLITH_RETURN_IF_ERROR(MoveToLatest(context, manual_clock));
  const bool writes = !context.store->read_only();
  if (writes) DYNOLITH_RETURN_IF_ERROR(database->FinishLeftovers());
  // While nobody else commits yet.
  DYNOLITH_ASSIGN_OR_RETURN(
      database->staleness_,
      StaleReads::Make(context.store, context.streams, context.clock, options.staleness));
  context.staleness = database->staleness_.get();
  database->expiry_ = std::make_unique<ExpiryIndex>(context.store, context.catalog, context.locks);
  context.expiry = database->expiry_.get();
  if (writes) {
    DYNOLITH_ASSIGN_OR_RETURN(database->backfills_,
                              MakeBackfills(options, context, database->leases_.get()));
  }
  context.backfills = database->backfills_.get();
  database->MakeHousekeeper(options, manual_clock, threads);
  if (writes) {
    DYNOLITH_RETURN_IF_ERROR(database->housekeeper_->Start());
    if (database->OwnsTransfers()) DYNOLITH_RETURN_IF_ERROR(ResumeImports(database->context_));
  }
  DYNOLITH_RETURN_IF_ERROR(database->JoinRegions(options.regions, manual_clock));
  return database;
}

absl::Status DatabaseImpl::BeginToFollow(absl::Time opened) {
  follower_ = std::make_unique<Follower>(local_store(), catalog_.get(), opened);
  context_.gate = follower_->gate();
  return follower_->Start();
}

DatabaseImpl::~DatabaseImpl() {
  if (follower_ != nullptr) follower_->Stop();
  if (regions_ != nullptr) regions_->Leave(&context_);
  // It asks the runners, which are destroyed before it.
  if (housekeeper_ != nullptr) housekeeper_->Stop();
}

void DatabaseImpl::MakeForKindOfStore() {
  if (store_->local() == nullptr) {
    context_.row_beliefs = &row_beliefs_.emplace(kRowBeliefsBytes);
    return;
  }
  replica_log_ = std::make_unique<ReplicaLog>(store_.get(), context_.clock, context_.region);
  context_.replica_log = replica_log_.get();
}

absl::Status DatabaseImpl::JoinRegions(Regions* regions, ManualClock* clock) {
  if (regions == nullptr) return absl::OkStatus();
  auto* const group = static_cast<RegionGroup*>(regions);
  DYNOLITH_RETURN_IF_ERROR(group->CheckNotForked());
  regions_ = group;
  context_.peers = regions_;
  regions_->Join(&context_, clock);
  return absl::OkStatus();
}

void DatabaseImpl::MakeHousekeeper(const DatabaseOptions& options, ManualClock* clock,
                                   BackgroundThreads* threads) {
  housekeeper_ = std::make_unique<Housekeeper>(
      &context_, threads,
      HousekeeperOptions{.sweep_period = options.ttl_sweep_period,
                         .clock = clock,
                         .leases = leases_.get(),
                         .keep_others = [this] { return KeepTransfers(); }});
}

absl::Status DatabaseImpl::FinishLeftovers() {
  // Tables that another process is about to delete are not left over; the housekeeper sees for how
  // long they have been there.
  if (store_->local() != nullptr) DYNOLITH_RETURN_IF_ERROR(FinishDeletions(context_));
  DYNOLITH_RETURN_IF_ERROR(TakeTransfers().status());
  return streams_->FollowAll(*catalog_);
}

bool DatabaseImpl::OwnsTransfers() const {
  absl::MutexLock lock(&transfers_mutex_);
  return transfers_lease_ != nullptr;
}

absl::StatusOr<DatabaseImpl::Transfers> DatabaseImpl::TakeTransfers() {
  absl::MutexLock lock(&transfers_mutex_);
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const Lease> lease,
                            leases_->Hold(kTransfersLease));
  if (lease == nullptr) transfers_lease_.reset();
  if (lease == transfers_lease_) return lease == nullptr ? Transfers::kOthers : Transfers::kOwn;
  DYNOLITH_RETURN_IF_ERROR(FinishInterruptedTransfers(context_));
  transfers_lease_ = lease;
  return Transfers::kTakenOver;
}

absl::Status DatabaseImpl::MayTransfer() {
  if (store_->local() != nullptr) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const Transfers transfers, TakeTransfers());
  if (transfers == Transfers::kOthers) {
    return absl::FailedPreconditionError(messages::AnotherProcessTransfers());
  }
  return transfers == Transfers::kTakenOver ? ResumeImports(context_) : absl::OkStatus();
}

absl::Status DatabaseImpl::KeepTransfers() {
  if (store_->local() != nullptr || (transfers_.IsIdle() && bulk_puts_.IsIdle())) {
    return absl::OkStatus();
  }
  return leases_->Hold(kTransfersLease).status();
}

absl::StatusOr<int64_t> DatabaseImpl::SweepExpiredItems() {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  DYNOLITH_RETURN_IF_ERROR(store_->CheckWritable());
  return housekeeper_->SweepNow();
}

absl::Status DatabaseImpl::TakeBackgroundFailure() {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  absl::Status failure = housekeeper_->TakeFailure();
  if (vector_graphs_ != nullptr) failure.Update(vector_graphs_->TakeFailure());
  if (backfills_ != nullptr) failure.Update(backfills_->TakeFailure());
  failure.Update(transfers_.TakeFailure());
  failure.Update(bulk_puts_.TakeFailure());
  return failure;
}

absl::StatusOr<std::unique_ptr<ChangeReader>> DatabaseImpl::ReadChanges(const ChangesFrom& from) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  DYNOLITH_RETURN_IF_ERROR(catalog_->CatchUp());
  return StreamChangeReader::Open(context_, from);
}

absl::StatusOr<std::unique_ptr<TableLoad>> DatabaseImpl::LoadTable(
    const CreateTableRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(ShapeAt(members::CreateTableInput::kShape), &request));
  DYNOLITH_RETURN_IF_ERROR(catalog_->CatchUp());
  return dynolith::LoadTable(context_, request);
}

absl::Status DatabaseImpl::Checkpoint(const std::string& folder) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  LocalStore* const local = store_->local();
  if (local == nullptr) return absl::FailedPreconditionError(messages::CheckpointOfSharedStore());
  return local->Checkpoint(folder);
}

absl::Status DatabaseImpl::HoldReads(const ReadScope& of) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  if (follower_ != nullptr) {
    return absl::FailedPreconditionError(messages::FollowsWithoutStaleness());
  }
  if (!of.table.empty() || !of.index.empty() || of.stream) {
    const std::shared_ptr<Table> table = catalog_->Find(of.table);
    const bool has_index =
        of.index.empty() ||
        (table != nullptr && !of.stream && table->meta()->schema.FindIndex(of.index) != nullptr);
    if (table == nullptr || !has_index) {
      return absl::NotFoundError(messages::NothingToHold(ReadScopeText(of)));
    }
  }
  staleness_->Hold(of);
  return absl::OkStatus();
}

FollowReport DatabaseImpl::ReportFollowing() const {
  if (follower_ == nullptr || process_.IsForked()) return {};
  return follower_->Report();
}

absl::Status DatabaseImpl::CatchUp() {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  return follower_ == nullptr ? Database::CatchUp() : follower_->CatchUp();
}

Statistics DatabaseImpl::TakeStatistics() const {
  Statistics statistics;
  if (process_.IsForked()) return statistics;
  const CallGate::Pass pass(context_.gate);
  for (const std::shared_ptr<Table>& table : catalog_->All()) {
    ++statistics.tables;
    statistics.indexes += table->meta()->schema.indexes.size();
  }
  if (LocalStore* const local = store_->local()) statistics.store = local->TakeStatistics();
  return statistics;
}

bool DatabaseImpl::IsAtRest() const {
  const bool is_told =
      is_capacity_told_ || !faults_->List().empty() || !staleness_->Describe().holds.empty();
  const bool is_working = (backfills_ != nullptr && !backfills_->IsIdle()) ||
                          !transfers_.IsIdle() || !bulk_puts_.IsIdle();
  return !is_told && !is_working;
}

absl::Status DatabaseImpl::SetCapacity(std::string_view table, const CapacityOptions& options) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  is_capacity_told_ = true;
  return SetTableCapacity(context_, table, options);
}

absl::StatusOr<CapacityReport> DatabaseImpl::ReportCapacity(std::string_view table) const {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  const CallGate::Pass pass(context_.gate);
  DYNOLITH_RETURN_IF_ERROR(pass.failure());
  return ReportTableCapacity(context_, table);
}

std::vector<UseReport> DatabaseImpl::ReportUse() const {
  if (process_.IsForked()) return {};
  const CallGate::Pass pass(context_.gate);
  return ReportTableUse(context_);
}

absl::StatusOr<int64_t> DatabaseImpl::AddFault(const FaultRule& rule) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  return faults_->Add(rule);
}

bool DatabaseImpl::RemoveFault(int64_t id) { return !process_.IsForked() && faults_->Remove(id); }

void DatabaseImpl::RemoveFaults() {
  if (!process_.IsForked()) faults_->RemoveAll();
}

std::vector<FaultReport> DatabaseImpl::ListFaults() const {
  if (process_.IsForked()) return {};
  return faults_->List();
}

absl::Status DatabaseImpl::ReleaseReads(const ReadScope& of) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  return staleness_->Release(of);
}

StalenessState DatabaseImpl::DescribeStaleness() const {
  if (process_.IsForked()) return {};
  return staleness_->Describe();
}

absl::StatusOr<HotKeyReport> DatabaseImpl::ReportHotKeys(std::string_view table,
                                                         std::string_view index) const {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  const CallGate::Pass pass(context_.gate);
  DYNOLITH_RETURN_IF_ERROR(pass.failure());
  return ReportTableHotKeys(context_, table, index);
}

absl::Status DatabaseImpl::WatchHeat(std::string_view table, bool watches) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  return WatchTableHeat(context_, table, watches);
}

absl::StatusOr<HeatReport> DatabaseImpl::ReportHeat(std::string_view table, std::string_view index,
                                                    absl::Time since) const {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  const CallGate::Pass pass(context_.gate);
  DYNOLITH_RETURN_IF_ERROR(pass.failure());
  return ReportTableHeat(context_, table, index, since);
}

absl::Status DatabaseImpl::SetIndexShards(std::string_view table, std::string_view index,
                                          int shards) {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  DYNOLITH_RETURN_IF_ERROR(store_->CheckWritable());
  DYNOLITH_RETURN_IF_ERROR(catalog_->CatchUp());
  return dynolith::SetIndexShards(context_, table, index, shards);
}

absl::StatusOr<IndexShards> DatabaseImpl::DescribeIndexShards(std::string_view table,
                                                              std::string_view index) const {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  const CallGate::Pass pass(context_.gate);
  DYNOLITH_RETURN_IF_ERROR(pass.failure());
  return dynolith::DescribeIndexShards(context_, table, index);
}

absl::StatusOr<IndexReport> DatabaseImpl::ReportIndexes(std::string_view table) const {
  const CallGate::Pass pass(context_.gate);
  DYNOLITH_RETURN_IF_ERROR(pass.failure());
  return ReportTableIndexes(context_, table);
}

absl::Status DatabaseImpl::WaitForBackfills() {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  absl::Status status = backfills_ ? backfills_->WaitUntilIdle() : absl::OkStatus();
  status.Update(transfers_.WaitUntilIdle());
  // A bulk put with a bound on its rate pauses by the clock, for ever if the clock stands still.
  status.Update(
      bulk_puts_.WaitUntilIdle(clock_stands_ ? context_.clock->Now() : absl::InfiniteFuture()));
  if (regions_ != nullptr) status.Update(regions_->Settle());
  return status;
}

}  // namespace dynolith
