// A control plane with streams, an expiry index and a housekeeper that sweeps only when told to.
#ifndef DYNOLITH_TESTS_UNIT_API_STREAMS_AND_EXPIRY_H_
#define DYNOLITH_TESTS_UNIT_API_STREAMS_AND_EXPIRY_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/control/delete_table.h"
#include "api/control/update_time_to_live.h"
#include "api/database/housekeeper.h"
#include "api/read/get_item.h"
#include "api/stream/describe_stream.h"
#include "api/stream/get_records.h"
#include "api/stream/get_shard_iterator.h"
#include "api/stream/list_streams.h"
#include "api/write/delete_item.h"
#include "api/write/put_item.h"
#include "engine/stream/stream_log.h"
#include "engine/ttl/expiry_index.h"
#include "tests/unit/api/checked.h"
#include "tests/unit/api/update_requests.h"

namespace dynolith {

class StreamsAndExpiry : public UpdateRequests {
 protected:
  StreamsAndExpiry() {
    log_ = StreamLog::Load(store_.get(), &clock_, {.shards = 2}).value();
    context_.streams = log_.get();
    expiry_ = std::make_unique<ExpiryIndex>(store_.get(), catalog_.get(), &locks_);
    context_.expiry = expiry_.get();
    housekeeper_ = std::make_unique<Housekeeper>(
        &context_, BackgroundThreads::Shared(BackgroundThreads::Kind::kInMemory),
        HousekeeperOptions{.sweep_period = absl::ZeroDuration()});
  }

  // Table "music" with hash key "pk".
  void CreateMusic(std::optional<StreamViewType> view_type = StreamViewType::kNewAndOldImages) {
    CreateTableRequest request = OnDemand();
    if (view_type) request.stream_specification = {true, view_type};
    Create(request);
  }
  void SwitchStream(bool on) {
    UpdateTableRequest request = Named();
    request.stream_specification = {
        on, on ? std::make_optional(StreamViewType::kNewAndOldImages) : std::nullopt};
    ASSERT_EQ(Outcome(UpdateTable(context_, request).status()), "OK");
  }

  void Put(Item item) {
    const absl::Status status =
        PutItem(context_, {.table_name = "music", .item = std::move(item)}).status();
    ASSERT_EQ(Outcome(status), "OK");
  }
  void Delete(std::string_view pk) {
    const absl::Status status =
        DeleteItem(context_, {.table_name = "music", .key = {{"pk", Value::S(pk)}}}).status();
    ASSERT_EQ(Outcome(status), "OK");
  }
  bool Exists(std::string_view pk) {
    bool found = false;
    const absl::Status status =
        GetItem(context_, {.table_name = "music", .key = {{"pk", Value::S(pk)}}},
                [&found](ItemView) { found = true; })
            .status();
    EXPECT_EQ(Outcome(status), "OK");
    return found;
  }

  // ARNs of the table's streams, oldest first.
  std::vector<std::string> Arns(std::optional<std::string> table = "music") {
    const auto output = ListStreams(context_, {.table_name = std::move(table)});
    EXPECT_TRUE(output.ok()) << output.status();
    std::vector<std::string> arns;
    for (const StreamSummary& stream : output->streams) arns.push_back(stream.stream_arn);
    return arns;
  }
  StreamDescription DescribeArn(const std::string& arn) {
    const auto output = DescribeStream(context_, {.stream_arn = arn});
    EXPECT_TRUE(output.ok()) << output.status();
    return output->stream_description;
  }
  std::string Iterator(const std::string& arn, const std::string& shard,
                       ShardIteratorType type = ShardIteratorType::kTrimHorizon,
                       std::optional<std::string> number = std::nullopt) {
    const auto output = GetShardIterator(context_, {arn, shard, type, std::move(number)});
    EXPECT_TRUE(output.ok()) << output.status();
    return output.ok() ? output->shard_iterator : "";
  }
  // All records of the stream, shard by shard.
  std::vector<ChangeRecord> Records(const std::string& arn) {
    std::vector<ChangeRecord> records;
    for (const ShardDescription& shard : DescribeArn(arn).shards) {
      auto output = GetRecords(context_, {.shard_iterator = Iterator(arn, shard.shard_id)});
      EXPECT_TRUE(output.ok()) << output.status();
      for (ChangeRecord& record : output->records) records.push_back(std::move(record));
    }
    return records;
  }

  std::string TimeToLive(bool enabled, std::string attribute = "ttl") {
    return Outcome(Checked<members::UpdateTimeToLiveInput::kShape>(
                       &UpdateTimeToLive, context_, {"music", {enabled, std::move(attribute)}})
                       .status());
  }
  Item Expiring(std::string_view pk, absl::Duration from_now) {
    return Item{{"pk", Value::S(pk)},
                {"ttl", Value::N(absl::ToUnixSeconds(clock_.Now() + from_now))}};
  }
  int64_t Sweep() {
    const auto deleted = housekeeper_->SweepNow();
    EXPECT_TRUE(deleted.ok()) << deleted.status();
    return deleted.value_or(-1);
  }

  std::unique_ptr<StreamLog> log_;
  std::unique_ptr<ExpiryIndex> expiry_;
  std::unique_ptr<Housekeeper> housekeeper_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_API_STREAMS_AND_EXPIRY_H_
