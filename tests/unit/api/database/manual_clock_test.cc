// A database on a clock that its user moves: what is due has been done when the move returns, and
// the time goes on across restarts.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "api/database/database_impl.h"
#include "dynolith/database.h"
#include "engine/base/clock.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

constexpr absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);

class ManualClockTest : public ::testing::Test {
 protected:
  void Open(DatabaseOptions options = {}) {
    database_.reset();
    options.path = folder_ / "data";
    if (options.clock == nullptr) options.clock = &clock_;
    auto database = Database::Open(options);
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = std::move(*database);
  }

  void CreateMusic() {
    ASSERT_TRUE(database_
                    ->CreateTable({.table_name = "music",
                                   .attribute_definitions = {{{"pk"}}},
                                   .key_schema = {{{"pk"}}},
                                   .billing_mode = BillingMode::kPayPerRequest})
                    .ok());
    ASSERT_TRUE(
        database_->UpdateTimeToLive({"music", {.enabled = true, .attribute_name = "until"}}).ok());
  }
  void PutExpiring(std::string_view pk, absl::Time until) {
    const Item item{{"pk", Value::S(pk)}, {"until", Value::N(absl::ToUnixSeconds(until))}};
    ASSERT_TRUE(database_->PutItem({.table_name = "music", .item = item}).ok());
  }
  bool Exists(std::string_view pk) {
    const auto found = database_->GetItem({.table_name = "music", .key = {{"pk", Value::S(pk)}}});
    EXPECT_TRUE(found.ok()) << found.status();
    return found->item.has_value();
  }

  const testing::ScratchFolder folder_;
  ManualClock clock_{kStart};
  std::unique_ptr<Database> database_;
};

TEST_F(ManualClockTest, AMoveSweepsWhenThePeriodHasPassed) {
  Open({.ttl_sweep_period = absl::Minutes(5)});
  CreateMusic();
  PutExpiring("a", kStart + absl::Minutes(1));
  PutExpiring("b", kStart + absl::Minutes(7));
  clock_.Advance(absl::Minutes(4));
  EXPECT_TRUE(Exists("a")) << "no sweep is due";
  clock_.Advance(absl::Minutes(1));
  EXPECT_FALSE(Exists("a"));
  EXPECT_TRUE(Exists("b"));
  clock_.Advance(absl::Minutes(4));
  EXPECT_TRUE(Exists("b")) << "four minutes after the last sweep";
  clock_.Advance(absl::Hours(1));
  EXPECT_FALSE(Exists("b"));
  EXPECT_TRUE(database_->TakeBackgroundFailure().ok());
}

TEST_F(ManualClockTest, ManyItemsThatWereThereBeforeTimeToLive) {
  Open();
  CreateMusic();
  ASSERT_TRUE(
      database_->UpdateTimeToLive({"music", {.enabled = false, .attribute_name = "until"}}).ok() ==
      false);
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(
      database_->UpdateTimeToLive({"music", {.enabled = false, .attribute_name = "until"}}).ok());
  for (int i = 0; i < 1000; ++i) PutExpiring(std::to_string(i), clock_.Now());
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(
      database_->UpdateTimeToLive({"music", {.enabled = true, .attribute_name = "until"}}).ok());
  clock_.Advance(absl::Seconds(1));
  const auto left = database_->Scan({.table_name = "music"});
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(left->items.size(), 0u);
}

TEST_F(ManualClockTest, NoSweepsWithoutAPeriod) {
  Open({.ttl_sweep_period = absl::ZeroDuration()});
  CreateMusic();
  PutExpiring("a", kStart);
  clock_.Advance(absl::Hours(1));
  EXPECT_TRUE(Exists("a"));
  EXPECT_EQ(database_->SweepExpiredItems().value(), 1);
  EXPECT_FALSE(Exists("a"));
}

TEST_F(ManualClockTest, SetBackItSweepsAPeriodLater) {
  Open({.ttl_sweep_period = absl::Minutes(5)});
  CreateMusic();
  clock_.Advance(absl::Hours(1));
  clock_.Set(kStart);
  PutExpiring("a", kStart + absl::Minutes(1));
  clock_.Advance(absl::Minutes(4));
  EXPECT_TRUE(Exists("a"));
  clock_.Advance(absl::Minutes(1));
  EXPECT_FALSE(Exists("a"));
}

TEST_F(ManualClockTest, AMoveFinishesADelayedDeletion) {
  Open({.table_delays = {.remove = absl::Minutes(2)}});
  CreateMusic();
  ASSERT_TRUE(database_->DeleteTable({.table_name = "music"}).ok());
  Catalog* const catalog = static_cast<DatabaseImpl*>(database_.get())->catalog();
  EXPECT_NE(catalog->Find("music"), nullptr);
  clock_.Advance(absl::Minutes(2));
  EXPECT_EQ(catalog->Find("music"), nullptr) << "though nobody has looked for it";
}

TEST_F(ManualClockTest, GoesOnWhereItStood) {
  Open();
  clock_.Advance(absl::Hours(100));
  ManualClock early(kStart);
  Open({.clock = &early});
  EXPECT_EQ(early.Now(), kStart + absl::Hours(100));
  ManualClock late(kStart + absl::Hours(200));
  Open({.clock = &late});
  EXPECT_EQ(late.Now(), kStart + absl::Hours(200));
  database_.reset();
  late.Advance(absl::Hours(1));  // nobody follows any more
}

// Without a move of the clock, too: from what has happened.
TEST_F(ManualClockTest, StartsAfterWhatHasHappened) {
  const auto starts_at = [&] {
    ManualClock early(absl::UnixEpoch());
    Open({.clock = &early});
    const absl::Time now = early.Now();
    database_.reset();
    return now;
  };
  EXPECT_EQ(starts_at(), absl::UnixEpoch()) << "nothing has happened";
  Open();
  CreateMusic();
  EXPECT_EQ(starts_at(), kStart) << "a table";
  ManualClock later(kStart + absl::Hours(1));
  Open({.clock = &later});
  const Item item{{"pk", Value::S("a")}};
  const auto written = database_->TransactWriteItems(
      {.transact_items = {{.put = TransactAction{.table_name = "music", .item = item}}},
       .client_request_token = "token"});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(starts_at(), kStart + absl::Hours(1)) << "a token";
  ManualClock last(kStart + absl::Hours(2));
  Open({.clock = &last});
  UpdateTableRequest encrypt;
  encrypt.table_name = "music";
  encrypt.sse_specification = SseSpecification{.enabled = true};
  ASSERT_TRUE(database_->UpdateTable(encrypt).ok());
  EXPECT_EQ(starts_at(), kStart + absl::Hours(2)) << "a change of the encryption";
}

}  // namespace
}  // namespace dynolith
