// Backups and restores beside everything that may happen meanwhile: writes, deletions, delays,
// failures, the end of the process.
#include "api/backup/backups.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "api/backup/restore.h"
#include "api/backup/restore_table_from_backup.h"
#include "api/backup/row_copy.h"
#include "api/control/delete_table.h"
#include "api/database/database_impl.h"
#include "api/read/get_item.h"
#include "api/read/scan.h"
#include "api/write/put_item.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/catalog/expired_backups.h"
#include "engine/store/row_id.h"
#include "index/check.h"
#include "tests/unit/api/checked.h"
#include "tests/unit/api/update_requests.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchFolder;

constexpr absl::Duration kDelay = absl::Seconds(6);
constexpr std::string_view kInUse =
    "BackupInUseException: There is another ongoing conflicting backup control plane operation on "
    "the table. The backup is either being created, deleted or restored to a table.";

std::vector<std::string> Disagreements(Store* store, const Catalog& catalog) {
  std::vector<std::string> lines;
  CheckSummary summary;
  const auto report = [&lines](const std::string& line) { lines.push_back(line); };
  EXPECT_TRUE(CheckStore(store, catalog, report, &summary).ok());
  return lines;
}

class BackupsTest : public UpdateRequests {
 protected:
  void Put(const std::string& pk, std::string_view table = "music") {
    PutItemRequest request;
    request.table_name = table;
    request.item = Item{{"pk", Value::S(pk)}, {"g", Value::S("g" + pk)}};
    ASSERT_EQ(Outcome(PutItem(context_, request).status()), "OK");
  }
  CreateTableRequest Indexed() {
    CreateTableRequest request = OnDemand();
    request.attribute_definitions->push_back({"g", Type::kString});
    request.global_secondary_indexes = {Index("global", {{"g", kHash}})};
    return request;
  }
  size_t CountItems(std::string table, std::optional<std::string> index = std::nullopt) {
    ScanRequest request;
    request.table_name = std::move(table);
    request.index_name = std::move(index);
    const auto page = Scan(context_, request, [](ItemView) {});
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? static_cast<size_t>(page->count) : 0;
  }
  size_t CountRowsIn(StorageId id, Family family = Family::kTables) {
    Cursor cursor = store_->Scan(family, RowIdPrefix(id), RowIdPrefix(id + 1), Direction::kForward);
    size_t rows = 0;
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++rows;
    return rows;
  }

  std::string Backup(std::string name = "backup", std::string table = "music") {
    const auto backup = CreateBackup(context_, {std::move(table), std::move(name)});
    EXPECT_TRUE(backup.ok()) << backup.status();
    return backup.ok() ? backup->backup_arn : "";
  }
  std::string BackupOutcome(std::string name = "backup", std::string table = "music") {
    return Outcome(Checked<members::CreateBackupInput::kShape>(&CreateBackup, context_,
                                                               {std::move(table), std::move(name)})
                       .status());
  }
  std::string DropOutcome(const std::string& arn) {
    return Outcome(
        Checked<members::DeleteBackupInput::kShape>(&DeleteBackup, context_, {arn}).status());
  }
  std::string RestoreOutcome(const std::string& arn, std::string target = "restored") {
    return Outcome(Checked<members::RestoreTableFromBackupInput::kShape>(
                       &RestoreTableFromBackup, context_,
                       {.target_table_name = std::move(target), .backup_arn = arn})
                       .status());
  }
  BackupStatus BackupStatusFor(const std::string& arn) {
    const auto backup = DescribeBackup(context_, {arn});
    EXPECT_TRUE(backup.ok()) << backup.status();
    return backup.ok() ? backup->backup_details.backup_status : BackupStatus::kDeleted;
  }
  void EnableRecovery() {
    ASSERT_TRUE(catalog_
                    ->Modify(catalog_->Find("music").get(),
                             [this](TableMeta* meta) {
                               meta->point_in_time_recovery = {clock_.Now(), 35};
                               return absl::OkStatus();
                             })
                    .ok());
  }
  void Delete(std::string table = "music") {
    ASSERT_EQ(Outcome(DeleteTable(context_, {.table_name = std::move(table)}).status()), "OK");
  }
};

TEST_F(BackupsTest, ConstraintsAlsoHoldForCallersFromCpp) {
  EXPECT_EQ(BackupOutcome("b"),
            Validation("1 validation error detected: Value 'b' at 'backupName' failed to satisfy "
                       "constraint: Member must have length greater than or equal to 3"));
  EXPECT_EQ(BackupOutcome("backup", "arn:aws:dynamodb:us-east-1:000000000000:table/absent"),
            "TableNotFoundException: Table not found: "
            "arn:aws:dynamodb:us-east-1:000000000000:table/absent");
  const std::string short_arn = Validation(
      "1 validation error detected: Value 'arn' at 'backupArn' failed to satisfy "
      "constraint: Member must have length greater than or equal to 37");
  EXPECT_EQ(DropOutcome("arn"), short_arn);
  EXPECT_EQ(RestoreOutcome("arn"), short_arn);
  EXPECT_EQ(Outcome(Checked<members::ListBackupsInput::kShape>(&ListBackups, context_, {.limit = 0})
                        .status()),
            Validation("1 validation error detected: Value '0' at 'limit' failed to satisfy "
                       "constraint: Member must have value greater than or equal to 1"));
  RestoreTableFromBackupRequest request = {.target_table_name = "t", .backup_arn = "arn"};
  request.provisioned_throughput_override = {.read_capacity_units = 0, .write_capacity_units = 1};
  EXPECT_THAT(Outcome(Checked<members::RestoreTableFromBackupInput::kShape>(&RestoreTableFromBackup,
                                                                            context_, request)
                          .status()),
              AllOf(HasSubstr("3 validation errors"), HasSubstr("'targetTableName'"),
                    HasSubstr("'provisionedThroughputOverride.readCapacityUnits'")));
}

// Why: the copy takes long and holds nothing; what it sees must be one moment.
TEST_F(BackupsTest, AreOneMomentOfATableThatIsBeingWritten) {
  Create(OnDemand());
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) Put(std::to_string(i));
  });
  while (CountRowsIn(catalog_->Find("music")->meta()->schema.id) < 100) std::this_thread::yield();
  const std::string arn = Backup();
  stop = true;
  writer.join();
  ASSERT_EQ(RestoreOutcome(arn), "OK");
  const size_t items = CountItems("restored");
  EXPECT_GE(items, 100u);
  // The writer puts one after the other, so the first so many must be there.
  for (size_t i = 0; i < items; ++i) {
    GetItemRequest request;
    request.table_name = "restored";
    request.key = Item{{"pk", Value::S(std::to_string(i))}};
    bool found = false;
    EXPECT_TRUE(GetItem(context_, request, [&found](ItemView) { found = true; }).ok());
    EXPECT_TRUE(found) << i;
  }
  EXPECT_EQ(DescribeBackup(context_, {arn})->source_table_details.item_count,
            static_cast<int64_t>(items));
}

TEST_F(BackupsTest, ReadsRowsOfATableThatIsDeletedMeanwhile) {
  Create(OnDemand());
  for (int i = 0; i < 100; ++i) Put(std::to_string(i));
  const StorageId id = catalog_->Find("music")->meta()->schema.id;
  {
    const FrozenTable frozen = Freeze(context_, catalog_->Find("music").get());
    Delete();
    ASSERT_TRUE(store_->CompactAll().ok());
    TableSchema copy;
    const auto lease = catalog_->LeaseNewIds(&copy);
    ASSERT_TRUE(lease.ok());
    RowLoader loader(context_, copy.id);
    ASSERT_TRUE(CopyRows(*frozen.snapshot, id, &loader).ok());
    ASSERT_TRUE(loader.Finish().ok());
    EXPECT_EQ(loader.rows(), 100);
    EXPECT_EQ(CountRowsIn(copy.id), 100u);
  }
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_EQ(CountRowsIn(id), 0u);
}

TEST_F(BackupsTest, LargeTablesAreCopiedInSeveralCommits) {
  Create(OnDemand());
  const std::string large(100'000, 'x');
  for (int i = 0; i < 30; ++i) Put(large.substr(0, 1000) + std::to_string(i));
  PutItemRequest request;
  request.table_name = "music";
  for (int i = 0; i < 30; ++i) {
    request.item = Item{{"pk", Value::S(std::to_string(i))}, {"large", Value::S(large)}};
    ASSERT_TRUE(PutItem(context_, request).ok());
  }
  const std::string arn = Backup();
  ASSERT_EQ(RestoreOutcome(arn), "OK");
  EXPECT_EQ(Describe("restored").item_count, 60);
  EXPECT_EQ(Describe("restored").table_size_bytes, Describe("music").table_size_bytes);
  EXPECT_EQ(Describe("restored").table_size_bytes,
            DescribeBackup(context_, {arn})->backup_details.backup_size_bytes);
}

TEST_F(BackupsTest, AFailedRestoreLeavesNothing) {
  Create(Indexed());
  Put("1");
  const TableMeta source = *catalog_->Find("music")->meta();
  StorageId target = 0;
  const auto restored = RestoreTable(
      context_, {.target_table_name = "restored", .source = source}, [&](StorageId id) {
        target = id;
        RowLoader loader(context_, id);
        EXPECT_TRUE(CopyRows(*store_->TakeSnapshot(), source.schema.id, &loader).ok());
        EXPECT_TRUE(loader.Finish().ok());
        EXPECT_EQ(CountRowsIn(id), 1u);
        EXPECT_EQ(catalog_->Find("restored"), nullptr);
        return absl::DataLossError("no");
      });
  EXPECT_EQ(restored.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(catalog_->Find("restored"), nullptr);
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_EQ(CountRowsIn(target), 0u);
}

TEST_F(BackupsTest, ARestoreGivesWayToATableThatCameMeanwhile) {
  Create(OnDemand());
  const TableMeta source = *catalog_->Find("music")->meta();
  const auto restored =
      RestoreTable(context_, {.target_table_name = "restored", .source = source}, [&](StorageId) {
        CreateTableRequest request = OnDemand();
        request.table_name = "restored";
        Create(request);
        return absl::OkStatus();
      });
  EXPECT_EQ(Outcome(restored.status()),
            "TableAlreadyExistsException: Table already exists: restored");
  EXPECT_FALSE(catalog_->Find("restored")->meta()->restore);
}

// Why: another thread may be restoring it.
TEST_F(BackupsTest, ABackupThatIsBeingReadIsNotDeleted) {
  Create(OnDemand());
  const std::string arn = Backup();
  {
    const auto lease = catalog_->LeaseBackup("music", catalog_->Backups()[0]->id);
    EXPECT_EQ(DropOutcome(arn), kInUse);
    EXPECT_EQ(BackupStatusFor(arn), BackupStatus::kAvailable);
  }
  EXPECT_EQ(DropOutcome(arn), "OK");
}

// Why: an index on its way in is restored whole, one on its way out not at all.
TEST_F(BackupsTest, RestoreIndexesThatWereBusy) {
  CreateTableRequest request = Indexed();
  request.attribute_definitions->push_back({"h", Type::kString});
  request.global_secondary_indexes->push_back(Index("leaving", {{"h", kHash}}));
  Create(request);
  Put("1");
  SetIndexStatus("music", 0, IndexStatus::kCreating);
  SetIndexStatus("music", 1, IndexStatus::kDeleting);
  ASSERT_EQ(RestoreOutcome(Backup()), "OK");
  const TableMeta restored = Describe("restored").meta;
  ASSERT_EQ(restored.schema.indexes.size(), 1u);
  EXPECT_EQ(restored.index_states[0].status, IndexStatus::kActive);
  EXPECT_EQ(restored.attribute_definitions.size(), 2u);
  EXPECT_EQ(CountItems("restored", "global"), 1u);
  EXPECT_THAT(Disagreements(store_.get(), *catalog_), IsEmpty());
}

// --- Delays ---

TEST_F(BackupsTest, ADelayedBackupIsCreatingUntilItsTimeHasCome) {
  Create(OnDemand());
  context_.delays.create = kDelay;
  const std::string arn = Backup();
  clock_.Advance(kDelay - absl::Nanoseconds(1));
  EXPECT_EQ(BackupStatusFor(arn), BackupStatus::kCreating);
  EXPECT_EQ(DropOutcome(arn), kInUse);
  EXPECT_EQ(RestoreOutcome(arn), kInUse);
  clock_.Advance(absl::Nanoseconds(1));
  EXPECT_EQ(BackupStatusFor(arn), BackupStatus::kAvailable);
  EXPECT_EQ(DropOutcome(arn), "OK");
}

TEST_F(BackupsTest, ADelayedRestoreKeepsItsBackup) {
  Create(Indexed());
  Put("1");
  const std::string arn = Backup();
  context_.delays.create = kDelay;
  ASSERT_EQ(RestoreOutcome(arn), "OK");
  EXPECT_EQ(Describe("restored").meta.status, TableStatus::kCreating);
  EXPECT_EQ(Describe("restored").meta.index_states[0].status, IndexStatus::kCreating);
  EXPECT_EQ(DropOutcome(arn), kInUse);
  EXPECT_EQ(RestoreOutcome(arn), "TableInUseException: Table is being created: restored");
  clock_.Advance(kDelay);
  EXPECT_EQ(Describe("restored").meta.status, TableStatus::kActive);
  EXPECT_EQ(CountItems("restored", "global"), 1u);
  EXPECT_EQ(DropOutcome(arn), "OK");
}

TEST_F(BackupsTest, BusyTablesAreNeitherBackedUpNorRestoredOver) {
  Create(OnDemand());
  const std::string arn = Backup();
  Delete();
  context_.delays = {.create = kDelay, .remove = kDelay};
  Create(OnDemand());
  EXPECT_EQ(BackupOutcome(), "TableInUseException: Table is being created: music");
  EXPECT_EQ(RestoreOutcome(arn, "music"), "TableInUseException: Table is being created: music");
  clock_.Advance(kDelay);
  Delete();
  EXPECT_EQ(BackupOutcome(), "TableInUseException: Table is being deleted: music");
  EXPECT_EQ(RestoreOutcome(arn, "music"), "TableInUseException: Table is being deleted: music");
  clock_.Advance(kDelay);
  EXPECT_EQ(BackupOutcome(), "TableNotFoundException: Table not found: music");
  EXPECT_EQ(RestoreOutcome(arn, "music"), "OK");
}

TEST_F(BackupsTest, OnlySoManyRestoresAtATime) {
  Create(OnDemand());
  const std::string arn = Backup();
  context_.delays.create = kDelay;
  for (int i = 0; i < kRestoresMax; ++i) {
    ASSERT_EQ(RestoreOutcome(arn, Concat("restored", i)), "OK");
  }
  EXPECT_EQ(RestoreOutcome(arn, "another"),
            "LimitExceededException: Subscriber limit exceeded: Only 50 restore operations can be "
            "done simultaneously");
  clock_.Advance(kDelay);
  EXPECT_EQ(RestoreOutcome(arn, "another"), "OK");
}

// --- System backups ---

TEST_F(BackupsTest, ADeletedTableWithRecoveryBecomesABackup) {
  Create(Indexed());
  EnableRecovery();
  Put("1");
  Put("2");
  const StorageId id = catalog_->Find("music")->meta()->schema.id;
  const StorageId index = catalog_->Find("music")->meta()->schema.indexes[0].id;
  Delete();
  const auto backups = ListBackups(context_, {.backup_type = BackupTypeFilter::kSystem});
  ASSERT_EQ(backups->backup_summaries.size(), 1u);
  const BackupMeta& backup = *catalog_->Backups()[0];
  EXPECT_EQ(backup.name, "music$DeletedTableBackup");
  EXPECT_EQ(backup.rows_id, id);
  EXPECT_EQ(backup.item_count, 2);
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_EQ(CountRowsIn(id), 2u);
  EXPECT_EQ(CountRowsIn(index, Family::kGlobalIndexes), 0u);
  EXPECT_THAT(Disagreements(store_.get(), *catalog_), IsEmpty());

  clock_.Advance(absl::Hours(24 * kSystemBackupDays));
  ASSERT_TRUE(DropExpiredBackups(context_.catalog, context_.clock->Now()).ok());
  EXPECT_THAT(catalog_->Backups(), IsEmpty());
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_EQ(CountRowsIn(id), 0u);
}

TEST_F(BackupsTest, AnExpiredBackupThatIsBeingReadStaysUntilThen) {
  Create(OnDemand());
  EnableRecovery();
  Delete();
  const BackupMeta backup = *catalog_->Backups()[0];
  clock_.Advance(absl::Hours(24 * kSystemBackupDays));
  {
    const auto lease = catalog_->LeaseBackup("music", backup.id);
    ASSERT_TRUE(DropExpiredBackups(context_.catalog, context_.clock->Now()).ok());
    EXPECT_EQ(catalog_->Backups().size(), 1u);
  }
  ASSERT_TRUE(DropExpiredBackups(context_.catalog, context_.clock->Now()).ok());
  EXPECT_THAT(catalog_->Backups(), IsEmpty());
}

TEST_F(BackupsTest, ADelayedDeletionLeavesItsBackupWhenItIsDone) {
  Create(OnDemand());
  EnableRecovery();
  context_.delays.remove = kDelay;
  Delete();
  EXPECT_THAT(catalog_->Backups(), IsEmpty());
  clock_.Advance(kDelay);
  EXPECT_EQ(BackupOutcome(), "TableNotFoundException: Table not found: music");
  EXPECT_EQ(catalog_->Backups().size(), 1u);
}

// --- The check ---

TEST_F(BackupsTest, TheCheckFindsDamagedBackups) {
  Create(OnDemand());
  Put("1");
  Put("2");
  Backup();
  const BackupMeta backup = *catalog_->Backups()[0];
  EXPECT_THAT(Disagreements(store_.get(), *catalog_), IsEmpty());
  Cursor cursor =
      store_->Scan(Family::kTables, RowIdPrefix(backup.rows_id), "", Direction::kForward);
  cursor.SeekToStart();
  const std::string row_key(cursor.key());
  WriteBatch batch;
  batch.Put(Family::kTables, row_key, "damaged");
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_THAT(Disagreements(store_.get(), *catalog_),
              ElementsAre(AllOf(HasSubstr(Concat("table music, backup ", backup.id)),
                                HasSubstr("cannot be understood"))));
  batch.Clear();
  batch.Delete(Family::kTables, row_key);
  ASSERT_TRUE(store_->Commit(batch).ok());
  EXPECT_THAT(Disagreements(store_.get(), *catalog_),
              ElementsAre(HasSubstr("it has 1 rows, but says that it has 2")));
}

// --- The end of the process ---

class ReopenedBackupsTest : public ::testing::Test {
 protected:
  ReopenedBackupsTest() { Open("data"); }

  // A database in that folder of the test's.
  void Open(const std::string& name, TableDelays delays = {}) {
    database_.reset();
    DatabaseOptions options;
    options.path = folder_ / name;
    options.clock = &clock_;
    options.table_delays = delays;
    auto database = Database::Open(options);
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = std::move(*database);
  }
  DatabaseImpl* impl() { return static_cast<DatabaseImpl*>(database_.get()); }

  void CreateMusic() {
    CreateTableRequest request;
    request.table_name = "music";
    request.attribute_definitions = {{"pk", Type::kString}, {"g", Type::kString}};
    request.key_schema = {{"pk", kHash}};
    request.global_secondary_indexes = {{.index_name = "global",
                                         .key_schema = {{"g", kHash}},
                                         .projection = {ProjectionType::kAll}}};
    request.billing_mode = BillingMode::kPayPerRequest;
    ASSERT_TRUE(database_->CreateTable(request).ok());
    for (int i = 0; i < 1000; ++i) {
      const Item item{{"pk", Value::S(std::to_string(i))}, {"g", Value::S("g")}};
      ASSERT_TRUE(database_->PutItem({.table_name = "music", .item = item}).ok());
    }
  }
  int64_t CountItems(const std::string& table) {
    const auto description = database_->DescribeTable({.table_name = table});
    EXPECT_TRUE(description.ok()) << description.status();
    return description.ok() ? description->item_count : 0;
  }
  std::vector<std::string> Faults() { return Disagreements(impl()->store(), *impl()->catalog()); }

  ScratchFolder folder_;
  ManualClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<Database> database_;
};

TEST_F(ReopenedBackupsTest, BackupsOutliveTheirTableAndTheProcess) {
  CreateMusic();
  const auto backup = database_->CreateBackup({"music", "backup"});
  ASSERT_TRUE(backup.ok()) << backup.status();
  ASSERT_TRUE(database_->DeleteTable({.table_name = "music"}).ok());
  Open("data");
  ASSERT_TRUE(impl()->local_store()->CompactAll().ok());
  ASSERT_TRUE(database_->RestoreTableFromBackup({"restored", backup->backup_arn, {}}).ok());
  EXPECT_EQ(CountItems("restored"), 1000);
  EXPECT_THAT(Faults(), IsEmpty());
  Open("data");
  EXPECT_EQ(CountItems("restored"), 1000);
  EXPECT_EQ(database_->ListBackups({})->backup_summaries.size(), 1u);
  EXPECT_THAT(Faults(), IsEmpty());
}

// Why: a process may be killed between any two commits of a restore; a checkpoint is what it would
// leave.
TEST_F(ReopenedBackupsTest, AKilledRestoreLeavesNothing) {
  CreateMusic();
  OperationContext context = {.store = impl()->store(),
                              .catalog = impl()->catalog(),
                              .clock = &clock_,
                              .region = "us-east-1",
                              .account_id = "000000000000"};
  const TableMeta source = *impl()->catalog()->Find("music")->meta();
  StorageId target = 0;
  const Restore restore = {.target_table_name = "restored", .source = source};
  const auto restored = RestoreTable(context, restore, [&](StorageId id) {
    target = id;
    RowLoader loader(context, id);
    const auto snapshot = context.store->TakeSnapshot();
    EXPECT_TRUE(CopyRows(*snapshot, source.schema.id, &loader).ok());
    EXPECT_TRUE(loader.Finish().ok());
    return context.store->local()->Checkpoint(folder_ / "killed");
  });
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(CountItems("restored"), 1000);

  Open("killed");
  EXPECT_EQ(database_->ListTables({})->table_names, std::vector<std::string>{"music"});
  EXPECT_THAT(Faults(), IsEmpty());
  ASSERT_TRUE(impl()->local_store()->CompactAll().ok());
  Cursor cursor = impl()->store()->Scan(Family::kTables, RowIdPrefix(target),
                                        RowIdPrefix(target + 1), Direction::kForward);
  cursor.SeekToStart();
  EXPECT_FALSE(cursor.Valid());
}

TEST_F(ReopenedBackupsTest, AnInterruptedDeletionLeavesItsBackup) {
  CreateMusic();
  ASSERT_TRUE(database_->UpdateContinuousBackups({"music", {true, std::nullopt}}).ok());
  Open("data", {.remove = absl::Hours(1)});
  ASSERT_TRUE(database_->DeleteTable({.table_name = "music"}).ok());
  Open("data");
  EXPECT_THAT(database_->ListTables({})->table_names, IsEmpty());
  const auto backups = database_->ListBackups({.backup_type = BackupTypeFilter::kSystem});
  ASSERT_EQ(backups->backup_summaries.size(), 1u);
  EXPECT_EQ(database_->DescribeBackup({backups->backup_summaries[0].backup_arn})
                ->source_table_details.item_count,
            1000);
  ASSERT_TRUE(
      database_->RestoreTableFromBackup({"music", backups->backup_summaries[0].backup_arn, {}})
          .ok());
  EXPECT_EQ(CountItems("music"), 1000);
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(ReopenedBackupsTest, TimeTakesExpiredBackupsAway) {
  CreateMusic();
  ASSERT_TRUE(database_->UpdateContinuousBackups({"music", {true, std::nullopt}}).ok());
  ASSERT_TRUE(database_->DeleteTable({.table_name = "music"}).ok());
  clock_.Advance(absl::Hours(24 * kSystemBackupDays) - absl::Seconds(1));
  EXPECT_EQ(impl()->catalog()->Backups().size(), 1u);
  clock_.Advance(absl::Minutes(2));
  EXPECT_THAT(impl()->catalog()->Backups(), IsEmpty()) << "though nobody has looked";
}

// Why: a clock that users move goes on from the last thing that has happened.
TEST_F(ReopenedBackupsTest, TheClockGoesOnBehindTheLastBackup) {
  CreateMusic();
  clock_.Set(clock_.Now() + absl::Hours(1));
  ASSERT_TRUE(database_->CreateBackup({"music", "backup"}).ok());
  const absl::Time made = clock_.Now();
  WriteBatch batch;
  batch.Delete(Family::kMeta, "clock");
  ASSERT_TRUE(impl()->store()->Commit(batch).ok());
  database_.reset();
  clock_.Set(made - absl::Hours(2));
  Open("data");
  EXPECT_EQ(clock_.Now(), made);
}

}  // namespace
}  // namespace dynolith
