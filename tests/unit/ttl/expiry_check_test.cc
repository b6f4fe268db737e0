// The check finds every kind of damage that expiry rows can have, and none in what the upkeep of
// the rows allows.
#include "engine/ttl/expiry_check.h"

#include <memory>
#include <string>
#include <vector>

#include "engine/key/key_codec.h"
#include "engine/store/local_store.h"
#include "engine/store/row_locks.h"
#include "engine/ttl/expiry.h"
#include "engine/ttl/expiry_index.h"
#include "engine/value/item.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ExpiryCheckTest : public ::testing::Test {
 protected:
  ExpiryCheckTest() {
    TableMeta meta;
    meta.schema.name = "music";
    meta.schema.key.hash = {{"pk", Type::kString}};
    meta.time_to_live = {true, "ttl", std::nullopt};
    table_ = catalog_->Create(meta).value();
  }

  std::string RowKey(const Item& item) {
    std::string key;
    AppendRowKey(table_->meta()->schema.id, table_->meta()->schema.key, item.view(), &key);
    return key;
  }
  // With its expiry row, as a write leaves it.
  std::string Put(const std::string& pk, int64_t expiry) {
    const Item item{{"pk", Value::S(pk)}, {"ttl", Value::N(expiry)}};
    const std::string key = RowKey(item);
    WriteBatch batch;
    batch.Put(Family::kTables, key, item.bytes());
    const ItemView after = item.view();
    MaintainExpiry(*table_->meta(), key, nullptr, &after, &batch);
    Commit(batch);
    return key;
  }
  void Commit(const WriteBatch& batch) { ASSERT_TRUE(store_->Commit(batch).ok()); }
  void SetTimeToLive(bool on, const std::string& attribute) {
    const auto change = [&](TableMeta* meta) {
      meta->time_to_live = {on, attribute, std::nullopt};
      return absl::OkStatus();
    };
    ASSERT_TRUE(catalog_->Modify(table_.get(), change).ok());
  }
  std::vector<std::string> Check() {
    summary_ = {};
    std::vector<std::string> lines;
    const absl::Status status = CheckExpiry(
        store_.get(), *catalog_, [&](const std::string& line) { lines.push_back(line); },
        &summary_);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(summary_.disagreements, lines.size());
    return lines;
  }

  std::unique_ptr<LocalStore> store_ = LocalStore::Open({.in_memory = true}).value();
  std::unique_ptr<Catalog> catalog_ = Catalog::Load(store_.get()).value();
  std::shared_ptr<Table> table_;
  ExpiryCheckSummary summary_;
};

TEST_F(ExpiryCheckTest, SoundStore) {
  Put("a", 100);
  Put("b", -5);
  const Item other{{"pk", Value::S("c")}, {"ttl", Value::S("soon")}};
  WriteBatch batch;
  batch.Put(Family::kTables, RowKey(other), other.bytes());
  Commit(batch);
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.rows, 2u);
  EXPECT_EQ(summary_.stale_rows, 0u);
}

TEST_F(ExpiryCheckTest, FindsAMissingRow) {
  Put("a", 100);
  const std::string key = Put("b", 200);
  WriteBatch batch;
  batch.Delete(Family::kExpiry, ExpiryKey(200, key));
  Commit(batch);
  EXPECT_THAT(Check(), ElementsAre(AllOf(HasSubstr("table music"), HasSubstr("expires at 200"))));
}

TEST_F(ExpiryCheckTest, ARowOfAnotherTimeIsNotTheItems) {
  const std::string key = Put("a", 100);
  WriteBatch batch;
  batch.Delete(Family::kExpiry, ExpiryKey(100, key));
  batch.Put(Family::kExpiry, ExpiryKey(101, key), std::string_view());
  Commit(batch);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("expires at 100")));
  EXPECT_EQ(summary_.stale_rows, 1u);
}

TEST_F(ExpiryCheckTest, FindsRowsThatMakeNoSense) {
  WriteBatch batch;
  batch.Put(Family::kExpiry, "short", std::string_view());
  batch.Put(Family::kExpiry, ExpiryKey(100, "12345678"), "value");
  Commit(batch);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("cannot be understood"), HasSubstr("cannot")));
}

TEST_F(ExpiryCheckTest, RowsThatAreLeftOverAreCounted) {
  const std::string key = Put("a", 100);
  SetTimeToLive(false, "ttl");
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.stale_rows, 1u);
  WriteBatch batch;
  batch.Delete(Family::kTables, key);
  Commit(batch);
  SetTimeToLive(true, "other");
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.stale_rows, 1u);
}

TEST_F(ExpiryCheckTest, AsFarAsTheFillingHasCome) {
  SetTimeToLive(false, "ttl");
  for (int i = 0; i < 20; ++i) Put("p" + std::to_string(i), 100 + i);
  WriteBatch batch;
  ExpiryIndex::BeginFilling(table_->meta()->schema.id, &batch);
  Commit(batch);
  SetTimeToLive(true, "ttl");
  RowLocks locks;
  ExpiryIndex index(store_.get(), catalog_.get(), &locks);
  EXPECT_THAT(Check(), IsEmpty()) << "nothing has been filled yet";
  ASSERT_FALSE(index.FillStep(7).value());
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.rows, 7u);
  // One of those that have been filled.
  Cursor cursor = store_->Scan(Family::kExpiry, "", "", Direction::kForward);
  cursor.SeekToStart();
  batch.Clear();
  batch.Delete(Family::kExpiry, cursor.key());
  Commit(batch);
  EXPECT_EQ(Check().size(), 1u);
}

}  // namespace
}  // namespace dynolith
