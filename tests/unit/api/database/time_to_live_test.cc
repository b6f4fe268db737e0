// Switching time to live on and off, and what a sweep deletes.
#include "api/control/describe_time_to_live.h"
#include "api/write/conflict_table.h"
#include "engine/store/work_counters.h"
#include "engine/ttl/expiry.h"
#include "gmock/gmock.h"
#include "tests/unit/api/streams_and_expiry.h"

namespace dynolith {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class TimeToLiveTest : public StreamsAndExpiry {
 protected:
  std::string Status() {
    const auto output = DescribeTimeToLive(context_, {"music"});
    if (!output.ok()) return Outcome(output.status());
    const TimeToLiveDescription& description = output->time_to_live_description;
    return std::string(description.time_to_live_status == TimeToLiveStatus::kEnabled ? "on "
                                                                                     : "off") +
           description.attribute_name.value_or("");
  }
  size_t ExpiryRows() {
    Cursor cursor = store_->Scan(Family::kExpiry, "", "", Direction::kForward);
    size_t rows = 0;
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++rows;
    return rows;
  }
};

TEST_F(TimeToLiveTest, IsOffUntilSwitchedOn) {
  CreateMusic();
  EXPECT_EQ(Status(), "off");
  EXPECT_EQ(TimeToLive(true), "OK");
  EXPECT_EQ(Status(), "on ttl");
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(TimeToLive(false), "OK");
  EXPECT_EQ(Status(), "off");
}

TEST_F(TimeToLiveTest, RefusesWhatChangesNothingAndWhatComesTooSoon) {
  CreateMusic();
  EXPECT_EQ(TimeToLive(false), Validation("TimeToLive is already disabled"));
  EXPECT_EQ(TimeToLive(true), "OK");
  EXPECT_EQ(TimeToLive(true), Validation("TimeToLive is already enabled"));
  const std::string other =
      Validation("TimeToLive is active on a different AttributeName: current AttributeName is ttl");
  EXPECT_EQ(TimeToLive(true, "other"), other);
  EXPECT_EQ(TimeToLive(false, "other"), other);
  const std::string too_soon =
      Validation("Time to live has been modified multiple times within a fixed interval");
  EXPECT_EQ(TimeToLive(false), too_soon);
  clock_.Advance(absl::Minutes(29));
  EXPECT_EQ(TimeToLive(false), too_soon);
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(TimeToLive(false), "OK");
  EXPECT_EQ(TimeToLive(true, "other"), too_soon);
}

TEST_F(TimeToLiveTest, RefusesBadNamesAndMissingTables) {
  EXPECT_EQ(TimeToLive(true),
            "ResourceNotFoundException: Requested resource not found: Table: music not found");
  EXPECT_EQ(Status(),
            "ResourceNotFoundException: Requested resource not found: Table: music not found");
  CreateMusic();
  EXPECT_EQ(TimeToLive(true, ""),
            Validation("1 validation error detected: Value '' at "
                       "'timeToLiveSpecification.attributeName' failed to satisfy constraint: "
                       "Member must have length greater than or equal to 1"));
  EXPECT_EQ(TimeToLive(true, std::string(256, 'a')).substr(0, 19), "ValidationException");
  EXPECT_EQ(TimeToLive(true, std::string(255, 'a')), "OK");
}

TEST_F(TimeToLiveTest, ATableThatIsBeingCreatedIsNotThereYet) {
  CreateMusic();
  const auto table = catalog_->Find("music");
  ASSERT_TRUE(catalog_
                  ->Modify(table.get(),
                           [](TableMeta* meta) {
                             meta->status = TableStatus::kCreating;
                             return absl::OkStatus();
                           })
                  .ok());
  EXPECT_EQ(TimeToLive(true),
            "ResourceNotFoundException: Requested resource not found: Table: music not found");
  EXPECT_EQ(Status(), Validation("Cannot describe time to live while table is in CREATING state: "
                                 "Current table state is CREATING"));
}

TEST_F(TimeToLiveTest, ExpiredItemsAreReadableUntilTheyAreSwept) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  Put(Expiring("soon", absl::Seconds(10)));
  Put(Expiring("later", absl::Seconds(20)));
  Put({{"pk", Value::S("never")}});
  Put({{"pk", Value::S("text")}, {"ttl", Value::S("1")}});
  EXPECT_EQ(Sweep(), 0);
  clock_.Advance(absl::Seconds(10));
  EXPECT_TRUE(Exists("soon"));
  EXPECT_EQ(Sweep(), 1);
  EXPECT_FALSE(Exists("soon"));
  EXPECT_TRUE(Exists("later"));
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(Sweep(), 1);
  EXPECT_TRUE(Exists("never"));
  EXPECT_TRUE(Exists("text"));
  EXPECT_EQ(ExpiryRows(), 0u);
}

TEST_F(TimeToLiveTest, DeletionsAreRecordedAsTheServices) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  Put(Expiring("a", absl::ZeroDuration()));
  EXPECT_EQ(Sweep(), 1);
  const auto records = Records(Arns()[0]);
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_FALSE(records[0].user_identity);
  EXPECT_EQ(records[1].event_name, OperationType::kRemove);
  ASSERT_TRUE(records[1].user_identity);
  EXPECT_EQ(records[1].user_identity->principal_id, "dynamodb.amazonaws.com");
  EXPECT_EQ(records[1].user_identity->type, "Service");
  EXPECT_TRUE(records[1].dynamodb.old_image);
}

TEST_F(TimeToLiveTest, DeletionsReachTheIndexes) {
  CreateTableRequest request = OnDemand();
  request.attribute_definitions->push_back({"kind", Type::kString});
  request.global_secondary_indexes = {Index("by-kind", {{"kind", kHash}})};
  Create(request);
  ASSERT_EQ(TimeToLive(true), "OK");
  Item item = Expiring("a", absl::ZeroDuration());
  item.Set("kind", Value::S("song"));
  Put(item);
  const auto index_rows = [this] {
    Cursor cursor = store_->Scan(Family::kGlobalIndexes, "", "", Direction::kForward);
    cursor.SeekToStart();
    return cursor.Valid();
  };
  EXPECT_TRUE(index_rows());
  EXPECT_EQ(Sweep(), 1);
  EXPECT_FALSE(index_rows());
}

TEST_F(TimeToLiveTest, AnItemThatWasGivenMoreTimeStays) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  Put(Expiring("a", absl::Seconds(1)));
  Put(Expiring("a", absl::Hours(1)));
  Put(Expiring("b", absl::Seconds(1)));
  Put({{"pk", Value::S("b")}});
  Put(Expiring("c", absl::Seconds(1)));
  Delete("c");
  EXPECT_EQ(ExpiryRows(), 1u);
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(Sweep(), 0);
  EXPECT_TRUE(Exists("a"));
  EXPECT_TRUE(Exists("b"));
}

TEST_F(TimeToLiveTest, ItemsThatExpiredMoreThanFiveYearsAgoStay) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  constexpr absl::Duration kYear = absl::Hours(24 * 365);
  Put(Expiring("old", -5 * kYear - absl::Hours(1)));
  Put(Expiring("young", -5 * kYear + absl::Hours(1)));
  EXPECT_EQ(Sweep(), 1);
  EXPECT_TRUE(Exists("old"));
  EXPECT_FALSE(Exists("young"));
}

TEST_F(TimeToLiveTest, ItemsThatWereThereBeforeExpireToo) {
  CreateMusic();
  for (int i = 0; i < 600; ++i) Put(Expiring("item" + std::to_string(i), absl::Seconds(1)));
  EXPECT_EQ(ExpiryRows(), 0u);
  ASSERT_EQ(TimeToLive(true), "OK");
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(Sweep(), 600);
  EXPECT_FALSE(Exists("item7"));
  EXPECT_EQ(ExpiryRows(), 0u);
}

TEST_F(TimeToLiveTest, OffMeansOffAndItsRowsGo) {
  CreateMusic();
  // Cleans when a minute has passed.
  Housekeeper cleaner(&context_, BackgroundThreads::Shared(BackgroundThreads::Kind::kInMemory),
                      {.sweep_period = absl::ZeroDuration(), .clock = &clock_});
  ASSERT_TRUE(cleaner.Start().ok());
  ASSERT_EQ(TimeToLive(true), "OK");
  Put(Expiring("due", absl::Hours(1) + absl::Seconds(10)));
  Put(Expiring("far", absl::Hours(9999)));
  clock_.Advance(absl::Hours(1));
  ASSERT_EQ(TimeToLive(false), "OK");
  clock_.Advance(absl::Seconds(10));
  EXPECT_EQ(Sweep(), 0);
  EXPECT_TRUE(Exists("due"));
  EXPECT_EQ(ExpiryRows(), 1u) << "the one that was not due yet";
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(ExpiryRows(), 0u);
}

TEST_F(TimeToLiveTest, OnAgainWithAnotherAttributeForgetsTheFirst) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  Item item = Expiring("a", absl::Hours(3));
  item.Set("other", Value::N(absl::ToUnixSeconds(clock_.Now() + absl::Hours(9))));
  Put(item);
  clock_.Advance(absl::Hours(1));
  ASSERT_EQ(TimeToLive(false), "OK");
  clock_.Advance(absl::Hours(1));
  ASSERT_EQ(TimeToLive(true, "other"), "OK");
  clock_.Advance(absl::Hours(2));
  EXPECT_EQ(Sweep(), 0);
  EXPECT_TRUE(Exists("a"));
  EXPECT_EQ(ExpiryRows(), 1u);
  clock_.Advance(absl::Hours(5));
  EXPECT_EQ(Sweep(), 1);
}

TEST_F(TimeToLiveTest, RowsOfADeletedTableGo) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  Put(Expiring("a", absl::Seconds(1)));
  ASSERT_EQ(Outcome(DeleteTable(context_, {.table_name = "music"}).status()), "OK");
  clock_.Advance(absl::Seconds(2));
  EXPECT_EQ(Sweep(), 0);
  EXPECT_EQ(ExpiryRows(), 0u);
}

TEST_F(TimeToLiveTest, ManyItemsShareACommit) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  for (int i = 0; i < 100; ++i) Put(Expiring(std::to_string(i), absl::Seconds(1 + i % 7)));
  EXPECT_EQ(Sweep(), 0) << "the first sweep also ends the filling";
  clock_.Advance(absl::Minutes(1));
  const uint64_t before = ThreadWork().batches;
  EXPECT_EQ(Sweep(), 100);
  EXPECT_EQ(ThreadWork().batches - before, 4u);
  EXPECT_EQ(ExpiryRows(), 0u);
  EXPECT_THAT(Records(Arns()[0]), SizeIs(200)) << "each with its record";
}

// Rows of other times, left over from before time to live was off for a while.
TEST_F(TimeToLiveTest, TwoRowsOfOneItemAreNotOneCommit) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  Put(Expiring("a", absl::Seconds(1)));
  WriteBatch batch;
  Cursor cursor = store_->Scan(Family::kExpiry, "", "", Direction::kForward);
  cursor.SeekToStart();
  const std::string row_key(ParseExpiryKey(cursor.key())->row_key);
  batch.Put(Family::kExpiry, ExpiryKey(absl::ToUnixSeconds(clock_.Now()), row_key),
            std::string_view());
  ASSERT_TRUE(store_->Commit(batch).ok());
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(Sweep(), 1);
  EXPECT_EQ(ExpiryRows(), 0u);
  EXPECT_THAT(Records(Arns()[0]), SizeIs(2));
}

TEST_F(TimeToLiveTest, AnItemThatATransactionHasKeepsNoOtherOneBack) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  for (const char* pk : {"a", "b", "c"}) Put(Expiring(pk, absl::Seconds(1)));
  clock_.Advance(absl::Minutes(1));
  ConflictTable conflicts;
  context_.conflicts = &conflicts;
  {
    Cursor cursor = store_->Scan(Family::kExpiry, "", "", Direction::kForward);
    cursor.SeekToStart();
    const std::string row_key(ParseExpiryKey(cursor.key())->row_key);
    const std::string_view keys[] = {row_key};
    std::vector<size_t> taken;
    const auto entry = conflicts.Enter(keys, ConflictTable::Kind::kTransaction, &taken);
    EXPECT_EQ(Sweep(), 2);
    EXPECT_EQ(ExpiryRows(), 1u);
  }
  EXPECT_EQ(Sweep(), 1);
  context_.conflicts = nullptr;
}

// The background thread: it needs real time to turn round, but expiry follows the manual clock.
TEST_F(TimeToLiveTest, TheThreadSweepsByItself) {
  CreateMusic();
  ASSERT_EQ(TimeToLive(true), "OK");
  Housekeeper housekeeper(&context_, BackgroundThreads::Shared(BackgroundThreads::Kind::kInMemory),
                          {.sweep_period = absl::Milliseconds(5)});
  ASSERT_TRUE(housekeeper.Start().ok());
  const auto goes = [this](std::string_view name) {
    for (int i = 0; i < 12'000 && Exists(name); ++i) absl::SleepFor(absl::Milliseconds(5));
    return !Exists(name);
  };
  Put(Expiring("a", absl::Seconds(10)));
  // Already expired when it is written.
  Put(Expiring("b", absl::Seconds(-100)));
  EXPECT_TRUE(goes("b"));
  EXPECT_TRUE(Exists("a")) << "its time has not come";
  clock_.Advance(absl::Seconds(10));
  EXPECT_TRUE(goes("a"));
  // Behind the place where the last sweep has ended.
  Put(Expiring("c", absl::Seconds(-100)));
  EXPECT_TRUE(goes("c"));
  housekeeper.Stop();
  EXPECT_TRUE(housekeeper.TakeFailure().ok());
}

}  // namespace
}  // namespace dynolith
