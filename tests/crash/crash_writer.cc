#include "tests/crash/crash_writer.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith::crash {
namespace {

constexpr size_t kWriteBufferBytes = 64
                                     << 10;  // Small, so that flushes are under way at any moment.

void Publish(std::uint64_t* where, uint64_t value) {
  std::atomic_ref<uint64_t>(*where).store(value, std::memory_order_seq_cst);
}

// A failed write is a fault that the parent must see.
void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << "the writer failed: " << status << std::endl;
  _exit(1);
}

absl::Status Write(Database* database, int thread, int key, uint64_t write) {
  const std::optional<Item> item = ItemAfter(thread, key, write);
  if (!item) {
    return database->DeleteItem({.table_name = kTable, .key = KeyItem(thread, key)}).status();
  }
  if (write % 3 == 0) {
    return database->PutItem({.table_name = kTable, .item = *item}).status();
  }
  UpdateItemRequest request{.table_name = kTable, .key = KeyItem(thread, key)};
  request.update_expression = "SET w = :w, g = :g, l = :l, filler = :f, expires = :e";
  request.expression_attribute_values = Item{{":w", Value::Copy(*item->Find("w"))},
                                             {":g", Value::Copy(*item->Find("g"))},
                                             {":l", Value::Copy(*item->Find("l"))},
                                             {":f", Value::Copy(*item->Find("filler"))},
                                             {":e", Value::Copy(*item->Find(kExpiryAttribute))}};
  return database->UpdateItem(request).status();
}

void WriteOneThread(Database* database, int thread, uint64_t seed, Progress* progress) {
  std::mt19937_64 random(seed * kThreads + static_cast<uint64_t>(thread));
  while (true) {
    const auto key = static_cast<int>(random() % kKeysPerThread);
    KeyProgress* state = &progress->keys[thread][key];
    const uint64_t write = state->begun + 1;
    Publish(&state->begun, write);
    Require(Write(database, thread, key, write));
    Publish(&state->acknowledged, write);
  }
}

void ChangeIndexes(Database* database) {
  UpdateTableRequest create{.table_name = kTable};
  create.attribute_definitions = {{{"w", Type::kNumber}}};
  create.global_secondary_index_updates = {
      {{.create = SecondaryIndex{.index_name = "online",
                                 .key_schema = {{"w", KeyType::kHash}},
                                 .projection = {.projection_type = ProjectionType::kAll}}}}};
  UpdateTableRequest remove{.table_name = kTable};
  remove.global_secondary_index_updates = {{{.delete_index_name = "online"}}};
  // After a crash it may be either there or not, so the first change may be refused.
  while (true) {
    (void)database->UpdateTable(create);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    (void)database->WaitForBackfills();
    (void)database->UpdateTable(remove);
  }
}

// Moves the index that is always there to other shards, often before it has arrived.
void MoveIndex(Database* database, uint64_t seed) {
  std::mt19937_64 random(seed);
  while (true) {
    const int shards = 1 + static_cast<int>(random() % 9);
    Require(database->SetIndexShards(kTable, "global", shards));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
  }
}

// Each backup becomes a table, and the table a system backup. A few backups are kept.
void BackUp(Database* database, BackupProgress* progress) {
  constexpr size_t kKept = 3;
  while (true) {
    // After a crash it may be there.
    const auto left = database->DeleteTable({.table_name = kRestoredTable});
    if (!left.ok() && KindOf(left.status()) != ErrorKind::kResourceNotFound) Require(left.status());
    Publish(&progress->begun, progress->begun + 1);
    const auto backup = database->CreateBackup({kTable, "backup"});
    Require(backup.status());
    Publish(&progress->made, progress->made + 1);
    Require(database->RestoreTableFromBackup({kRestoredTable, backup->backup_arn, {}}).status());
    Require(database->UpdateContinuousBackups({kRestoredTable, {true, std::nullopt}}).status());
    Require(database->DeleteTable({.table_name = kRestoredTable}).status());

    const auto backups = database->ListBackups({.table_name = kTable});
    Require(backups.status());
    if (backups->backup_summaries.size() <= kKept) continue;
    Publish(&progress->deletions_begun, progress->deletions_begun + 1);
    Require(database->DeleteBackup({backups->backup_summaries[0].backup_arn}).status());
    Publish(&progress->deleted, progress->deleted + 1);
  }
}

absl::Status SwitchRecovery(Database* database, bool on) {
  return database
      ->UpdateContinuousBackups(
          {.table_name = kTable,
           .point_in_time_recovery_specification = {.point_in_time_recovery_enabled = on}})
      .status();
}

void SwitchRecoveryForEver(Database* database) {
  for (bool on = false;; on = !on) {
    Require(SwitchRecovery(database, on));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

absl::Status CreateTable(Database* database) {
  using KeyType = KeyType;
  const IndexProjection all{.projection_type = ProjectionType::kAll};
  const IndexProjection keys{.projection_type = ProjectionType::kKeysOnly};
  CreateTableRequest request{.table_name = kTable, .billing_mode = BillingMode::kPayPerRequest};
  request.attribute_definitions = {
      {{"pk", Type::kString}, {"sk", Type::kNumber}, {"g", Type::kString}, {"l", Type::kNumber}}};
  request.key_schema = {{{"pk", KeyType::kHash}, {"sk", KeyType::kRange}}};
  request.local_secondary_indexes = {
      {{.index_name = "local",
        .key_schema = {{"pk", KeyType::kHash}, {"l", KeyType::kRange}},
        .projection = all}}};
  request.global_secondary_indexes = {
      {{.index_name = "global",
        .key_schema = {{"g", KeyType::kHash}, {"l", KeyType::kRange}},
        .projection = keys}}};
  request.stream_specification = StreamSpecification{
      .stream_enabled = true, .stream_view_type = StreamViewType::kNewAndOldImages};
  return database->CreateTable(request).status();
}

}  // namespace

Item KeyItem(int thread, int key) {
  return {{"pk", Value::S(Concat("t", thread))}, {"sk", Value::N(key)}};
}

std::optional<Item> ItemAfter(int thread, int key, uint64_t write) {
  if (write % 7 == 0) return std::nullopt;
  Item item = KeyItem(thread, key);
  item.Set("w", Value::N(static_cast<int64_t>(write)));
  item.Set("g", Value::S(Concat("g", write % 5)));
  item.Set("l", Value::N(static_cast<int64_t>(write % 11)));
  item.Set("filler", Value::S(std::string(write % 400, 'x')));
  constexpr int64_t kFarFuture = 4'000'000'000;
  item.Set(kExpiryAttribute, Value::N(kFarFuture + static_cast<int64_t>(write % 13)));
  return item;
}

absl::StatusOr<std::unique_ptr<Database>> OpenCrashDatabase(const std::string& folder,
                                                            Clock* clock) {
  return Database::Open({.path = folder, .write_buffer_bytes = kWriteBufferBytes, .clock = clock});
}

absl::Status PrepareTable(Database* database) {
  if (!database->DescribeTable({.table_name = kTable}).ok()) {
    DYNOLITH_RETURN_IF_ERROR(CreateTable(database));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const auto expiry,
                            database->DescribeTimeToLive({.table_name = kTable}));
  if (!expiry.time_to_live_description.attribute_name) {
    DYNOLITH_RETURN_IF_ERROR(
        database
            ->UpdateTimeToLive({.table_name = kTable,
                                .time_to_live_specification = {.enabled = true,
                                                               .attribute_name = kExpiryAttribute}})
            .status());
  }
  return SwitchRecovery(database, true);
}

void WriteUntilKilled(const WriterOptions& options, Progress* progress) {
  auto database = OpenCrashDatabase(options.folder);
  Require(database.status());
  Require(PrepareTable(database->get()));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back(WriteOneThread, database->get(), thread, options.seed, progress);
  }
  threads.emplace_back(ChangeIndexes, database->get());
  threads.emplace_back(MoveIndex, database->get(), options.seed);
  threads.emplace_back(BackUp, database->get(), &progress->backups);
  if (options.switches_recovery) threads.emplace_back(SwitchRecoveryForEver, database->get());
  for (std::thread& thread : threads) thread.join();
  _exit(1);
}

}  // namespace dynolith::crash
