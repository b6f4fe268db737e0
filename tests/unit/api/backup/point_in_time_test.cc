// Restores to random times against a model that remembers every state: random writes of every kind
// on a clock that stands still, restarts in between; and restores while others write.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "api/database/database_impl.h"
#include "dynolith/database.h"
#include "engine/history/history_check.h"
#include "index/check.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using KeyType = KeyType;

constexpr absl::Duration kLag = absl::Minutes(5);

// Sort key -> the attribute v. One partition key is enough.
using State = std::map<int64_t, int64_t>;

Item MakeKey(int64_t sk) { return {{"pk", Value::S("p")}, {"sk", Value::N(sk)}}; }

Item MakeItem(int64_t sk, int64_t v) {
  return {{"pk", Value::S("p")}, {"sk", Value::N(sk)}, {"v", Value::N(v)}};
}

int64_t IntegerIn(const Item& item, std::string_view name) {
  int64_t number = 0;
  item.view().Find(name)->number().ToInt64(&number);
  return number;
}

class PointInTimeTest : public ::testing::Test {
 protected:
  PointInTimeTest() {
    Reopen();
    CreateTableRequest request{.table_name = "ttt", .billing_mode = BillingMode::kPayPerRequest};
    request.key_schema = {{{"pk", KeyType::kHash}, {"sk", KeyType::kRange}}};
    request.attribute_definitions = {
        {{"pk", Type::kString}, {"sk", Type::kNumber}, {"v", Type::kNumber}}};
    request.global_secondary_indexes = {{{.index_name = "index",
                                          .key_schema = {{"v", KeyType::kHash}},
                                          .projection = {ProjectionType::kAll}}}};
    EXPECT_TRUE(database_->CreateTable(request).ok());
    Switch(true);
  }
  void Reopen() {
    database_.reset();
    database_ = *Database::Open(
        {.path = folder_.path(), .clock = &clock_, .ttl_sweep_period = absl::ZeroDuration()});
  }
  void Switch(bool on) {
    EXPECT_TRUE(
        database_
            ->UpdateContinuousBackups(
                {.table_name = "ttt",
                 .point_in_time_recovery_specification = {.point_in_time_recovery_enabled = on}})
            .ok());
  }

  int Random(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }

  void WriteSomething() {
    const int64_t sk = Random(12);
    const int64_t v = Random(5);
    switch (Random(5)) {
      case 0:
        ASSERT_TRUE(database_->DeleteItem({.table_name = "ttt", .key = MakeKey(sk)}).ok());
        state_.erase(sk);
        return;
      case 1: {
        UpdateItemRequest request{.table_name = "ttt", .key = MakeKey(sk)};
        request.update_expression = "SET v = :v";
        request.expression_attribute_values = Item{{":v", Value::N(v)}};
        ASSERT_TRUE(database_->UpdateItem(request).ok());
        state_[sk] = v;
        return;
      }
      case 2: {
        // Both or none, at any time.
        TransactWriteItemsRequest request;
        request.transact_items.resize(2);
        request.transact_items[0].put =
            TransactAction{.table_name = "ttt", .item = MakeItem(sk, v)};
        request.transact_items[1].put =
            TransactAction{.table_name = "ttt", .item = MakeItem(sk + 100, v)};
        ASSERT_TRUE(database_->TransactWriteItems(request).ok());
        state_[sk] = state_[sk + 100] = v;
        return;
      }
      default:
        ASSERT_TRUE(database_->PutItem({.table_name = "ttt", .item = MakeItem(sk, v)}).ok());
        state_[sk] = v;
    }
  }

  State ReadState(const std::string& table, std::optional<std::string> index = std::nullopt) {
    State state;
    const auto page = database_->Scan({.table_name = table, .index_name = index});
    EXPECT_TRUE(page.ok()) << page.status();
    for (const Item& item : page->items) state[IntegerIn(item, "sk")] = IntegerIn(item, "v");
    return state;
  }

  // Also through the index of the restored table.
  void ExpectRestored(absl::Time time, const State& expected) {
    SCOPED_TRACE(absl::FormatTime(time));
    const auto restored = database_->RestoreTableToPointInTime(
        {.source_table_name = "ttt", .target_table_name = "restored", .restore_date_time = time});
    ASSERT_TRUE(restored.ok()) << restored.status();
    EXPECT_EQ(ReadState("restored"), expected);
    EXPECT_EQ(ReadState("restored", "index"), expected);
    ASSERT_TRUE(database_->DeleteTable({.table_name = "restored"}).ok());
  }

  void ExpectSound() {
    auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
    std::vector<std::string> lines;
    const auto report = [&](const std::string& line) { lines.push_back(line); };
    CheckSummary summary;
    HistoryCheckSummary history;
    EXPECT_TRUE(CheckStore(impl->store(), *impl->catalog(), report, &summary).ok());
    EXPECT_TRUE(CheckHistory(impl->store(), *impl->catalog(), report, &history).ok());
    EXPECT_THAT(lines, ::testing::IsEmpty());
  }

  testing::ScratchFolder folder_;
  ManualClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<Database> database_;
  std::mt19937 random_{20261122};
  State state_;
};

TEST_F(PointInTimeTest, RestoresWhatWasRemembered) {
  std::map<absl::Time, State> remembered;
  for (int step = 0; step < 150; ++step) {
    for (int writes = Random(6); writes > 0; --writes) WriteSomething();
    remembered[clock_.Now()] = state_;
    clock_.Advance(Random(4) == 0 ? absl::Hours(Random(20)) : absl::Milliseconds(1 + Random(500)));
    if (Random(10) == 0) Reopen();
    if (Random(30) == 0) {
      Switch(false);
      WriteSomething();
      Switch(true);
      remembered.clear();
      remembered[clock_.Now()] = state_;
      clock_.Advance(absl::Milliseconds(1));
    }
    if (Random(3) > 0) continue;
    const absl::Time latest = clock_.Now() - kLag;
    const auto end = remembered.upper_bound(latest);
    const auto choices = std::distance(remembered.begin(), end);
    if (choices == 0) continue;
    const auto chosen = std::next(remembered.begin(), Random(static_cast<int>(choices)));
    ExpectRestored(chosen->first, chosen->second);
  }
  ExpectSound();
  EXPECT_EQ(ReadState("ttt"), state_);
}

// Each writer counts up in two items by transactions: in every past, the two are equal.
TEST_F(PointInTimeTest, RestoresWhileOthersWrite) {
  std::atomic<bool> stops = false;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 3; ++writer) {
    writers.emplace_back([&, writer] {
      for (int64_t count = 1; !stops; ++count) {
        TransactWriteItemsRequest request;
        request.transact_items.resize(2);
        for (int i = 0; i < 2; ++i) {
          request.transact_items[static_cast<size_t>(i)].put =
              TransactAction{.table_name = "ttt", .item = MakeItem(writer * 10 + i, count)};
        }
        EXPECT_TRUE(database_->TransactWriteItems(request).ok());
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    const absl::Time time = clock_.Now();
    clock_.Advance(kLag + absl::Milliseconds(1));
    const auto restored = database_->RestoreTableToPointInTime(
        {.source_table_name = "ttt", .target_table_name = "restored", .restore_date_time = time});
    ASSERT_TRUE(restored.ok()) << restored.status();
    const State state = ReadState("restored");
    for (int64_t writer = 0; writer < 3; ++writer) {
      const auto first = state.find(writer * 10);
      const auto second = state.find(writer * 10 + 1);
      ASSERT_EQ(first == state.end(), second == state.end());
      if (first != state.end()) {
        EXPECT_EQ(first->second, second->second);
      }
    }
    EXPECT_EQ(ReadState("restored", "index"), state);
    ASSERT_TRUE(database_->DeleteTable({.table_name = "restored"}).ok());
    ExpectRestored(time, state);
  }
  stops = true;
  for (std::thread& writer : writers) writer.join();
  ExpectSound();
}

// What the table's history is when its source goes meanwhile: the restored table keeps it.
TEST_F(PointInTimeTest, TheSourceMayGoAfterwards) {
  WriteSomething();
  const State before = state_;
  const absl::Time time = clock_.Now();
  clock_.Advance(kLag);
  WriteSomething();
  ExpectRestored(time, before);
  ASSERT_TRUE(database_
                  ->RestoreTableToPointInTime({.source_table_name = "ttt",
                                               .target_table_name = "kept",
                                               .use_latest_restorable_time = true})
                  .ok());
  ASSERT_TRUE(database_->DeleteTable({.table_name = "ttt"}).ok());
  clock_.Advance(absl::Minutes(2));  // cleans up
  EXPECT_EQ(ReadState("kept"), before);
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  Cursor cursor = impl->store()->Scan(Family::kLog, "U", "V", Direction::kForward);
  cursor.SeekToStart();
  EXPECT_FALSE(cursor.Valid());
}

}  // namespace
}  // namespace dynolith
