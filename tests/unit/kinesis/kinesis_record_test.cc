// The form of the records is what programs behind a Kinesis stream parse, and their keys decide
// which of them stay in order.
#include "tools/server/kinesis/kinesis_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/value/item.h"

namespace dynolith::kinesis {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

const Item& SongKeys() {
  static const Item keys{{"pk", Value::S("a")}, {"sk", Value::N(1)}};
  return keys;
}

RecordView Removal() {
  RecordView record;
  record.event = StreamEvent::kRemove;
  record.view_type = StreamViewType::kNewAndOldImages;
  record.created = absl::FromUnixMicros(1'800'000'000'123'456);
  record.keys = SongKeys().view();
  record.old_image = SongKeys().view();
  return record;
}

KinesisRecord Make(const RecordView& record,
                   TimestampPrecision precision = TimestampPrecision::kMillisecond) {
  OperationContext context;
  context.region = "eu-west-1";
  return MakeKinesisRecord(context, "music", precision, 7, record);
}

TEST(KinesisRecord, HasTheDocumentedMembers) {
  EXPECT_THAT(
      Make(Removal()).data,
      MatchesRegex(R"(\{"awsRegion":"eu-west-1",)"
                   R"("eventID":"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",)"
                   R"("eventName":"REMOVE","userIdentity":null,)"
                   R"("recordFormat":"application/json","tableName":"music","dynamodb":\{)"
                   R"("ApproximateCreationDateTime":1800000000123,)"
                   R"("Keys":\{"pk":\{"S":"a"\},"sk":\{"N":"1"\}\},)"
                   R"("OldImage":\{"pk":\{"S":"a"\},"sk":\{"N":"1"\}\},"SizeBytes":14\},)"
                   R"("eventSource":"aws:dynamodb"\})"));
}

TEST(KinesisRecord, MicrosecondsSaySo) {
  EXPECT_THAT(Make(Removal(), TimestampPrecision::kMicrosecond).data,
              HasSubstr(R"("ApproximateCreationDateTime":1800000000123456,)"));
  EXPECT_THAT(Make(Removal(), TimestampPrecision::kMicrosecond).data,
              HasSubstr(R"("ApproximateCreationDateTimePrecision":"MICROSECOND"})"));
  EXPECT_THAT(Make(Removal()).data, Not(HasSubstr("Precision")));
}

TEST(KinesisRecord, ExpiryHasAUser) {
  RecordView record = Removal();
  record.by_time_to_live = true;
  EXPECT_THAT(
      Make(record).data,
      HasSubstr(R"("userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"},)"));
}

TEST(KinesisRecord, AnItemHasOnePartitionKey) {
  const Item other{{"pk", Value::S("a")}, {"sk", Value::N(2)}};
  RecordView insert;
  insert.keys = SongKeys().view();
  insert.new_image = other.view();
  EXPECT_EQ(Make(insert).partition_key, Make(Removal()).partition_key);
  EXPECT_THAT(Make(insert).partition_key, MatchesRegex("[0-9A-F]{32}"));
  insert.keys = other.view();
  EXPECT_NE(Make(insert).partition_key, Make(Removal()).partition_key);
}

}  // namespace
}  // namespace dynolith::kinesis
