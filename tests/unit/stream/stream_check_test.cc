// The check finds every kind of damage that the change log can have, each made through the store,
// and nothing in a sound one.
#include "engine/stream/stream_check.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/store/local_store.h"
#include "engine/stream/record.h"
#include "engine/stream/stream_log.h"
#include "tests/unit/stream/tables.h"

namespace dynolith {
namespace {

using ::dynolith::testing::ItemRowKey;
using ::dynolith::testing::RecordChange;
using ::dynolith::testing::Song;
using ::dynolith::testing::StreamedTable;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StreamCheckTest : public ::testing::Test {
 protected:
  StreamCheckTest() {
    table_ = catalog_->Create(StreamedTable()).value();
    log_ = StreamLog::Load(store_.get(), &clock_, {.shards = 2}).value();
  }

  // A change with its record, as a write leaves it.
  void Change(const std::optional<Item>& before, const std::optional<Item>& after) {
    ASSERT_TRUE(RecordChange(log_.get(), store_.get(), *table_->meta(), before, after).ok());
    WriteBatch batch;
    const std::string key = ItemRowKey(*table_->meta(), after ? *after : *before);
    after ? batch.Put(Family::kTables, key, after->bytes()) : batch.Delete(Family::kTables, key);
    Commit(batch);
  }
  void Put(std::string_view pk) { Change(std::nullopt, Song(pk, 1, 1)); }
  void Commit(const WriteBatch& batch) { ASSERT_TRUE(store_->Commit(batch).ok()); }
  // The first record's row.
  std::pair<std::string, std::string> FirstRecord() {
    Cursor cursor = store_->Scan(Family::kLog, "R", "S", Direction::kForward);
    cursor.SeekToStart();
    return {std::string(cursor.key()), std::string(cursor.value())};
  }
  std::vector<std::string> Check() {
    summary_ = {};
    std::vector<std::string> lines;
    const absl::Status status = CheckStreams(
        store_.get(), *catalog_, [&](const std::string& line) { lines.push_back(line); },
        &summary_);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(summary_.disagreements, lines.size());
    return lines;
  }

  // The table's Kinesis destination; nothing follows it yet.
  void SetDestination(KinesisDestinationStatus status) {
    const auto set = [status](TableMeta* meta) {
      meta->kinesis_destinations.resize(1);
      KinesisDestination& destination = meta->kinesis_destinations[0];
      destination.stream_arn = "arn";
      destination.log_label = DestinationLabel(meta->schema.id, "one");
      destination.status = status;
      return absl::OkStatus();
    };
    ASSERT_TRUE(catalog_->Modify(table_.get(), set).ok());
  }

  ManualClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<LocalStore> store_ = LocalStore::Open({.in_memory = true}).value();
  std::unique_ptr<Catalog> catalog_ = Catalog::Load(store_.get()).value();
  std::shared_ptr<Table> table_;
  std::unique_ptr<StreamLog> log_;
  StreamCheckSummary summary_;
};

TEST_F(StreamCheckTest, SoundStore) {
  for (int i = 0; i < 20; ++i) Put("p" + std::to_string(i));
  Change(Song("p1", 1, 1), Song("p1", 1, 2));
  Change(Song("p2", 1, 1), std::nullopt);
  Change(std::nullopt, Song("p2", 1, 7));
  Change(Song("p3", 1, 1), std::nullopt);
  ASSERT_TRUE(log_->FollowSplit(table_->meta()->schema.id, uint64_t{1} << 62).ok());
  for (int i = 0; i < 20; ++i) Change(std::nullopt, Song("p" + std::to_string(i), 1, 9));
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.records, 44u);
}

TEST_F(StreamCheckTest, FindsWhatWasNotRecorded) {
  Put("changed");
  Put("deleted");
  WriteBatch batch;
  const Item other = Song("changed", 1, 2);
  batch.Put(Family::kTables, ItemRowKey(*table_->meta(), other), other.bytes());
  batch.Delete(Family::kTables, ItemRowKey(*table_->meta(), Song("deleted", 1, 1)));
  Commit(batch);
  EXPECT_THAT(Check(), ::testing::UnorderedElementsAre(HasSubstr("is not as its last record says"),
                                                       HasSubstr("its end was not recorded")));
  Change(Song("changed", 1, 2), std::nullopt);
  batch.Clear();
  batch.Put(Family::kTables, ItemRowKey(*table_->meta(), other), other.bytes());
  Commit(batch);
  EXPECT_THAT(Check(), ::testing::Contains(HasSubstr("but the item is there")));
}

TEST_F(StreamCheckTest, ADestinationMissesChangesOnceItIsOff) {
  SetDestination(KinesisDestinationStatus::kActive);
  Put("a");
  SetDestination(KinesisDestinationStatus::kDisabled);
  // Not followed yet, as after a crash between the two.
  Change(Song("a", 1, 1), Song("a", 1, 2));
  EXPECT_THAT(Check(), IsEmpty());
  SetDestination(KinesisDestinationStatus::kActive);
  EXPECT_THAT(Check(), SizeIs(1));
}

TEST_F(StreamCheckTest, ADestinationThatIsEnabledAgainHasMissedChanges) {
  const auto follow = [this](KinesisDestinationStatus status) {
    SetDestination(status);
    ASSERT_TRUE(log_->FollowTable(*catalog_, "music").ok());
  };
  follow(KinesisDestinationStatus::kActive);
  Put("a");
  follow(KinesisDestinationStatus::kDisabled);
  Change(Song("a", 1, 1), Song("a", 1, 2));
  follow(KinesisDestinationStatus::kActive);
  Put("b");
  EXPECT_THAT(Check(), IsEmpty());
  // Not those since.
  WriteBatch batch;
  batch.Delete(Family::kTables, ItemRowKey(*table_->meta(), Song("b", 1, 1)));
  Commit(batch);
  EXPECT_THAT(Check(), SizeIs(2));  // in the table's stream, too
}

TEST_F(StreamCheckTest, OfADroppedTableOnlyTheLogItself) {
  Put("a");
  ASSERT_TRUE(catalog_->Drop("music").ok());
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_EQ(summary_.records, 1u);
}

// Also of the last byte and of the first; which of the record's checks finds it does not matter.
TEST_F(StreamCheckTest, FindsARecordThatIsCutOff) {
  Put("a");
  const auto [key, value] = FirstRecord();
  for (size_t size = 0; size < value.size(); ++size) {
    WriteBatch batch;
    batch.Put(Family::kLog, key, std::string_view(value).substr(0, size));
    Commit(batch);
    EXPECT_THAT(Check(), AllOf(SizeIs(1), Each(HasSubstr("change log, record")))) << size;
  }
}

TEST_F(StreamCheckTest, FindsARecordInAWrongPlace) {
  Put("a");
  const auto [key, value] = FirstRecord();
  const Stream stream = log_->Find({"music", table_->meta()->stream.label}).value().value();
  const SequenceNumber number = SequenceOfRecordKey(key).value();
  const bool in_first = key == RecordKey(stream.shards[0].number, number);
  const struct {
    std::string key;
    std::string_view says;
  } kPlaces[] = {
      {RecordKey(stream.shards[in_first ? 1 : 0].number, number), "does not belong to its shard"},
      {RecordKey(stream.shards[in_first ? 0 : 1].number, 1), "does not belong to its shard"},
      {RecordKey(stream.shards[in_first ? 0 : 1].number, uint64_t{1} << 60), "does not belong"},
      {RecordKey(4242, number), "there is no shard"},
      {key + "x", "damaged"},
  };
  for (const auto& place : kPlaces) {
    WriteBatch batch;
    batch.Put(Family::kLog, place.key, value);
    Commit(batch);
    EXPECT_THAT(Check(), ElementsAre(HasSubstr(std::string(place.says)))) << place.says;
    batch.Clear();
    batch.Delete(Family::kLog, place.key);
    Commit(batch);
  }
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(StreamCheckTest, FindsForeignKeysAndImages) {
  Put("a");
  const auto [key, value] = FirstRecord();
  const Item right{{"pk", Value::S("a")}, {"sk", Value::N(1)}};
  const Item wrong{{"pk", Value::N(1)}, {"sk", Value::N(1)}};
  const Item song = Song("a", 1, 1);
  const Item other = Song("a", 2, 1);
  const ItemView good_image = song.view();
  const ItemView bad_image = other.view();
  const auto put = [&, key = key](const RecordView& record) {
    WriteBatch batch;
    PutRecord(key, record, &batch);
    Commit(batch);
  };
  put(MakeRecord(StreamViewType::kNewImage, wrong.view(), nullptr, &good_image));
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("its keys are not")));
  put(MakeRecord(StreamViewType::kNewImage, right.view(), nullptr, &bad_image));
  EXPECT_THAT(Check(), ::testing::Contains(HasSubstr("its keys are not")));
  put(MakeRecord(StreamViewType::kNewImage, right.view(), nullptr, &good_image));
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(StreamCheckTest, FindsAShardWithoutStream) {
  Put("a");
  const Stream stream = log_->Find({"music", table_->meta()->stream.label}).value().value();
  WriteBatch batch;
  batch.Delete(Family::kLog, StreamKey(stream.number));
  Commit(batch);
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("no stream of this shard"), HasSubstr("no stream of"),
                                   HasSubstr("there is no shard of this record")));
}

}  // namespace
}  // namespace dynolith
