// Logs of CloudTrail as traces: what each event uses, and what is assumed or left out of a log. The
// events have the form of the service's own examples ("Understanding DynamoDB log file entries").
#include "tools/lab/experiment/access_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tools/lab/experiment/recorded_trace.h"
#include "tools/lab/load/key_generator.h"

namespace dynolith {
namespace {

using lab::LogAssumptions;
using lab::RecordedTrace;
using lab::RecordedUse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string LogEvent(std::string_view time, std::string_view name, std::string_view parameters,
                     std::string_view more = "") {
  return Concat(R"({"eventTime": ")", time, R"(", "eventSource": "dynamodb.amazonaws.com", )",
                R"("eventName": ")", name, R"(", "requestParameters": {)", parameters, "}", more,
                "}\n");
}

absl::StatusOr<std::shared_ptr<const RecordedTrace>> Loaded(
    const std::string& text, const LogAssumptions& assumptions = {}) {
  return lab::LoadTrace(
      "log.json", [&](const std::string&) { return absl::StatusOr<std::string>(text); },
      assumptions);
}

// "PutItem Music 2 Ray 100B": of each use the operation, the resource, half units, the key, bytes.
std::vector<std::string> DescribeUses(const RecordedTrace& trace) {
  std::vector<std::string> uses;
  for (size_t i = 0; i < trace.requests.size(); ++i) {
    for (size_t j = trace.requests[i].uses; j < trace.UsesEnd(i); ++j) {
      const RecordedUse& use = trace.uses[j];
      const std::string key = trace.KeyText(use.hash);
      uses.push_back(
          Concat(trace::OperationName(trace.accesses[trace.requests[i].access].operation), " ",
                 lab::ResourceName(trace.resources[use.resource]), " ", use.half_units, " ",
                 key.starts_with('#') ? "?" : key, " ", use.bytes, use.begins ? "" : " joined"));
    }
  }
  return uses;
}

constexpr std::string_view kRay =
    R"("tableName": "Music", "key": {"Artist": "Ray", "Song": "Blue"})";

TEST(AccessLog, ItemsByTheirKeys) {
  const std::string text =
      LogEvent("2026-11-26T10:00:00Z", "PutItem", Concat(kRay, R"(, "item": ["Artist", "Song"])")) +
      LogEvent("2026-11-26T10:00:01Z", "GetItem", kRay) +
      LogEvent("2026-11-26T10:00:02Z", "GetItem", Concat(kRay, R"(, "consistentRead": true)")) +
      "\n" +
      LogEvent(
          "2026-11-26T10:00:03Z", "DeleteItem",
          R"("tableName": "arn:aws:dynamodb:us-west-2:111122223333:table/n", "key": {"id": 7})");
  const auto loaded = Loaded(text, {.item_bytes = 5'000, .page_bytes = 0, .partition_keys = {}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const RecordedTrace& trace = **loaded;
  EXPECT_THAT(DescribeUses(trace),
              ElementsAre("PutItem Music 10 Ray 5000", "GetItem Music 2 Ray 5000",
                          "GetItem Music 4 Ray 5000", "DeleteItem n 10 7 5000"));
  EXPECT_TRUE(trace.is_log);
  EXPECT_EQ(trace.uses[0].hash, lab::HashPartition(Type::kString, "Ray"));
  EXPECT_EQ(trace.uses[3].hash, lab::HashPartition(Type::kNumber, "7"));
  EXPECT_EQ(trace.resources[0].key.range, (std::vector<KeyAttribute>{{"Song", Type::kString}}));
  EXPECT_EQ(trace.length, 3 * kSecond);
  EXPECT_THAT(
      trace.warnings,
      ElementsAre("log.json has no sizes: an item counts as 5000 bytes (replay.item_size), what a "
                  "Query or a Scan evaluates as 5000 (replay.page_size); nor does it say what "
                  "indexes a write changes, so that costs nothing here",
                  "the partition key of Music is taken to be Artist, the first attribute of its "
                  "keys (replay.partition_keys)"));
}

TEST(AccessLog, BatchesAndTransactions) {
  const std::string text =
      LogEvent("2026-11-26T10:00:00Z", "BatchGetItem",
               R"("requestItems": {"a": {"keys": [{"id": {"S": "x"}}, {"id": {"S": "y"}}],)"
               R"( "consistentRead": true}, "b": {"keys": [{"id": {"N": "1"}}]}})") +
      LogEvent("2026-11-26T10:00:01Z", "BatchWriteItem",
               R"("requestItems": {"a": [{"putRequest": {"key": {"id": "x"}}},)"
               R"( {"deleteRequest": {"key": {"id": "y"}}}]})") +
      LogEvent("2026-11-26T10:00:02Z", "TransactWriteItems",
               R"("requestItems": [{"operation": "Put", "tableName": "a", "key": {"id": "x"}},)"
               R"( {"operation": "ConditionCheck", "TableName": "b", "Key": {"id": 1}}])") +
      LogEvent("2026-11-26T10:00:03Z", "TransactGetItems",
               R"("transactItems": [{"get": {"tableName": "a", "key": {"id": "x"}}}])");
  const auto loaded = Loaded(text);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(DescribeUses(**loaded),
              ElementsAre("BatchGetItem a 2 x 400", "BatchGetItem a 2 y 400",
                          "BatchGetItem b 1 1 400", "BatchWriteItem a 2 x 400",
                          "BatchWriteItem a 2 y 400", "TransactWriteItems a 4 x 400",
                          "TransactWriteItems b 4 1 400 joined", "TransactGetItems a 4 x 400"));
}

TEST(AccessLog, CallsWithoutAKey) {
  const std::string text =
      LogEvent("2026-11-26T10:00:00Z", "Query",
               R"("tableName": "Music", "indexName": "by-year", "consistentRead": false)") +
      LogEvent("2026-11-26T10:00:01Z", "Scan", R"("tableName": "Music")") +
      LogEvent(
          "2026-11-26T10:00:02Z", "BatchExecuteStatement",
          R"("requestItems": [{"statement": "A"}, {"statement": "B"}])",
          R"(, "readOnly": false, "resources": [{"ARN": "arn:aws:dynamodb:r:1:table/Music"}])");
  const auto loaded = Loaded(text, {.item_bytes = 100, .page_bytes = 9'000, .partition_keys = {}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(
      DescribeUses(**loaded),
      ElementsAre("Query Music/by-year 3 ? 9000", "Scan Music 3 ? 9000",
                  "BatchExecuteStatement Music 2 ? 100", "BatchExecuteStatement Music 2 ? 100"));
  const std::vector<RecordedUse>& uses = (*loaded)->uses;
  EXPECT_NE(uses[2].hash, uses[3].hash);
  EXPECT_FALSE(uses[1].has_key);
  EXPECT_EQ(uses[3].kind, AccessKind::kWrite);
  EXPECT_EQ((*loaded)->warnings.back(),
            "log.json has no key of 1 Query, 1 Scan and 1 BatchExecuteStatement: each is taken to "
            "be on a key of its own");
}

TEST(AccessLog, FailedCalls) {
  const auto failed = [](std::string_view code) {
    return LogEvent("2026-11-26T10:00:00Z", "UpdateItem", kRay,
                    Concat(R"(, "errorCode": ")", code, "\""));
  };
  const std::string text =
      failed("ConditionalCheckFailedException") + failed("ProvisionedThroughputExceededException") +
      failed("AccessDenied") + LogEvent("2026-11-26T10:00:00Z", "DescribeTable", kRay) +
      R"({"eventSource": "s3.amazonaws.com", "eventName": "GetItem"})";
  const auto loaded = Loaded(text);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(DescribeUses(**loaded), ElementsAre("UpdateItem Music 2 Ray 400"));
  EXPECT_EQ((*loaded)->throttled, 1u);
  EXPECT_THAT(
      (*loaded)->warnings,
      ::testing::Contains("1 of the calls in log.json failed without using capacity: left out"));
  EXPECT_THAT((*loaded)->warnings,
              ::testing::Contains("2 of the calls in log.json are none on items: left out"));
}

// CloudTrail's times are whole seconds, and its files in no order.
TEST(AccessLog, RecordsAreSpreadOverTheirSeconds) {
  std::string records;
  for (const std::string_view time : {"10:00:01Z", "10:00:00Z", "10:00:01Z", "10:00:01Z",
                                      "10:00:01Z", "10:00:02.25Z", "10:00:02.25Z"}) {
    records +=
        Concat(records.empty() ? "" : ",", LogEvent(Concat("2026-11-26T", time), "GetItem", kRay));
  }
  // As a file, and as a line.
  for (const std::string& text : {Concat("{\n\"Records\": [\n", records, "]}"), [&] {
                                    std::string line = Concat("{\"Records\": [", records, "]}");
                                    std::erase(line, '\n');
                                    return line;
                                  }()}) {
    const auto loaded = Loaded(text);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    std::vector<Micros> times;
    for (const lab::RecordedRequest& request : (*loaded)->requests) times.push_back(request.at);
    EXPECT_THAT(times,
                ElementsAre(0, 1'000'000, 1'250'000, 1'500'000, 1'750'000, 2'250'000, 2'250'000));
  }
}

TEST(AccessLog, ToldPartitionKeys) {
  const auto loaded =
      Loaded(LogEvent("2026-11-26T10:00:00Z", "GetItem", kRay),
             {.item_bytes = 1, .page_bytes = 0, .partition_keys = {{"Music", "Song"}}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ((*loaded)->uses[0].hash, lab::HashPartition(Type::kString, "Blue"));
  EXPECT_EQ((*loaded)->warnings.size(), 1u);
}

TEST(AccessLog, ErrorsNameThePlace) {
  const auto error_of = [](const std::string& text, const LogAssumptions& assumptions = {}) {
    const auto loaded = Loaded(text, assumptions);
    EXPECT_FALSE(loaded.ok()) << text;
    return std::string(ToStd(loaded.status().message()));
  };
  const std::string fine = LogEvent("2026-11-26T10:00:00Z", "GetItem", kRay);
  EXPECT_EQ(error_of(fine + "\n{\"eventName\": \"GetItem\"\n"),
            "log.json:3:24: it is no JSON from here on");
  EXPECT_EQ(error_of(fine + "[]\n{}\n" + LogEvent("noon", "GetItem", kRay)),
            "log.json:2:1: it must be an object\n"
            "log.json:3:1: eventName is missing\n"
            "log.json:4:15: eventTime must be a date and time such as 2026-11-26T10:00:00Z");
  EXPECT_EQ(error_of("{\"Records\":\n 5}"), "log.json:2:2: Records must be a list of events");
  const auto of_key = [&](std::string_view key) {
    return error_of(fine + LogEvent("2026-11-26T10:00:00Z", "GetItem",
                                    Concat(R"("tableName": "Music", "key": )", key)));
  };
  EXPECT_THAT(of_key("5"), HasSubstr(": it must be the attributes of a key, one or two"));
  EXPECT_THAT(of_key("{\"Artist\": true, \"Song\": \"x\"}"),
              HasSubstr(": Artist must be a text, a number, or one of these with its type"));
  EXPECT_THAT(
      of_key("{\"Artist\": 5, \"Song\": \"x\"}"),
      HasSubstr(": it has other attributes, or others of their types, than the first key of "
                "Music, or no Artist, its partition key"));
  EXPECT_THAT(
      error_of(fine, {.item_bytes = 1, .page_bytes = 0, .partition_keys = {{"Music", "x"}}}),
      HasSubstr("or no x, its partition key"));
  EXPECT_THAT(error_of(LogEvent("2026-11-26T10:00:00Z", "Query", "")),
              HasSubstr(": tableName is missing"));
  EXPECT_EQ(error_of("\x1f\x8b\x08"), "log.json is compressed: gunzip it first");
  EXPECT_EQ(error_of(LogEvent("2026-11-26T10:00:00Z", "DescribeTable", kRay)),
            "log.json holds no request that was served, so there is nothing to replay");
}

}  // namespace
}  // namespace dynolith
