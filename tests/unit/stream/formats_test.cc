// Everything of a stream that has bytes or a text: there and back, in order, cut and changed.
#include <limits>

#include "engine/stream/record.h"
#include "engine/stream/sequence_numbers.h"
#include "engine/stream/shard_iterator.h"
#include "engine/stream/stream_rows.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

constexpr uint64_t kGreatest = std::numeric_limits<uint64_t>::max();

TEST(SequenceTextTest, HasAtLeast21DigitsAndTheOrderOfTheNumbers) {
  std::string last;
  for (const uint64_t number : {uint64_t{0}, uint64_t{1}, uint64_t{9}, uint64_t{10},
                                uint64_t{1} << 40, kGreatest - 1, kGreatest}) {
    const std::string text = SequenceText(number);
    EXPECT_EQ(text.size(), 21u);
    EXPECT_EQ(ParseSequenceText(text), number);
    EXPECT_EQ(ParseSequenceText("000" + text), number);
    EXPECT_LT(last, text);
    last = text;
  }
}

// Why: a store of several processes has both kinds, and texts, keys and numbers must agree.
TEST(SequenceNumberTest, StampsAreBehindAllThatIsCounted) {
  std::string last_text;
  std::string last_key;
  const SequenceNumber stamp = MakeStamp(absl::MakeUint128(7, 9), 5);
  for (const SequenceNumber number :
       {SequenceNumber{0}, SequenceNumber{1}, SequenceNumber{1} << 62, kStamped, kStamped + 1,
        kStamped + stamp, kGreatestSequence}) {
    const std::string text = SequenceText(number);
    EXPECT_EQ(ParseSequenceText(text), number) << text;
    EXPECT_EQ(text.size(), number >= kStamped ? 30u : 21u);
    EXPECT_TRUE(last_text.size() < text.size() || last_text < text);
    last_text = text;
    const std::string key = RecordKey(3, number);
    EXPECT_EQ(SequenceOfRecordKey(key).value(), number);
    EXPECT_LT(last_key, key);
    last_key = key;
    for (size_t length = 0; length < key.size(); ++length) {
      // Without its last bytes a stamp would be a number of another kind.
      const auto cut = SequenceOfRecordKey(std::string_view(key).substr(0, length));
      EXPECT_FALSE(cut.ok() && *cut >= kStamped);
    }
  }
  std::string key = StampedRecordPrefix(3);
  AppendStamp(stamp, &key);
  EXPECT_EQ(key, RecordKey(3, kStamped + stamp));
}

TEST(SequenceTextTest, ForeignNumbersAreBeforeOrBehindEverything) {
  EXPECT_EQ(ParseSequenceText("000000000000000000000"), 0u);
  EXPECT_EQ(ParseSequenceText("000000000000000000042"), 0u);
  EXPECT_EQ(ParseSequenceText("200000000000000000000"), kGreatest);
  EXPECT_EQ(ParseSequenceText("199999999999999999999"), kGreatest);
  EXPECT_EQ(ParseSequenceText(std::string(40, '9')), kGreatest);
  for (const char* text : {"", "abc", "-00000000000000000001", "10000000000000000000x"}) {
    EXPECT_EQ(ParseSequenceText(text), std::nullopt) << text;
  }
}

TEST(ShardIdTest, HasTheServicesFormAndOrder) {
  std::string last;
  for (const uint64_t number : {uint64_t{1}, uint64_t{2}, uint64_t{1} << 60, kGreatest}) {
    const std::string text = ShardIdText(number);
    EXPECT_THAT(text, ::testing::MatchesRegex("shardId-[0-9]+-[0-9a-f]+"));
    EXPECT_EQ(text.size(), 8u + 20 + 1 + 8);
    EXPECT_EQ(ParseShardId(text), number);
    EXPECT_LT(last, text);
    last = text;
    std::string changed = text;
    changed.back() = changed.back() == '0' ? '1' : '0';
    EXPECT_EQ(ParseShardId(changed), std::nullopt);
    EXPECT_EQ(ParseShardId(text.substr(0, 20)), std::nullopt);
  }
  EXPECT_EQ(ParseShardId("shardId-00000001414576573621-f55eea83"), std::nullopt);
}

class ShardIteratorTest : public ::testing::TestWithParam<SequenceNumber> {};

TEST_P(ShardIteratorTest, ComesBackAndIsRefusedWhenCutOrChanged) {
  const ShardIterator iterator{.kind = ShardIterator::Kind::kPosition,
                               .stream = 3,
                               .shard = 5,
                               .position = GetParam(),
                               .created = absl::FromUnixMicros(1'800'000'000'000'001),
                               .stream_arn = "arn:aws:dynamodb:x:1:table/t/stream/2023|1|4"};
  const std::string text = EncodeShardIterator(iterator);
  const auto parsed = ParseShardIterator(text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->kind, iterator.kind);
  EXPECT_EQ(parsed->stream_arn, iterator.stream_arn);
  EXPECT_EQ(parsed->stream, iterator.stream);
  EXPECT_EQ(parsed->shard, iterator.shard);
  EXPECT_EQ(parsed->position, iterator.position);
  EXPECT_EQ(parsed->created, iterator.created);
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(ParseShardIterator(text.substr(0, length))) << length;
  }
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(ParseShardIterator(changed)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Positions, ShardIteratorTest,
                         ::testing::Values(SequenceNumber{1}, SequenceNumber{1} << 62, kStamped,
                                           kGreatestSequence));

TEST(RecordTest, ComesBackAndIsRefusedWhenCut) {
  const Item keys{{"pk", Value::S("a")}};
  const Item before{{"pk", Value::S("a")}, {"n", Value::N(1)}};
  const Item after{{"pk", Value::S("a")}, {"n", Value::N(2)}};
  const ItemView before_view = before.view();
  const ItemView after_view = after.view();
  RecordView record =
      MakeRecord(StreamViewType::kNewAndOldImages, keys.view(), &before_view, &after_view);
  record.by_time_to_live = true;
  record.created = absl::FromUnixMicros(1'800'000'000'000'001);
  WriteBatch batch;
  PutRecord("key", record, &batch);
  std::string bytes;
  batch.ForEach([&](const WriteBatch::Change& change) {
    EXPECT_EQ(change.family, Family::kLog);
    bytes = change.value;
  });
  const auto decoded = DecodeRecord(bytes);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->event, StreamEvent::kModify);
  EXPECT_TRUE(decoded->by_time_to_live);
  EXPECT_EQ(decoded->view_type, StreamViewType::kNewAndOldImages);
  EXPECT_EQ(decoded->created, record.created);
  EXPECT_EQ(decoded->keys, keys.view());
  EXPECT_EQ(decoded->old_image, before.view());
  EXPECT_EQ(decoded->new_image, after.view());
  EXPECT_EQ(RecordBytes(*decoded), 3u + (3 + 3) + (3 + 3));
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(DecodeRecord(std::string_view(bytes).substr(0, length)).status().code(),
              absl::StatusCode::kDataLoss)
        << length;
  }
  for (const size_t i : {0, 1, 2}) {
    std::string changed = bytes;
    changed[i] = '\x70';
    EXPECT_FALSE(DecodeRecord(changed).ok()) << i;
  }
}

// Why: what is let through is read without another look.
TEST(RecordTest, ItemsThatCannotBeReadAreRefused) {
  const Item keys{{"pk", Value::S("a")}};
  const Item image{{"pk", Value::S("a")}, {"l", Value::L({Value::N(1), Value::S("text")})}};
  const ItemView view = image.view();
  WriteBatch batch;
  PutRecord("key", MakeRecord(StreamViewType::kNewAndOldImages, keys.view(), &view, &view), &batch);
  std::string bytes;
  batch.ForEach([&](const WriteBatch::Change& change) { bytes = change.value; });
  int refused = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const auto record = DecodeRecord(flipped);
    if (!record.ok()) {
      EXPECT_TRUE(absl::IsDataLoss(record.status()));
      ++refused;
      continue;
    }
    EXPECT_TRUE(ItemView::Parse(record->keys.bytes()).ok()) << bit;
    for (const auto& item : {record->old_image, record->new_image}) {
      EXPECT_TRUE(!item || ItemView::Parse(item->bytes()).ok()) << bit;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(EventIdTest, Is32DigitsOfItsOwnForEachNumber) {
  EXPECT_THAT(MakeEventId(1), ::testing::MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(MakeEventId(1).size(), 32u);
  EXPECT_EQ(MakeEventId(1), MakeEventId(1));
  EXPECT_NE(MakeEventId(1), MakeEventId(2));
}

TEST(StreamRowsTest, StreamsAndShardsComeBack) {
  Stream stream;
  stream.number = 300;
  stream.name = {"music", "2026-10-09T00:21:34.000"};
  stream.table_id = 7;
  stream.view_type = StreamViewType::kOldImage;
  stream.key = {{{"pk", Type::kBinary}}, {{"sk", Type::kNumber}}};
  stream.created = absl::FromUnixSeconds(1'800'000'000);
  stream.closed = absl::FromUnixSeconds(1'800'000'001);
  const auto read = DecodeStream(StreamKey(300), EncodeStream(stream));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->number, 300u);
  EXPECT_EQ(read->name, stream.name);
  EXPECT_EQ(read->table_id, 7u);
  EXPECT_EQ(read->view_type, stream.view_type);
  EXPECT_EQ(read->key, stream.key);
  EXPECT_EQ(read->created, stream.created);
  EXPECT_EQ(read->closed, stream.closed);

  StreamShard shard{.number = 301,
                    .parent = 299,
                    .end = 400,
                    .created = stream.created - absl::Hours(4),
                    .closed = stream.created,
                    .hash_first = 1,
                    .hash_last = kGreatest,
                    .trimmed_through = 350};
  const auto row = DecodeShard(ShardKey(300, 301), EncodeShard(shard));
  ASSERT_TRUE(row.ok());
  EXPECT_EQ(row->first, 300u);
  EXPECT_EQ(row->second.number, 301u);
  EXPECT_EQ(row->second.parent, shard.parent);
  EXPECT_EQ(row->second.end, shard.end);
  EXPECT_EQ(row->second.created, shard.created);
  EXPECT_EQ(row->second.closed, shard.closed);
  EXPECT_EQ(row->second.hash_first, 1u);
  EXPECT_EQ(row->second.hash_last, kGreatest);
  EXPECT_EQ(row->second.trimmed_through, 350u);
}

TEST(StreamRowsTest, DamageIsTold) {
  EXPECT_EQ(DecodeStream(StreamKey(1), "junk").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(DecodeStream(StreamKey(1), Item().bytes()).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(DecodeShard(ShardKey(1, 2), Item().bytes()).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(DecodeShard("H", EncodeShard({})).status().code(), absl::StatusCode::kDataLoss);
}

TEST(RecordKeyTest, OrdersByShardAndNumber) {
  EXPECT_LT(RecordKey(1, 255), RecordKey(1, 256));
  EXPECT_LT(RecordKey(1, kGreatest), RecordKey(2, 0));
  EXPECT_EQ(SequenceOfRecordKey(RecordKey(1, 77)).value(), 77u);
}

}  // namespace
}  // namespace dynolith
