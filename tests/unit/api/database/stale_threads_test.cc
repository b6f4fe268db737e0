// Stale reads by many threads beside a writer: moments are taken by whoever commits, and read and
// dropped by whoever reads. Each take is written to both songs of both tables in one transaction,
// so a moment with two different takes would be none.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "dynolith/database.h"

namespace dynolith::testing {
namespace {

constexpr absl::Duration kThreadsBound = absl::Milliseconds(20);
constexpr int64_t kTakesMax = 1 << 20;
constexpr int kReads = 500;
constexpr const char* kStaleTables[] = {"any", "same"};

class StaleThreadsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const StalenessRule any{.kind = Staleness::kRandom, .bound = kThreadsBound};
    StalenessRule same = any;
    same.of.table = "same";
    same.monotonic = true;
    database_ = Database::Open({.in_memory = true, .staleness = {.rules = {any, same}}}).value();
    for (const char* table : kStaleTables) {
      ASSERT_TRUE(database_
                      ->CreateTable({.table_name = table,
                                     .attribute_definitions = {{{"pk"}}},
                                     .key_schema = {{{"pk"}}},
                                     .billing_mode = BillingMode::kPayPerRequest})
                      .ok());
    }
  }

  void WriteTakes() {
    for (int64_t take = 1; take + 1 < kTakesMax && !stop_; ++take) {
      TransactWriteItemsRequest request;
      for (const char* table : kStaleTables) {
        for (const char* song : {"a", "b"}) {
          TransactAction& put = request.transact_items.emplace_back().put.emplace();
          put.table_name = table;
          put.item = {{"pk", Value::S(song)}, {"take", Value::N(take)}};
        }
      }
      ASSERT_TRUE(database_->TransactWriteItems(request).ok());
      acknowledged_[take] = absl::GetCurrentTimeNanos();
    }
  }

  // The take that both songs have; 0: there are none yet.
  int64_t ReadTake(const std::string& table, bool consistent) {
    const auto page = database_->Scan({.table_name = table, .consistent_read = consistent});
    EXPECT_TRUE(page.ok()) << page.status();
    if (page->items.empty()) return 0;
    EXPECT_EQ(page->items.size(), 2u);
    const int64_t take = page->items.front().Get<int64_t>("take").value();
    EXPECT_EQ(page->items.back().Get<int64_t>("take").value(), take) << "half a transaction";
    return take;
  }

  void ReadTakes(const std::string& client, const std::string& table) {
    const ClientScope scope(client);
    int64_t before = 0;
    for (int i = 0; i < kReads; ++i) {
      const int64_t oldest = absl::GetCurrentTimeNanos() - absl::ToInt64Nanoseconds(kThreadsBound);
      const int64_t take = ReadTake(table, /*consistent=*/i % 16 == 0);
      const int64_t overwritten = acknowledged_[take + 1];
      ASSERT_TRUE(overwritten == 0 || overwritten > oldest) << "older than the bound";
      if (table == "same") {
        ASSERT_GE(take, before) << "went back";
      }
      before = take;
    }
  }

  // Of what nobody looks at.
  void HoldAndRelease() {
    const ReadScope scope = {.table = "any", .stream = true};
    while (!stop_) {
      ASSERT_TRUE(database_->HoldReads(scope).ok());
      // 16 and one for a bound, and the hold.
      EXPECT_LE(database_->DescribeStaleness().snapshots, 18);
      ASSERT_TRUE(database_->ReleaseReads(scope).ok());
    }
  }

  std::unique_ptr<Database> database_;
  // When a take was acknowledged, in nanoseconds since 1970; 0: it was not.
  std::vector<std::atomic<int64_t>> acknowledged_ = std::vector<std::atomic<int64_t>>(kTakesMax);
  std::atomic<bool> stop_ = false;
};

TEST_F(StaleThreadsTest, WholeMomentsWithinTheBound) {
  std::vector<std::thread> others;
  others.emplace_back([this] { WriteTakes(); });
  others.emplace_back([this] { HoldAndRelease(); });
  std::vector<std::thread> readers;
  for (const char* client : {"first", "second"}) {
    for (const char* table : kStaleTables) {
      readers.emplace_back([this, client, table] { ReadTakes(client, table); });
    }
  }
  for (std::thread& reader : readers) reader.join();
  stop_ = true;
  for (std::thread& other : others) other.join();
}

}  // namespace
}  // namespace dynolith::testing
