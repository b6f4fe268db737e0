// Streams whose records come from two databases: stamps tell their order, although commits become
// visible in another one. Readers of either database see each change of an item once, and in order.
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api/stream/describe_stream.h"
#include "api/stream/get_records.h"
#include "api/stream/get_shard_iterator.h"
#include "api/stream/list_streams.h"
#include "engine/base/clock.h"
#include "engine/base/strings.h"
#include "engine/stream/stream_log.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/hostile/two_databases.h"

namespace dynolith::hostile {
namespace {

constexpr int kItems = 5;

std::string ItemKey(int h) {
  return Concat(R"("Key": {"h": {"N": ")", h, R"("}, "r": {"N": "0"}})");
}

void Enable(TwoDatabases* town) {
  const JsonResponse enabled =
      town->server(0).Call("UpdateTable", R"({"TableName": "towns", "StreamSpecification": {
                      "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}})");
  ASSERT_EQ(enabled.http_status, 200) << enabled.body << enabled.cause;
  town->Reopen(1);
}

// Adds one to the item's n.
JsonResponse Count(const Server& server, int h) {
  return server.Call("UpdateItem", Concat(R"({"TableName": "towns", )", ItemKey(h),
                                          R"(, "UpdateExpression": "ADD n :1",
           "ExpressionAttributeValues": {":1": {"N": "1"}}})"));
}

int64_t CountIn(const Item& image) {
  int64_t n = 0;
  const auto value = image.view().Find("n");
  EXPECT_TRUE(value && value->number().ToInt64(&n));
  return n;
}

std::string ArnOf(const Server& server) {
  const auto streams = ListStreams(server.database()->context(), {.table_name = "towns"});
  EXPECT_TRUE(streams.ok()) << streams.status();
  EXPECT_EQ(streams->streams.size(), 1U);
  return streams->streams[0].stream_arn;
}

std::vector<ShardDescription> ShardsOf(const Server& server, const std::string& arn) {
  const auto stream = DescribeStream(server.database()->context(), {.stream_arn = arn});
  EXPECT_TRUE(stream.ok()) << stream.status();
  return stream->stream_description.shards;
}

// From its first record on.
std::vector<ChangeRecord> RecordsOf(const Server& server, const std::string& arn,
                                    const std::string& shard) {
  const OperationContext& context = server.database()->context();
  const auto first =
      GetShardIterator(context, {.stream_arn = arn,
                                 .shard_id = shard,
                                 .shard_iterator_type = ShardIteratorType::kTrimHorizon});
  EXPECT_TRUE(first.ok()) << first.status();
  const auto read = GetRecords(context, {.shard_iterator = first->shard_iterator});
  EXPECT_TRUE(read.ok()) << read.status();
  return read->records;
}

// The one that has records.
std::string WrittenShard(const Server& server, const std::string& arn) {
  for (const ShardDescription& shard : ShardsOf(server, arn)) {
    if (!RecordsOf(server, arn, shard.shard_id).empty()) return shard.shard_id;
  }
  ADD_FAILURE() << "no shard has records";
  return "";
}

// Follows all shards of the stream of "towns", children behind their parents, as clients do.
class Reader {
 public:
  explicit Reader(const Server& server) : server_(server), arn_(ArnOf(server)) {}

  // What there is by now. Returns how many records.
  size_t ReadOn() {
    size_t records = 0;
    for (const ShardDescription& shard : ShardsOf(server_, arn_)) {
      if (shard.parent_shard_id && !ended_.contains(*shard.parent_shard_id)) continue;
      if (!ended_.contains(shard.shard_id)) records += ReadShard(shard.shard_id);
    }
    return records;
  }

  // The values of n, one for each change, in order; by item.
  const std::map<std::string, std::vector<int64_t>>& counts() const { return counts_; }
  int removed_by_service() const { return removed_by_service_; }
  size_t ended() const { return ended_.size(); }

 private:
  size_t ReadShard(const std::string& shard) {
    const OperationContext& context = server_.database()->context();
    std::string& iterator = iterators_[shard];
    if (iterator.empty()) {
      const auto first =
          GetShardIterator(context, {.stream_arn = arn_,
                                     .shard_id = shard,
                                     .shard_iterator_type = ShardIteratorType::kTrimHorizon});
      EXPECT_TRUE(first.ok()) << first.status();
      iterator = first->shard_iterator;
    }
    // Few at a time, so that places in the middle are taken up again.
    const auto read = GetRecords(context, {.shard_iterator = iterator, .limit = 7});
    EXPECT_TRUE(read.ok()) << read.status();
    for (const ChangeRecord& record : read->records) Note(shard, record);
    if (read->next_shard_iterator) {
      iterator = *read->next_shard_iterator;
    } else {
      ended_.insert(shard);
    }
    return read->records.size();
  }

  void Note(const std::string& shard, const ChangeRecord& record) {
    const std::string& number = record.dynamodb.sequence_number;
    EXPECT_EQ(number.size(), 30U);
    EXPECT_GT(number, last_[shard]);
    last_[shard] = number;
    EXPECT_TRUE(events_.insert(record.event_id).second) << "seen twice";
    if (record.user_identity) ++removed_by_service_;
    if (!record.dynamodb.new_image) return;
    const std::string item = record.dynamodb.keys.view().Find("h")->number().ToString();
    counts_[item].push_back(CountIn(*record.dynamodb.new_image));
  }

  const Server& server_;
  const std::string arn_;
  std::map<std::string, std::string> iterators_;
  std::map<std::string, std::string> last_;
  std::set<std::string> ended_;
  std::set<std::string> events_;
  std::map<std::string, std::vector<int64_t>> counts_;
  int removed_by_service_ = 0;
};

void RollOne(const Server& server) {
  StreamLog* const log = server.database()->context().streams;
  const StreamName name = log->Names("towns", std::nullopt, 1).at(0);
  const auto stream = log->Find(name);
  ASSERT_TRUE(stream.ok() && *stream) << stream.status();
  for (const StreamShard& shard : (*stream)->shards) {
    if (shard.end) continue;
    const absl::Status rolled = log->RollShard(name, shard.number);
    EXPECT_TRUE(rolled.ok() || absl::IsFailedPrecondition(rolled)) << rolled;
    return;
  }
}

void ExpectEachChangeOnce(const Reader& reader, int64_t changes) {
  int64_t seen = 0;
  for (const auto& [item, counts] : reader.counts()) {
    for (size_t i = 0; i < counts.size(); ++i) {
      ASSERT_EQ(counts[i], static_cast<int64_t>(i) + 1) << "item " << item;
    }
    seen += static_cast<int64_t>(counts.size());
  }
  EXPECT_EQ(seen, changes);
}

TEST(HostileStreams, EachChangeOnceAndInOrder) {
  TwoDatabases town({.seed = 21, .delayed = 0.05, .overtaken = 0.5});
  Enable(&town);
  constexpr int kWriters = 4;
  constexpr int kChanges = 60;
  std::atomic<int> writing = kWriters;
  std::vector<std::unique_ptr<Reader>> readers;
  for (size_t i = 0; i < 2; ++i) readers.push_back(std::make_unique<Reader>(town.server(i)));
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; i < kChanges; ++i) {
        const JsonResponse done = Count(town.server(writer), (i + writer) % kItems);
        EXPECT_EQ(done.http_status, 200) << done.body << done.cause;
        // Either database closes shards into which the other one writes.
        if (writer < 2 && i % 20 == 10) RollOne(town.server(writer));
      }
      --writing;
    });
  }
  for (const std::unique_ptr<Reader>& reader : readers) {
    threads.emplace_back([&writing, &reader] {
      while (writing > 0) reader->ReadOn();
    });
  }
  for (std::thread& thread : threads) thread.join();
  town.Calm();
  for (const std::unique_ptr<Reader>& reader : readers) {
    // A round without records has passed ends of shards, whose children come in the next one.
    for (size_t ended = ~size_t{0}; reader->ReadOn() > 0 || ended != reader->ended();) {
      ended = reader->ended();
    }
    ExpectEachChangeOnce(*reader, kWriters * kChanges);
    EXPECT_GE(reader->ended(), 3U);
  }
  if (town.rows() != nullptr) {
    EXPECT_GT(CountsOf(town.rows()).overtaken, 0);
  }
  EXPECT_EQ(town.Check(), "");
}

// What two readers of changes have seen, one through each database: the same, in one order,
// whatever happens to the shards; and a reader that begins in the middle sees the rest.
TEST(HostileStreams, ChangesComeInOneOrder) {
  TwoDatabases town({.seed = 22, .delayed = 0.05, .overtaken = 0.5});
  Enable(&town);
  constexpr int kWriters = 4;
  constexpr int kChanges = 40;
  std::vector<std::vector<PlacedChange>> seen(2);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      const auto reader =
          town.server(i).database()->ReadChanges({.table_name = "towns", .from_oldest = true});
      ASSERT_TRUE(reader.ok()) << reader.status();
      while (seen[i].size() < kWriters * kChanges) {
        const auto changes = (*reader)->Next(7, absl::Seconds(300));
        ASSERT_TRUE(changes.ok() && !changes->empty()) << changes.status();
        seen[i].insert(seen[i].end(), changes->begin(), changes->end());
      }
    });
  }
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; i < kChanges; ++i) {
        const JsonResponse done = Count(town.server(writer), (i + writer) % kItems);
        EXPECT_EQ(done.http_status, 200) << done.body << done.cause;
        if (writer < 2 && i % 15 == 7) RollOne(town.server(writer));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(seen[0].size(), seen[1].size());
  std::map<std::string, int64_t> counts;
  std::string last;
  for (size_t i = 0; i < seen[0].size(); ++i) {
    const StreamRecord& change = seen[0][i].record.dynamodb;
    EXPECT_EQ(seen[0][i].place, seen[1][i].place);
    EXPECT_GT(change.sequence_number, last);
    last = change.sequence_number;
    EXPECT_EQ(CountIn(*change.new_image),
              ++counts[change.keys.view().Find("h")->number().ToString()]);
  }
  const size_t middle = seen[0].size() / 2;
  const auto resumed = town.server(1).database()->ReadChanges(
      {.table_name = "towns", .after = seen[0][middle].place});
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  const auto rest = (*resumed)->Next(kWriters * kChanges, absl::Seconds(300));
  ASSERT_TRUE(rest.ok()) << rest.status();
  ASSERT_FALSE(rest->empty());
  EXPECT_EQ(rest->front().place, seen[0][middle + 1].place);
}

TEST(HostileStreams, WhatHasJustBeenWrittenIsBeforeTheLatestPlace) {
  TwoDatabases town({.seed = 22, .aborted = 0, .lost = 0, .ended = 0});
  Enable(&town);
  ASSERT_EQ(Count(town.server(0), 1).http_status, 200);
  const OperationContext& context = town.server(1).database()->context();
  const std::string arn = ArnOf(town.server(1));
  const std::string shard = WrittenShard(town.server(1), arn);
  const auto latest = GetShardIterator(
      context,
      {.stream_arn = arn, .shard_id = shard, .shard_iterator_type = ShardIteratorType::kLatest});
  ASSERT_TRUE(latest.ok()) << latest.status();
  ASSERT_EQ(Count(town.server(0), 1).http_status, 200);
  const auto read = GetRecords(context, {.shard_iterator = latest->shard_iterator});
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->records.size(), 1U);
  EXPECT_EQ(CountIn(*read->records[0].dynamodb.new_image), 2);
  // And behind the first one, whose number a client may have kept.
  const std::vector<ChangeRecord> all = RecordsOf(town.server(1), arn, shard);
  ASSERT_EQ(all.size(), 2U);
  const auto after =
      GetShardIterator(context, {.stream_arn = arn,
                                 .shard_id = shard,
                                 .shard_iterator_type = ShardIteratorType::kAfterSequenceNumber,
                                 .sequence_number = all[0].dynamodb.sequence_number});
  ASSERT_TRUE(after.ok()) << after.status();
  const auto rest = GetRecords(context, {.shard_iterator = after->shard_iterator});
  ASSERT_EQ(rest->records.size(), 1U);
  EXPECT_EQ(rest->records[0].event_id, read->records[0].event_id);
}

TEST(HostileStreams, AnItemExpiresOnce) {
  ManualClock clock(absl::FromUnixSeconds(4'000'000'000));
  TwoDatabases town({.seed = 23}, &clock);
  Enable(&town);
  ASSERT_EQ(town.server(0)
                .Call("UpdateTimeToLive", R"({"TableName": "towns", "TimeToLiveSpecification": {
                      "Enabled": true, "AttributeName": "n"}})")
                .http_status,
            200);
  town.Reopen(1);
  constexpr int kExpiring = 80;
  for (int h = 0; h < kExpiring; ++h) {
    const JsonResponse put = town.server(h).Call(
        "PutItem", Concat(R"({"TableName": "towns", "Item": {"h": {"N": ")", h,
                          R"("}, "r": {"N": "0"}, "n": {"N": ")",
                          absl::ToUnixSeconds(clock.Now()) + 1 + h % 3, R"("}}})"));
    ASSERT_EQ(put.http_status, 200) << put.body << put.cause;
  }
  for (int i = 0; i < 5; ++i) clock.Advance(absl::Seconds(1));
  town.Calm();
  Reader reader(town.server(1));
  while (reader.ReadOn() > 0) {
  }
  EXPECT_EQ(reader.removed_by_service(), kExpiring);
  EXPECT_EQ(town.Check(), "");
}

}  // namespace
}  // namespace dynolith::hostile
