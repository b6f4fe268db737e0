// What a database does in the background when each of its allocations fails in turn: the process
// goes on, and once there is memory all of it is done, nothing twice.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "dynolith/bulk_transfer.h"
#include "dynolith/database.h"
#include "tests/unit/allocation_counter.h"
#include "tests/unit/api/streams_and_expiry.h"

namespace dynolith {
namespace {

constexpr absl::Duration kBetweenTries = absl::Milliseconds(1);
constexpr absl::Duration kSecond = absl::Seconds(1);
// More than anything here takes.
constexpr int kMany = 5'000;

// --- Sweeps ---

class SweepWithoutMemory : public StreamsAndExpiry {
 protected:
  bool HasExpiryRows() {
    Cursor cursor = store_->Scan(Family::kExpiry, "", "", Direction::kForward);
    cursor.SeekToStart();
    return cursor.Valid();
  }
};

TEST_F(SweepWithoutMemory, NoRowIsForgotten) {
  CreateMusic(std::nullopt);
  ASSERT_EQ(TimeToLive(true), "OK");
  Housekeeper follower(&context_, BackgroundThreads::Shared(BackgroundThreads::Kind::kInMemory),
                       {.sweep_period = kSecond, .clock = &clock_});
  ASSERT_TRUE(follower.Start().ok());
  bool has_failed = true;
  for (int allocations = 0; has_failed; ++allocations) {
    for (const char* const pk : {"a", "b"}) Put(Expiring(pk, kSecond));
    thread_allocations_left = allocations;
    try {
      clock_.Advance(2 * kSecond);
      has_failed = false;
    } catch (const std::bad_alloc&) {
    }
    thread_allocations_left = -1;
    has_failed = has_failed || !follower.TakeFailure().ok();
    clock_.Advance(2 * kSecond);
    ASSERT_FALSE(Exists("a")) << allocations;
    ASSERT_FALSE(Exists("b")) << allocations;
    ASSERT_FALSE(HasExpiryRows()) << allocations;
    ASSERT_TRUE(follower.TakeFailure().ok());
    ASSERT_LT(allocations, kMany);
  }
}

TEST(SweepInBackground, GoesOnWhenThereIsMemory) {
  const auto database =
      Database::Open({.in_memory = true, .ttl_sweep_period = absl::Milliseconds(1)}).value();
  ASSERT_TRUE(database
                  ->CreateTable({.table_name = "music",
                                 .attribute_definitions = {{{"pk"}}},
                                 .key_schema = {{{"pk"}}},
                                 .billing_mode = BillingMode::kPayPerRequest})
                  .ok());
  ASSERT_TRUE(
      database
          ->UpdateTimeToLive({.table_name = "music", .time_to_live_specification = {true, "ttl"}})
          .ok());
  const auto put = [&] {
    return database->PutItem(
        {.table_name = "music",
         .item = {{"pk", Value::S("a")},
                  {"ttl", Value::N(absl::ToUnixSeconds(absl::Now() - 10 * kSecond))}}});
  };
  const auto is_there = [&] {
    const auto got = database->GetItem({.table_name = "music", .key = {{"pk", Value::S("a")}}});
    return got.ok() && got->item.has_value();
  };
  for (const int allocations : {0, 1, 5, 25}) {
    absl::Status failure;
    {
      const OthersHave few(allocations);
      ASSERT_TRUE(put().ok());
      while (failure.ok()) {
        absl::SleepFor(kBetweenTries);
        failure = database->TakeBackgroundFailure();
      }
    }
    EXPECT_EQ(failure.code(), absl::StatusCode::kResourceExhausted);
    while (is_there()) absl::SleepFor(kBetweenTries);
  }
}

// --- Backfills ---

class BackfillWithoutMemory : public UpdateRequests {
 protected:
  bool IsActive() { return Describe().meta.index_states[0].status == IndexStatus::kActive; }
};

TEST_F(BackfillWithoutMemory, TheIndexIsWhole) {
  constexpr int kItems = 3;
  Create(OnDemand());
  for (int i = 0; i < kItems; ++i) {
    ASSERT_TRUE(
        PutItem(context_, {.table_name = "music",
                           .item = {{"pk", Value::S(std::to_string(i))}, {"a", Value::S("x")}}})
            .ok());
  }
  bool has_failed = true;
  for (int allocations = 0; has_failed; ++allocations) {
    {
      const OthersHave few(allocations);
      Update(NewIndex("by-a", "a"));
      while (!IsActive() && !OthersHave::HaveNone()) absl::SleepFor(kBetweenTries);
      has_failed = OthersHave::HaveNone();
    }
    // At once, and once more than it has to be.
    runner_->AddUnfinished(*catalog_->Find("music"));
    while (!runner_->IsIdle()) absl::SleepFor(kBetweenTries);
    ASSERT_TRUE(runner_->WaitUntilIdle().ok());
    ASSERT_TRUE(IsActive()) << allocations;
    ASSERT_EQ(Describe().index_sizes[0].item_count, kItems) << allocations;
    UpdateTableRequest gone = Named();
    gone.global_secondary_index_updates = {{.delete_index_name = "by-a"}};
    Update(gone);
    ASSERT_LT(allocations, kMany);
  }
}

// --- Transfers ---

// Three items, and one that is none.
class FourRecords final : public BulkTransfer {
 public:
  absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(const ExportDescription&) override {
    return absl::UnimplementedError("no exports");
  }
  absl::Status Import(const ImportTableDescription&, ImportReceiver* receiver) override {
    for (int i = 0; i < 4; ++i) {
      receiver->BeginRecord("object", i + 1);
      Item item = {{i == 1 ? "other" : "pk", Value::S(std::to_string(i))}};
      if (const absl::Status taken = receiver->Take(std::move(item)); !taken.ok()) return taken;
    }
    receiver->CountBytes(100);
    return absl::OkStatus();
  }
};

class ImportWithoutMemory : public ::testing::Test {
 protected:
  std::string Begin(const std::string& table) {
    const auto begun =
        database_->ImportTable({.client_token = table,
                                .s3_bucket_source = {.s3_bucket = "bucket"},
                                .table = {.table_name = table,
                                          .attribute_definitions = {{{"pk"}}},
                                          .key_schema = {{{"pk"}}},
                                          .billing_mode = BillingMode::kPayPerRequest}});
    EXPECT_TRUE(begun.ok()) << begun.status();
    return begun.ok() ? begun->import_arn : "";
  }
  ImportTableDescription Describe(const std::string& import) {
    const auto described = database_->DescribeImport({.import_arn = import});
    EXPECT_TRUE(described.ok()) << described.status();
    return described.value_or(ImportTableDescription());
  }
  bool IsUnderWay(const std::string& import) {
    return Describe(import).import_status == TransferStatus::kInProgress;
  }
  // Whatever has ended, it is the whole import or a failed one without a table.
  void CheckEnd(const std::string& table, const ImportTableDescription& ended) {
    EXPECT_EQ(ended.import_status, TransferStatus::kFailed);
    const auto scanned = database_->Scan({.table_name = table});
    if (ended.failure_code == "ItemValidationError") {
      EXPECT_EQ(ended.processed_item_count, 4);
      EXPECT_EQ(ended.imported_item_count, 3);
      EXPECT_EQ(ended.error_count, 1);
      ASSERT_TRUE(scanned.ok()) << scanned.status();
      EXPECT_EQ(scanned->count, 3);
      EXPECT_EQ(database_->DescribeTable({.table_name = table})->item_count, 3);
      return;
    }
    EXPECT_EQ(ended.failure_code, "InternalServerError");
    EXPECT_EQ(ended.failure_message.value_or("").find("memory") == std::string::npos,
              ended.failure_message == "");
    EXPECT_FALSE(scanned.ok());
  }

  FourRecords records_;
  std::unique_ptr<Database> database_ =
      Database::Open({.in_memory = true, .transfers = &records_}).value();
};

TEST_F(ImportWithoutMemory, ItEndsAsAWholeOrFailed) {
  bool has_failed = true;
  for (int allocations = 0; has_failed; ++allocations) {
    const std::string table = "table" + std::to_string(allocations);
    std::string import;
    {
      const OthersHave few(allocations);
      import = Begin(table);
      while (IsUnderWay(import) && !OthersHave::HaveNone()) absl::SleepFor(kBetweenTries);
      has_failed = OthersHave::HaveNone();
    }
    while (IsUnderWay(import)) absl::SleepFor(kBetweenTries);
    CheckEnd(table, Describe(import));
    if (::testing::Test::HasFailure()) FAIL() << allocations;
    ASSERT_LT(allocations, kMany);
  }
  EXPECT_FALSE(database_->WaitForBackfills().ok());  // of those that failed
}

}  // namespace
}  // namespace dynolith
