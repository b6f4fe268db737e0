// Mappings from options: every member by the service's name, and each mistake in plain words.
#include "tools/server/targets/mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/errors.h"
#include "tools/server/targets/target_url.h"

namespace dynolith::targets {
namespace {

using ::testing::HasSubstr;

const char* const kOrders = "orders=http://127.0.0.1:9001/";

TEST(Mapping, AnOptionAlone) {
  const auto mapping = ParseOnStream("orders=exec:./handle.sh --x=1");
  ASSERT_TRUE(mapping.ok()) << mapping.status();
  EXPECT_EQ(mapping->table, "orders");
  EXPECT_EQ(mapping->target, "exec:./handle.sh --x=1");
  EXPECT_EQ(mapping->batch_size, 100);
  EXPECT_EQ(mapping->start, StartingPosition::kTrimHorizon);
  EXPECT_EQ(mapping->retries_max, -1);
  for (const char* const wrong : {"", "orders", "=http://x", "orders=", "orders=ftp://x",
                                  "orders=exec:", "orders=http://", "orders=http://a b/"}) {
    EXPECT_EQ(ParseOnStream(wrong).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
  EXPECT_FALSE(ReadMappings({kOrders, kOrders}, "").ok());
}

TEST(Mapping, TheAddressOfATarget) {
  EXPECT_EQ(SplitTargetUrl("http://h:1")->path, kInvocationsPath);
  EXPECT_EQ(SplitTargetUrl("http://h:1/")->path, kInvocationsPath);
  EXPECT_EQ(SplitTargetUrl("http://h:1/a/b?c=d")->path, "/a/b?c=d");
  EXPECT_EQ(SplitTargetUrl("http://h:1/a/b?c=d")->address.authority, "h:1");
  EXPECT_FALSE(SplitTargetUrl("http:///a"));
  EXPECT_FALSE(SplitTargetUrl("http://h/a\r\nX: y"));
}

TEST(Mapping, EveryMember) {
  const auto mappings = ParseMappings({kOrders}, R"([{
    "EventSourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/orders/stream/2026",
    "Enabled": false, "BatchSize": 7, "MaximumBatchingWindowInSeconds": 300,
    "StartingPosition": "AT_TIMESTAMP", "StartingPositionTimestamp": "2026-01-31T12:00:00Z",
    "FilterCriteria": {"Filters": [{"Pattern": "{\"eventName\": [\"INSERT\"]}"}]},
    "ParallelizationFactor": 10, "BisectBatchOnFunctionError": true,
    "MaximumRecordAgeInSeconds": 60, "MaximumRetryAttempts": 0,
    "FunctionResponseTypes": ["ReportBatchItemFailures"],
    "DestinationConfig": {"OnFailure": {"Destination": "failed.jsonl"}},
    "TumblingWindowInSeconds": 0, "TimeoutInSeconds": 900}])");
  ASSERT_TRUE(mappings.ok()) << mappings.status();
  ASSERT_EQ(mappings->size(), 1u);
  const Mapping& mapping = mappings->front();
  EXPECT_EQ(mapping.target, "http://127.0.0.1:9001/");
  EXPECT_FALSE(mapping.enabled);
  EXPECT_EQ(mapping.batch_size, 7);
  EXPECT_EQ(mapping.batching_window, absl::Seconds(300));
  EXPECT_EQ(mapping.start, StartingPosition::kAtTimestamp);
  EXPECT_EQ(absl::ToUnixSeconds(mapping.start_time), 1769860800);
  EXPECT_FALSE(mapping.filters.empty());
  EXPECT_EQ(mapping.lanes, 10);
  EXPECT_TRUE(mapping.bisects);
  EXPECT_EQ(mapping.age_max, absl::Seconds(60));
  EXPECT_EQ(mapping.retries_max, 0);
  EXPECT_TRUE(mapping.reports_failures);
  EXPECT_EQ(mapping.on_failure, "failed.jsonl");
  EXPECT_EQ(mapping.timeout, absl::Seconds(900));
}

TEST(Mapping, AFileMayNameTargetsOfItsOwn) {
  const auto mappings = ParseMappings({kOrders}, R"([
    {"EventSourceArn": "orders", "FunctionName": "exec:cat", "BatchSize": 1},
    {"EventSourceArn": "music", "FunctionName": "exec:cat"}])");
  ASSERT_TRUE(mappings.ok()) << mappings.status();
  ASSERT_EQ(mappings->size(), 3u);
  EXPECT_EQ((*mappings)[0].batch_size, 100);
  EXPECT_EQ((*mappings)[1].batch_size, 1);
  EXPECT_EQ((*mappings)[2].table, "music");
}

TEST(Mapping, MistakesAreNamedWithTheirPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"{", "no JSON: line 1"},
      {"[1]", "wants an object like the input of CreateEventSourceMapping"},
      {"{}", "line 1: EventSourceArn: is missing"},
      {"{\"EventSourceArn\": \"orders\",\n\"BatchSze\": 1}", "line 2: BatchSze: there is no such"},
      {R"({"EventSourceArn": "orders", "BatchSize": 1, "BatchSize": 2})",
       "BatchSize: is there twice"},
      {R"({"EventSourceArn": "music"})", "what the stream of music calls"},
      {R"([{"EventSourceArn": "orders"}, {"EventSourceArn": "orders"}])", "mapping of orders"},
      {R"({"EventSourceArn": "orders", "FunctionName": "my-function"})",
       "my-function is no target"},
      {R"({"EventSourceArn": "orders", "BatchSize": 0})", "from 1 to 10000"},
      {R"({"EventSourceArn": "orders", "BatchSize": "10"})", "from 1 to 10000"},
      {R"({"EventSourceArn": "orders", "MaximumRecordAgeInSeconds": 59})", "wants -1"},
      {R"({"EventSourceArn": "orders", "MaximumRetryAttempts": 10001})", "wants -1"},
      {R"({"EventSourceArn": "orders", "Enabled": 1})", "true or false"},
      {R"({"EventSourceArn": "orders", "StartingPosition": "NOW"})", "TRIM_HORIZON, LATEST"},
      {R"({"EventSourceArn": "orders", "StartingPosition": "AT_TIMESTAMP"})",
       "wants StartingPositionTimestamp"},
      {R"({"EventSourceArn": "orders", "StartingPositionTimestamp": 1})", "nothing else has it"},
      {R"({"EventSourceArn": "orders", "FilterCriteria": {"Filters": [{"Pattern": {}}]}})",
       "a pattern's JSON as a text"},
      {R"({"EventSourceArn": "orders", "FilterCriteria": {"Filters": [{"Pattern": "{}"}]}})",
       "no field"},
      {R"({"EventSourceArn": "orders", "FunctionResponseTypes": ["x"]})",
       "ReportBatchItemFailures"},
      {R"({"EventSourceArn": "orders", "DestinationConfig": {"OnSuccess": {}}})", "OnFailure"},
      {R"({"EventSourceArn": "orders", "TumblingWindowInSeconds": 10, "ParallelizationFactor": 2})",
       "ParallelizationFactor 1"},
  };
  for (const auto& [text, words] : cases) {
    const auto mappings = ParseMappings({kOrders}, text);
    ASSERT_FALSE(mappings.ok()) << text;
    EXPECT_THAT(std::string(MessageOf(mappings.status())), HasSubstr(words)) << text;
  }
  EXPECT_THAT(std::string(MessageOf(ReadMappings({}, "/no/such/file").status())),
              HasSubstr("--stream-targets /no/such/file: No such file"));
}

}  // namespace
}  // namespace dynolith::targets
