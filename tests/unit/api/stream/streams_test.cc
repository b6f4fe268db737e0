// What clients of a stream see: which writes make records, how shards are described and paged, and
// what iterators point at.
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "absl/strings/escaping.h"
#include "api/write/batch_write_item.h"
#include "api/write/transact_write_items.h"
#include "api/write/update_item.h"
#include "dynolith/requests.h"
#include "gmock/gmock.h"
#include "tests/unit/api/checked.h"
#include "tests/unit/api/streams_and_expiry.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

class StreamsTest : public StreamsAndExpiry {
 protected:
  std::string IteratorOutcome(GetShardIteratorRequest request) {
    return Outcome(
        Checked<members::GetShardIteratorInput::kShape>(&GetShardIterator, context_, request)
            .status());
  }
  std::string RecordsOutcome(GetRecordsRequest request) {
    return Outcome(
        Checked<members::GetRecordsInput::kShape>(&GetRecords, context_, request).status());
  }
  std::string DescribeOutcome(DescribeStreamRequest request) {
    return Outcome(
        Checked<members::DescribeStreamInput::kShape>(&DescribeStream, context_, request).status());
  }
  // The shard with the records of "a".
  std::string ShardOfA(const std::string& arn) {
    for (const ShardDescription& shard : DescribeArn(arn).shards) {
      const auto output =
          GetRecords(context_, {.shard_iterator = Iterator(arn, shard.shard_id)}).value();
      for (const ChangeRecord& record : output.records) {
        if (record.dynamodb.keys.Find("pk")->string() == "a") return shard.shard_id;
      }
    }
    return "";
  }
};

TEST_F(StreamsTest, ARecordSaysWhatHappened) {
  CreateMusic();
  const Item before{{"pk", Value::S("a")}, {"n", Value::N(1)}};
  const Item after{{"pk", Value::S("a")}, {"n", Value::N(2)}};
  clock_.Advance(absl::Milliseconds(900));
  Put(before);
  Put(after);
  Delete("a");
  const auto arns = Arns();
  ASSERT_THAT(arns, SizeIs(1));
  EXPECT_THAT(arns[0], MatchesRegex("arn:aws:dynamodb:us-east-1:000000000000:table/music/stream/"
                                    "2026-10-09T00:21:34\\.000"));
  const auto records = Records(arns[0]);
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_EQ(records[0].event_name, OperationType::kInsert);
  EXPECT_EQ(records[1].event_name, OperationType::kModify);
  EXPECT_EQ(records[2].event_name, OperationType::kRemove);
  const ChangeRecord& modified = records[1];
  EXPECT_THAT(modified.event_id, MatchesRegex("[0-9a-f]+"));
  EXPECT_THAT(modified.event_id, SizeIs(32));
  EXPECT_EQ(modified.event_version, "1.1");
  EXPECT_EQ(modified.event_source, "aws:dynamodb");
  EXPECT_EQ(modified.aws_region, "us-east-1");
  EXPECT_FALSE(modified.user_identity);
  EXPECT_EQ(modified.dynamodb.keys, (Item{{"pk", Value::S("a")}}));
  EXPECT_EQ(modified.dynamodb.old_image, before);
  EXPECT_EQ(modified.dynamodb.new_image, after);
  EXPECT_EQ(modified.dynamodb.size_bytes, 3 + 2 * (3 + 3));
  EXPECT_EQ(modified.dynamodb.stream_view_type, StreamViewType::kNewAndOldImages);
  EXPECT_EQ(modified.dynamodb.approximate_creation_date_time,
            absl::FromUnixSeconds(absl::ToUnixSeconds(clock_.Now())));
  EXPECT_THAT(modified.dynamodb.sequence_number, MatchesRegex("[0-9]+"));
  EXPECT_THAT(modified.dynamodb.sequence_number, SizeIs(21));
  EXPECT_LT(records[0].dynamodb.sequence_number, modified.dynamodb.sequence_number);
}

TEST_F(StreamsTest, WritesThatChangeNothingLeaveNoRecord) {
  CreateMusic();
  const Item item{{"pk", Value::S("a")}, {"n", Value::N(1)}};
  Put(item);
  Put(item);
  Delete("nobody");
  const auto update = [this](std::string pk, std::string expression) {
    UpdateItemRequest request;
    request.table_name = "music";
    request.key = {{"pk", Value::S(pk)}};
    request.update_expression = std::move(expression);
    return Outcome(UpdateItem(context_, request).status());
  };
  EXPECT_EQ(update("a", "REMOVE nothing"), "OK");
  EXPECT_EQ(update("a", "SET n = n"), "OK");
  PutItemRequest refused{.table_name = "music", .item = {{"pk", Value::S("a")}}};
  refused.condition_expression = "attribute_not_exists(pk)";
  EXPECT_THAT(Outcome(PutItem(context_, refused).status()), StartsWith("ConditionalCheckFailed"));
  EXPECT_THAT(Records(Arns()[0]), SizeIs(1));
}

TEST_F(StreamsTest, EachItemOfABatchAndOfATransactionHasItsRecord) {
  CreateMusic();
  BatchWriteItemRequest batch;
  TransactWriteItemsRequest transaction;
  auto& writes = batch.request_items.emplace_back("music", std::vector<WriteRequest>()).second;
  for (const char* pk : {"a", "b", "c"}) {
    writes.push_back({.put = Item{{"pk", Value::S(pk)}}});
    TransactAction action;
    action.table_name = "music";
    action.item = {{"pk", Value::S(pk)}, {"n", Value::N(1)}};
    transaction.transact_items.push_back({.put = action});
  }
  ASSERT_EQ(Outcome(BatchWriteItem(context_, batch).status()), "OK");
  ASSERT_EQ(Outcome(TransactWriteItems(context_, transaction).status()), "OK");
  std::map<std::string, std::vector<OperationType>> events;
  for (const ChangeRecord& record : Records(Arns()[0])) {
    events[std::string(record.dynamodb.keys.Find("pk")->string())].push_back(record.event_name);
  }
  EXPECT_THAT(events, SizeIs(3));
  for (const auto& [pk, names] : events) {
    EXPECT_THAT(names, ElementsAre(OperationType::kInsert, OperationType::kModify)) << pk;
  }
}

TEST_F(StreamsTest, TablesWithoutAStreamHaveNone) {
  CreateMusic(std::nullopt);
  Put({{"pk", Value::S("a")}});
  EXPECT_THAT(Arns(), IsEmpty());
}

TEST_F(StreamsTest, OffAndOnAgainIsANewStreamAndTheOldOneEnds) {
  CreateMusic();
  Put({{"pk", Value::S("a")}});
  SwitchStream(false);
  Put({{"pk", Value::S("b")}});
  clock_.Advance(absl::Seconds(1));
  SwitchStream(true);
  Put({{"pk", Value::S("c")}});
  const auto arns = Arns();
  ASSERT_THAT(arns, SizeIs(2));
  const StreamDescription old_one = DescribeArn(arns[0]);
  EXPECT_EQ(old_one.stream_status, StreamStatus::kDisabled);
  EXPECT_EQ(DescribeArn(arns[1]).stream_status, StreamStatus::kEnabled);
  EXPECT_THAT(Records(arns[0]), SizeIs(1));
  EXPECT_THAT(Records(arns[1]), SizeIs(1));
  for (const ShardDescription& shard : old_one.shards) {
    ASSERT_TRUE(shard.sequence_number_range.ending_sequence_number);
    EXPECT_GT(*shard.sequence_number_range.ending_sequence_number,
              shard.sequence_number_range.starting_sequence_number);
    const auto output =
        GetRecords(context_, {.shard_iterator = Iterator(arns[0], shard.shard_id)}).value();
    EXPECT_FALSE(output.next_shard_iterator) << "read to its end";
  }
}

TEST_F(StreamsTest, AStreamOutlivesItsTableByADay) {
  CreateMusic();
  Put({{"pk", Value::S("a")}});
  const std::string arn = Arns()[0];
  ASSERT_EQ(Outcome(DeleteTable(context_, {.table_name = "music"}).status()), "OK");
  EXPECT_EQ(DescribeArn(arn).stream_status, StreamStatus::kDisabled);
  EXPECT_THAT(Records(arn), SizeIs(1));
  clock_.Advance(absl::Hours(24) + absl::Seconds(1));
  EXPECT_EQ(
      DescribeOutcome({.stream_arn = arn}),
      "ResourceNotFoundException: Requested resource not found: Stream: " + arn + " not found");
  EXPECT_THAT(Arns(), IsEmpty());
}

TEST_F(StreamsTest, AStreamIsDescribedInPagesOfShards) {
  CreateMusic();
  const std::string arn = Arns()[0];
  const StreamDescription whole = DescribeArn(arn);
  EXPECT_EQ(whole.stream_arn, arn);
  EXPECT_EQ(whole.stream_label, "2026-10-09T00:21:34.000");
  EXPECT_EQ(whole.table_name, "music");
  EXPECT_EQ(whole.stream_view_type, StreamViewType::kNewAndOldImages);
  ASSERT_THAT(whole.key_schema, SizeIs(1));
  EXPECT_EQ(whole.key_schema[0].attribute_name, "pk");
  ASSERT_THAT(whole.shards, SizeIs(2));
  EXPECT_FALSE(whole.last_evaluated_shard_id);
  EXPECT_FALSE(whole.shards[0].sequence_number_range.ending_sequence_number);
  EXPECT_FALSE(whole.shards[0].parent_shard_id);

  const auto first = DescribeStream(context_, {.stream_arn = arn, .limit = 1}).value();
  ASSERT_THAT(first.stream_description.shards, SizeIs(1));
  EXPECT_EQ(first.stream_description.last_evaluated_shard_id, whole.shards[0].shard_id);
  const auto second =
      DescribeStream(context_,
                     {.stream_arn = arn,
                      .limit = 1,
                      .exclusive_start_shard_id = first.stream_description.last_evaluated_shard_id})
          .value();
  ASSERT_THAT(second.stream_description.shards, SizeIs(1));
  EXPECT_EQ(second.stream_description.shards[0].shard_id, whole.shards[1].shard_id);
  EXPECT_FALSE(second.stream_description.last_evaluated_shard_id);
}

TEST_F(StreamsTest, ChildShardsCanBeAskedFor) {
  CreateMusic();
  const std::string arn = Arns()[0];
  const std::string parent = DescribeArn(arn).shards[1].shard_id;
  ASSERT_TRUE(
      log_->FollowSplit(catalog_->Find("music")->meta()->schema.id, uint64_t{3} << 62).ok());
  DescribeStreamRequest request{.stream_arn = arn};
  request.shard_filter = {ShardFilterType::kChildShards, parent};
  const auto output = DescribeStream(context_, request).value();
  ASSERT_THAT(output.stream_description.shards, SizeIs(2));
  for (const ShardDescription& child : output.stream_description.shards) {
    EXPECT_EQ(child.parent_shard_id, parent);
  }
  request.shard_filter->shard_id.reset();
  EXPECT_THAT(DescribeOutcome(request), HasSubstr("ValidationException"));
}

TEST_F(StreamsTest, StreamsAreListedInPages) {
  CreateMusic();
  CreateTableRequest other = OnDemand();
  other.table_name = "books";
  other.stream_specification = {true, StreamViewType::kKeysOnly};
  Create(other);
  const auto first = ListStreams(context_, {.limit = 1}).value();
  ASSERT_THAT(first.streams, SizeIs(1));
  EXPECT_EQ(first.streams[0].table_name, "books");
  EXPECT_EQ(first.last_evaluated_stream_arn, first.streams[0].stream_arn);
  const auto second =
      ListStreams(context_,
                  {.limit = 1, .exclusive_start_stream_arn = first.last_evaluated_stream_arn})
          .value();
  ASSERT_THAT(second.streams, SizeIs(1));
  EXPECT_EQ(second.streams[0].table_name, "music");
  EXPECT_EQ(second.streams[0].stream_label, "2026-10-09T00:21:34.000");
  EXPECT_FALSE(second.last_evaluated_stream_arn);
  EXPECT_THAT(Arns("nobody"), IsEmpty());
  EXPECT_THAT(
      Outcome(Checked<members::ListStreamsInput::kShape>(&ListStreams, context_, {.limit = 101})
                  .status()),
      HasSubstr("'limit' failed to satisfy constraint: Member must have value less than or "
                "equal to 100"));
  EXPECT_THAT(
      Outcome(Checked<members::ListStreamsInput::kShape>(
                  &ListStreams, context_, {.exclusive_start_stream_arn = std::string(40, 'x')})
                  .status()),
      StartsWith("ValidationException: Invalid StreamArn"));
}

TEST_F(StreamsTest, IteratorsPointAtAfterBeforeAndBehind) {
  CreateMusic();
  for (int n = 1; n <= 3; ++n) Put({{"pk", Value::S("a")}, {"n", Value::N(n)}});
  const std::string arn = Arns()[0];
  const std::string shard = ShardOfA(arn);
  std::vector<std::string> numbers;
  for (const ChangeRecord& record : Records(arn)) {
    numbers.push_back(record.dynamodb.sequence_number);
  }
  const auto count = [&](ShardIteratorType type, std::optional<std::string> number) {
    return GetRecords(context_, {.shard_iterator = Iterator(arn, shard, type, std::move(number))})
        .value()
        .records.size();
  };
  EXPECT_EQ(count(ShardIteratorType::kTrimHorizon, std::nullopt), 3u);
  EXPECT_EQ(count(ShardIteratorType::kAtSequenceNumber, numbers[1]), 2u);
  EXPECT_EQ(count(ShardIteratorType::kAfterSequenceNumber, numbers[1]), 1u);
  EXPECT_EQ(count(ShardIteratorType::kAfterSequenceNumber, numbers[2]), 0u);
  EXPECT_EQ(count(ShardIteratorType::kLatest, std::nullopt), 0u);

  std::string latest = Iterator(arn, shard, ShardIteratorType::kLatest);
  Put({{"pk", Value::S("a")}, {"n", Value::N(4)}});
  const auto output = GetRecords(context_, {.shard_iterator = latest}).value();
  ASSERT_THAT(output.records, SizeIs(1));
  ASSERT_TRUE(output.next_shard_iterator);
  EXPECT_THAT(GetRecords(context_, {.shard_iterator = *output.next_shard_iterator})->records,
              IsEmpty());
}

TEST_F(StreamsTest, RecordsComeInPages) {
  CreateMusic();
  for (int n = 1; n <= 3; ++n) Put({{"pk", Value::S("a")}, {"n", Value::N(n)}});
  const std::string arn = Arns()[0];
  const auto first =
      GetRecords(context_, {.shard_iterator = Iterator(arn, ShardOfA(arn)), .limit = 2});
  ASSERT_THAT(first->records, SizeIs(2));
  const auto second = GetRecords(context_, {.shard_iterator = *first->next_shard_iterator});
  EXPECT_THAT(second->records, SizeIs(1));
  EXPECT_THAT(RecordsOutcome({.shard_iterator = *first->next_shard_iterator, .limit = 1001}),
              HasSubstr("at 'limit' failed to satisfy constraint"));
  EXPECT_THAT(RecordsOutcome({.shard_iterator = *first->next_shard_iterator, .limit = 0}),
              HasSubstr("at 'limit' failed to satisfy constraint"));
}

TEST_F(StreamsTest, IteratorsLiveForAQuarterOfAnHour) {
  CreateMusic();
  const std::string arn = Arns()[0];
  const std::string iterator = Iterator(arn, DescribeArn(arn).shards[0].shard_id);
  clock_.Advance(absl::Minutes(15));
  const auto output = GetRecords(context_, {.shard_iterator = iterator});
  ASSERT_TRUE(output.ok()) << output.status();
  clock_.Advance(absl::Seconds(1));
  EXPECT_THAT(RecordsOutcome({.shard_iterator = iterator}), StartsWith("ExpiredIteratorException"));
  EXPECT_EQ(RecordsOutcome({.shard_iterator = *output->next_shard_iterator}), "OK");
  EXPECT_THAT(RecordsOutcome({.shard_iterator = "garbage"}), StartsWith("ValidationException"));
}

TEST_F(StreamsTest, WhatWasTrimmedCannotBeAskedFor) {
  CreateMusic();
  Put({{"pk", Value::S("a")}, {"n", Value::N(1)}});
  const std::string arn = Arns()[0];
  const std::string shard = ShardOfA(arn);
  const std::string number = Records(arn)[0].dynamodb.sequence_number;
  clock_.Advance(absl::Hours(24) + absl::Seconds(1));
  Put({{"pk", Value::S("a")}, {"n", Value::N(2)}});
  EXPECT_EQ(IteratorOutcome({arn, shard, ShardIteratorType::kAtSequenceNumber, number}),
            "TrimmedDataAccessException: The operation attempted to read past the oldest stream "
            "record in a shard.");
  EXPECT_EQ(IteratorOutcome({arn, shard, ShardIteratorType::kAfterSequenceNumber, number}), "OK");
  EXPECT_THAT(Records(arn), SizeIs(1));
}

TEST_F(StreamsTest, WrongRequestsForIteratorsAreRefused) {
  CreateMusic();
  const std::string arn = Arns()[0];
  const ShardDescription shard = DescribeArn(arn).shards[0];
  const std::string start = shard.sequence_number_range.starting_sequence_number;
  const auto at = ShardIteratorType::kAtSequenceNumber;
  EXPECT_EQ(IteratorOutcome({arn, shard.shard_id, at, start}), "OK");
  EXPECT_THAT(IteratorOutcome({arn, shard.shard_id, at, std::nullopt}),
              StartsWith("ValidationException"));
  EXPECT_THAT(IteratorOutcome({arn, shard.shard_id, ShardIteratorType::kLatest, start}),
              StartsWith("ValidationException"));
  EXPECT_THAT(IteratorOutcome({arn, shard.shard_id, at, std::string(21, 'x')}),
              StartsWith("ValidationException"));
  EXPECT_THAT(IteratorOutcome({arn, shard.shard_id, at, std::string(30, '9')}),
              StartsWith("ValidationException"));
  EXPECT_THAT(IteratorOutcome({arn, shard.shard_id, at, "12"}),
              HasSubstr("at 'sequenceNumber' failed to satisfy constraint"));
  EXPECT_THAT(IteratorOutcome({arn, shard.shard_id, at, std::string(21, '0')}),
              StartsWith("TrimmedDataAccessException"));
  EXPECT_THAT(IteratorOutcome({arn, "shardId-00000001414576573621-f55eea83"}),
              StartsWith("ResourceNotFoundException"));
  EXPECT_THAT(IteratorOutcome({arn, "short"}), StartsWith("ValidationException"));
  EXPECT_THAT(IteratorOutcome({std::string(40, 'x'), shard.shard_id}),
              StartsWith("ValidationException"));
  const std::string other = arn.substr(0, arn.size() - 1) + "9";
  EXPECT_THAT(IteratorOutcome({other, shard.shard_id}), StartsWith("ResourceNotFoundException"));
}

// The whole path: writers race on few items with conditions, a reader rebuilds the table.
TEST_F(StreamsTest, TheRecordsOfRacingWritersRebuildTheTable) {
  CreateMusic();
  constexpr int kWriters = 3;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 150; ++i) {
        const std::string pk = "item" + std::to_string((i * 7 + w) % 4);
        i % 5 == 4 ? Delete(pk) : Put({{"pk", Value::S(pk)}, {"n", Value::N(w * 1000 + i)}});
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::map<std::string, std::optional<Item>> rebuilt;
  for (const ChangeRecord& record : Records(Arns()[0])) {
    std::optional<Item>& item = rebuilt[std::string(record.dynamodb.keys.Find("pk")->string())];
    EXPECT_EQ(item, record.dynamodb.old_image) << "each change starts where the last one ended";
    item = record.dynamodb.new_image;
  }
  EXPECT_THAT(rebuilt, SizeIs(4));
  for (const auto& [pk, item] : rebuilt) EXPECT_EQ(Exists(pk), item.has_value()) << pk;
}

}  // namespace
}  // namespace dynolith
