// The check finds every kind of damage that the rows of replicas can have, and none in what writes
// and a replica's end leave.
#include "engine/replica/replica_check.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/key/key_codec.h"
#include "engine/replica/replica_log.h"
#include "engine/replica/replica_rows.h"
#include "engine/store/local_store.h"
#include "engine/value/item.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReplicaCheckTest : public ::testing::Test {
 protected:
  ReplicaCheckTest() {
    TableMeta meta;
    meta.schema.name = "music";
    meta.schema.key.hash = {{"pk", Type::kString}};
    for (const char* const region : {"eu-west-1", "ap-south-1"}) {
      meta.replicas.push_back({.region = region, .is_filled = true});
    }
    table_ = catalog_->Create(meta).value();
  }

  StorageId id() const { return table_->meta()->schema.id; }
  static Item Song(const std::string& pk, int64_t n) {
    return Item{{"n", Value::N(n)}, {"pk", Value::S(pk)}};
  }
  std::string RowKey(const Item& item) const {
    std::string key;
    AppendRowKey(id(), table_->meta()->schema.key, item.view(), &key);
    return key;
  }
  // As a write does it; returns the row's key.
  std::string Write(const Item& item, bool is_there = true) {
    const std::string key = RowKey(item);
    const ItemView view = item.view();
    WriteBatch batch;
    if (is_there) {
      batch.Put(Family::kTables, key, item.bytes());
    } else {
      batch.Delete(Family::kTables, key);
    }
    ReplicaRecorder recorder(&log_);
    const RowChange change = {.meta = *table_->meta(),
                              .row_key = key,
                              .before = nullptr,
                              .after = is_there ? &view : nullptr};
    EXPECT_TRUE(recorder.Append(change, &batch).ok());
    Commit(batch);
    return key;
  }
  void Commit(const WriteBatch& batch) { ASSERT_TRUE(store_->Commit(batch).ok()); }
  void PutLog(const std::string& key, std::string_view value) {
    WriteBatch batch;
    batch.Put(Family::kLog, key, value);
    Commit(batch);
  }
  ItemVersion VersionOf(const std::string& row_key) const {
    return ReplicaLog::VersionOf(*store_, row_key).value();
  }
  std::string Change(const ItemVersion& version, const std::optional<Item>& item) const {
    ReplicaChange change = {.version = version, .written = clock_.Now(), .item = std::nullopt};
    if (item) change.item = item->view();
    return EncodeChange(change);
  }
  std::vector<std::string> Check() {
    summary_ = {};
    std::vector<std::string> lines;
    const absl::Status status = CheckReplicas(
        store_.get(), *catalog_, [&](const std::string& line) { lines.push_back(line); },
        &summary_);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(summary_.disagreements, lines.size());
    return lines;
  }

  std::unique_ptr<LocalStore> store_ = LocalStore::Open({.in_memory = true}).value();
  std::unique_ptr<Catalog> catalog_ = Catalog::Load(store_.get()).value();
  ManualClock clock_{absl::FromUnixSeconds(1'000)};
  ReplicaLog log_{store_.get(), &clock_, "us-east-1"};
  std::shared_ptr<Table> table_;
  ReplicaCheckSummary summary_;
};

TEST_F(ReplicaCheckTest, WritesLeaveWhatAgrees) {
  Write(Song("a", 1));
  Write(Song("a", 2));
  Write(Song("b", 1));
  Write(Song("b", 1), /*is_there=*/false);
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.versions, 2);
  EXPECT_EQ(summary_.changes, 8);
  EXPECT_EQ(summary_.stale_rows, 0);
}

TEST_F(ReplicaCheckTest, FindsAVersionThatMakesNoSense) {
  const std::string key = Write(Song("a", 1));
  for (const std::string& value :
       {std::string("short"), EncodeVersion({0, ""}), EncodeVersion({1, ""})}) {
    PutLog(VersionKey(key), value);
    EXPECT_THAT(Check(), testing::Contains(AllOf(HasSubstr("table music"), HasSubstr("version"))));
  }
}

// So an item arrives that is older than its table's first replica.
TEST_F(ReplicaCheckTest, AcceptsAVersionWithoutAStamp) {
  const std::string key = VersionKey(RowKey(Song("a", 1)));
  PutLog(key, EncodeVersion({0, "us-east-1"}));
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(ReplicaCheckTest, FindsALostVersion) {
  const std::string key = Write(Song("a", 1));
  WriteBatch batch;
  batch.Delete(Family::kLog, VersionKey(key));
  Commit(batch);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("older"), HasSubstr("older")));
}

TEST_F(ReplicaCheckTest, FindsAnItemThatIsNotWhatGoesToTheOthers) {
  const std::string key = Write(Song("a", 1));
  WriteBatch batch;
  batch.Put(Family::kTables, key, Song("a", 2).bytes());
  Commit(batch);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("is not what"), HasSubstr("is not what")));
  batch.Clear();
  batch.Delete(Family::kTables, key);
  Commit(batch);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("is not what"), HasSubstr("is not what")));
}

TEST_F(ReplicaCheckTest, FindsChangesThatMakeNoSense) {
  const std::string key = Write(Song("a", 1));
  const ItemVersion version = VersionOf(key);
  const std::string change_key = ChangeKey(key, "eu-west-1", version.stamp);
  PutLog(change_key, "nonsense");
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("change cannot be understood")));
  // Of another time than its key says.
  PutLog(change_key, Change({version.stamp + 1, version.region}, Song("a", 1)));
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("change cannot be understood")));
  PutLog(change_key, Change(version, Song("b", 1)));
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("another item's keys")));
  PutLog(change_key, Change(version, Item{{"n", Value::N(1)}}));
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("another item's keys")));
  PutLog(change_key, Change(version, std::nullopt));
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("is not what")));
  PutLog(change_key, Change(version, Song("a", 1)));
  EXPECT_THAT(Check(), IsEmpty());
  PutLog(ChangePrefix(id()), "");
  PutLog(ChangePrefix(id(), "eu-west-1"), "");
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("cannot"), HasSubstr("cannot")));
}

// A change on its way has the item whole.
TEST_F(ReplicaCheckTest, AnItemBecomesWhatTheLastOfItsChangesSays) {
  const std::string lost = Write(Song("a", 1));
  Write(Song("a", 2));
  const std::string older = Write(Song("b", 1));
  Write(Song("b", 2));
  const std::string gone = Write(Song("c", 1));
  Write(Song("c", 1), /*is_there=*/false);
  const ItemVersion last = VersionOf(lost);
  WriteBatch batch;
  batch.Delete(Family::kTables, lost);
  batch.Put(Family::kTables, older, Song("b", 1).bytes());
  batch.Put(Family::kLog, VersionKey(older), "damaged");
  batch.Put(Family::kTables, gone, Song("c", 1).bytes());
  batch.Delete(Family::kLog, VersionKey(gone));
  Commit(batch);
  const ReplicaMends mends = MendReplicas(store_.get(), *table_->meta()).value();
  EXPECT_EQ(mends.versions, 1);
  EXPECT_EQ(mends.changes, 0);
  EXPECT_GE(mends.items, 3);
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(VersionOf(lost), last);
  Row row;
  ASSERT_TRUE(store_->Get(Family::kTables, lost, &row).value());
  EXPECT_EQ(row.value(), Song("a", 2).bytes());
  ASSERT_TRUE(store_->Get(Family::kTables, older, &row).value());
  EXPECT_EQ(row.value(), Song("b", 2).bytes());
  EXPECT_FALSE(store_->Get(Family::kTables, gone, &row).value());
  EXPECT_EQ(MendReplicas(store_.get(), *table_->meta())->items, 0);
}

TEST_F(ReplicaCheckTest, OnlyWhatMakesNoSenseIsDeleted) {
  const std::string key = Write(Song("a", 1));
  PutLog(ChangeKey(key, "eu-west-1", 5), "nonsense");
  PutLog(ChangeKey(key, "eu-west-1", 6), Change({6, "us-east-1"}, Song("b", 1)));
  PutLog(PlaceKey(id(), "eu-west-1"), "elsewhere");
  PutLog(PlaceKey(id(), "ap-south-1"), key);
  const ReplicaMends mends = MendReplicas(store_.get(), *table_->meta()).value();
  EXPECT_EQ(mends.items, 0);
  EXPECT_EQ(mends.changes, 2);
  EXPECT_EQ(mends.places, 1);
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.changes, 2);
  EXPECT_EQ(summary_.places, 1);
}

TEST_F(ReplicaCheckTest, FindsPlacesOfAnotherTable) {
  PutLog(PlaceKey(id(), "eu-west-1"), RowKey(Song("a", 1)));
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.places, 1);
  PutLog(PlaceKey(id(), "eu-west-1"), "elsewhere");
  PutLog(PlacePrefix(id()), RowKey(Song("a", 1)));
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("filled"), HasSubstr("filled")));
}

TEST_F(ReplicaCheckTest, WhatARegionLeftBehindDoesNoHarm) {
  const std::string key = Write(Song("a", 1));
  PutLog(PlaceKey(id(), "eu-west-1"), key);
  const auto leave = [](std::string_view region) {
    return [region](TableMeta* meta) {
      std::erase_if(meta->replicas, [&](const Replica& of) { return of.region == region; });
      return absl::OkStatus();
    };
  };
  ASSERT_TRUE(catalog_->Modify(table_.get(), leave("eu-west-1")).ok());
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.stale_rows, 2);
  ASSERT_TRUE(catalog_->Modify(table_.get(), leave("ap-south-1")).ok());
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.stale_rows, 4);
}

}  // namespace
}  // namespace dynolith
