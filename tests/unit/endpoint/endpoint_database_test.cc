// What a database behind an endpoint makes of answers that no database of ours gives: parts of
// batches, words and errors of a newer service, damage. And what it refuses.
#include "api/endpoint/endpoint_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/value/attachments.h"
#include "tests/unit/endpoint/local_endpoint.h"

namespace dynolith::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kElsewhere = "https://elsewhere";

class ScriptedService final : public JsonService {
 public:
  absl::StatusOr<Answer> Call(std::string_view target, std::string_view body) override {
    requests.push_back(Concat(target.substr(target.find('.') + 1), " ", body));
    if (answers.empty()) return absl::UnavailableError("no more answers");
    Answer answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }

  std::deque<Answer> answers;
  std::vector<std::string> requests;
};

class EndpointDatabaseTest : public ::testing::Test {
 protected:
  void Answers(std::vector<std::string> bodies) {
    for (std::string& body : bodies) service_->answers.push_back({200, std::move(body)});
  }
  absl::Status Fails(int status, std::string body) {
    service_->answers.push_back({status, std::move(body)});
    return database_->DeleteItem({.table_name = "t"}).status();
  }

  std::vector<absl::Duration> slept_;
  client::Retries retries_{{.sleep = [this](absl::Duration delay) { slept_.push_back(delay); }}};
  ScriptedService* const service_ = new ScriptedService;
  const std::unique_ptr<Database> database_ = std::make_unique<EndpointDatabase>(
      std::unique_ptr<JsonService>(service_), kElsewhere, &retries_);
};

TEST_F(EndpointDatabaseTest, WhatIsNoOperationFailsAndNamesItself) {
  const std::vector<std::pair<std::string, absl::Status>> refused = {
      {"SweepExpiredItems", database_->SweepExpiredItems().status()},
      {"LoadTable", database_->LoadTable({}).status()},
      {"Checkpoint", database_->Checkpoint("/tmp/none")},
      {"SetCapacity", database_->SetCapacity("t", {})},
      {"ReportCapacity", database_->ReportCapacity("t").status()},
      {"ReportHotKeys", database_->ReportHotKeys("t", "").status()},
      {"WatchHeat", database_->WatchHeat("t", true)},
      {"ReportHeat", database_->ReportHeat("t", "", absl::Now()).status()},
      {"SetIndexShards", database_->SetIndexShards("t", "i", 2)},
      {"DescribeIndexShards", database_->DescribeIndexShards("t", "i").status()},
      {"ReportIndexes", database_->ReportIndexes("t").status()},
      {"AddFault", database_->AddFault({}).status()},
      {"HoldReads", database_->HoldReads({})},
      {"ReleaseReads", database_->ReleaseReads({})},
      {"WaitForBackfills", database_->WaitForBackfills()}};
  for (const auto& [method, status] : refused) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << method;
    EXPECT_EQ(MessageOf(status),
              Concat("Database::", method, " exists only for a database in this process, and not ",
                     "for the service at https://elsewhere"));
  }
  EXPECT_TRUE(database_->TakeBackgroundFailure().ok());
  EXPECT_FALSE(database_->RemoveFault(1));
  database_->RemoveFaults();
  EXPECT_TRUE(database_->ListFaults().empty());
  EXPECT_TRUE(database_->ReportUse().empty());
  EXPECT_TRUE(database_->DescribeStaleness().rules.empty());
  EXPECT_EQ(database_->TakeStatistics().tables, 0);
  EXPECT_TRUE(service_->requests.empty());
}

TEST_F(EndpointDatabaseTest, AnInterruptedOneWalksNoTable) {
  database_->Interrupt();
  EXPECT_EQ(MessageOf(database_->Scan({.table_name = "t"}).status()),
            "The server is shutting down");
  Answers({"{}"});
  EXPECT_TRUE(database_->PutItem({.table_name = "t"}).ok());
}

TEST_F(EndpointDatabaseTest, WritesThatWereLeftOutFollow) {
  Answers({R"({"UnprocessedItems":{"t":[{"PutRequest":{"Item":{"pk":{"S":"b"}}}},
                                        {"DeleteRequest":{"Key":{"pk":{"S":"c"}}}}]},
               "ConsumedCapacity":[{"TableName":"t","CapacityUnits":1.0}]})",
           R"({"UnprocessedItems":{"t":[{"DeleteRequest":{"Key":{"pk":{"S":"c"}}}}]},
               "ConsumedCapacity":[{"TableName":"t","CapacityUnits":2.0}]})",
           R"({"ConsumedCapacity":[{"TableName":"t","CapacityUnits":4.0}]})"});
  const auto output =
      database_->BatchWriteItem({.request_items = {{"t",
                                                    {{.put = Item{{"pk", Value::S("a")}}},
                                                     {.put = Item{{"pk", Value::S("b")}}},
                                                     {.delete_key = Item{{"pk", Value::S("c")}}}}}},
                                 .return_consumed_capacity = ReturnConsumedCapacity::kTotal});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_TRUE(output->unprocessed_items.empty());
  ASSERT_EQ(output->consumed_capacity.size(), 1u);
  EXPECT_EQ(output->consumed_capacity[0].capacity_units, 7.0);
  ASSERT_EQ(service_->requests.size(), 3u);
  EXPECT_EQ(service_->requests[2],
            R"(BatchWriteItem {"RequestItems":{"t":[{"DeleteRequest":{"Key":{"pk":{"S":"c"}}}}]},)"
            R"("ReturnConsumedCapacity":"TOTAL"})");
  ASSERT_EQ(slept_.size(), 2u);
  for (const absl::Duration delay : slept_) EXPECT_LE(delay, absl::Seconds(1));
}

TEST_F(EndpointDatabaseTest, WritesThatAreNeverDoneAreReturned) {
  const std::string none = R"({"UnprocessedItems":{"t":[{"PutRequest":{"Item":{}}}]}})";
  Answers({none, none, none, none});
  const auto output = database_->BatchWriteItem({.request_items = {{"t", {{.put = Item()}}}}});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->unprocessed_items.size(), 1u);
  EXPECT_EQ(service_->requests.size(), 4u);
}

TEST_F(EndpointDatabaseTest, KeysThatWereLeftOutFollow) {
  Answers({R"({"Responses":{"b":[{"pk":{"S":"1"}}]},
               "UnprocessedKeys":{"a":{"Keys":[{"pk":{"S":"2"}}],"ConsistentRead":true}}})",
           R"({"Responses":{"a":[{"pk":{"S":"2"}}]}})"});
  BatchGetItemRequest request{.request_items = {{"a", {}}, {"b", {}}}};
  request.request_items[0].second.keys = {{{"pk", Value::S("2")}}};
  request.request_items[1].second.keys = {{{"pk", Value::S("1")}}};
  std::vector<size_t> tables;
  const auto output =
      database_->BatchGetItem(request, [&](size_t table, ItemView) { tables.push_back(table); });
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_TRUE(output->unprocessed_keys.empty());
  EXPECT_THAT(tables, ElementsAre(0, 1));
  EXPECT_EQ(service_->requests[1],
            R"(BatchGetItem {"RequestItems":{"a":{"Keys":[{"pk":{"S":"2"}}],)"
            R"("ConsistentRead":true}}})");
}

TEST_F(EndpointDatabaseTest, ItemsOfATableThatWasNotAskedForAreAnError) {
  Answers({R"({"Responses":{"x":[{"pk":{"S":"1"}}]}})"});
  EXPECT_EQ(
      database_->BatchGetItem({.request_items = {{"a", {}}}}).status(),
      absl::DataLossError("the answer of https://elsewhere to BatchGetItem cannot be read: it has "
                          "items of x, which was not asked for"));
}

TEST_F(EndpointDatabaseTest, ErrorsKeepTheirKindsWordsAndParts) {
  const absl::Status throttled = Fails(400, R"({"__type":"a#ThrottlingException","message":"slow",
                     "throttlingReasons":[{"reason":"r","resource":"arn"}]})");
  EXPECT_TRUE(IsThrottled(throttled));
  ASSERT_EQ(AttachedThrottling(throttled).size(), 1u);
  EXPECT_EQ(AttachedThrottling(throttled)[0].resource, "arn");
  const absl::Status unknown =
      Fails(400, R"({"__type":"a#ReplicaNotFoundException","Message":"twice"})");
  EXPECT_EQ(unknown, absl::UnknownError("ReplicaNotFoundException: twice"));
  EXPECT_EQ(Fails(500, R"({"__type":"InternalFailure"})"),
            absl::UnavailableError("InternalFailure"));
  EXPECT_EQ(Fails(502, "<html>"),
            absl::UnavailableError("an answer with status 502 and without the "
                                   "name of an error"));
  EXPECT_EQ(Fails(404, R"({"message":"?"})").code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(database_->PutItem({}).status(), absl::UnavailableError("no more answers"));
}

TEST_F(EndpointDatabaseTest, AnswersOfANewerServiceAreReadAsFarAsTheyAreKnown) {
  Answers({R"({"Table":{"TableName":"t","TableStatus":"ACTIVE","New":{"a":[1]},
               "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"ALL_OF_IT"}}})",
           R"({"Table":{"TableName":"t","TableStatus":"RESTING"}})"});
  const auto table = database_->DescribeTable({.table_name = "t"});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(table->stream_specification->stream_enabled);
  EXPECT_EQ(table->stream_specification->stream_view_type, std::nullopt);
  EXPECT_EQ(MessageOf(database_->DescribeTable({.table_name = "t"}).status()),
            "the answer of https://elsewhere to DescribeTable cannot be read: \"RESTING\" is no "
            "TableStatus that this version knows");
}

TEST_F(EndpointDatabaseTest, DamagedAnswersAreErrors) {
  const std::vector<std::pair<std::string, std::string>> damaged = {
      {"", "is not a JSON object"},
      {"[]", "is not a JSON object"},
      {R"({"Item":{"pk":{"S":"a"}})", "is not a JSON object"},
      {R"({"Item":[]})", "has another form"},
      {R"({"Item":{"pk":{"B":"?"}}})", "has another form"},
      {R"({"Item":{"pk":{"N":"x"}}})", "cannot be converted to a numeric value"},
      {R"({"Item":{"pk":{"S":"a","N":"1"}}})", "more than one datatypes"},
      {R"({"Item":{"pk":{}}})", "Supplied AttributeValue is empty"}};
  for (const auto& [body, reason] : damaged) {
    Answers({body});
    const absl::Status status = database_->GetItem({.table_name = "t"}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << body;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(reason)) << body;
  }
  Answers({"{}"});
  EXPECT_THAT(database_->DescribeTable({.table_name = "t"}).status().ToString(),
              HasSubstr("the answer has no Table"));
}

TEST_F(EndpointDatabaseTest, APageEndsOnlyWhereAnotherCanBegin) {
  const std::string page = R"({"Items":[{"n":{"N":"1"}},{"n":{"N":"2"}}],"Count":2,"ScannedCount":9,
                               "LastEvaluatedKey":{"pk":{"S":"z"}}})";
  Answers({page, page});
  ScanRequest request{.table_name = "t", .filter_expression = "n > :n"};
  const auto stop = [](ItemView) { return SinkAnswer::kStop; };
  const absl::Status ended = database_->Scan(request, stop).status();
  EXPECT_EQ(ended.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(MessageOf(ended)), HasSubstr("without its key attribute pk"));
  // At its last item it is the service that has ended it.
  int items = 0;
  const auto whole = database_->Scan(
      request, [&](ItemView) { return ++items == 2 ? SinkAnswer::kStop : SinkAnswer::kContinue; });
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->scanned_count, 9);
  EXPECT_EQ(whole->last_evaluated_key, (Item{{"pk", Value::S("z")}}));
}

TEST_F(EndpointDatabaseTest, AFilteredPageKeepsWhatTheServiceHasScanned) {
  Answers({R"({"Items":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}],"Count":2,"ScannedCount":9,
               "LastEvaluatedKey":{"pk":{"S":"z"}}})"});
  const auto page = database_->Scan({.table_name = "t", .filter_expression = "n > :n"},
                                    [](ItemView) { return SinkAnswer::kStop; });
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->count, 1);
  EXPECT_EQ(page->scanned_count, 9);
  EXPECT_EQ(page->last_evaluated_key, (Item{{"pk", Value::S("a")}}));
}

TEST_F(EndpointDatabaseTest, VectorsAreWrittenSoThatTheyAreReadAsTheSame) {
  Answers({R"({"Results":[],"Count":0})"});
  database_
      ->SearchVectors({.table_name = "t",
                       .index_name = "i",
                       .search_vector = {0.1f, -1e-30f, 16777216.0f, 0.0f},
                       .top_k = 1})
      .IgnoreError();
  EXPECT_THAT(service_->requests[0],
              HasSubstr(R"("SearchVector":[{"N":"0.1"},{"N":"-1e-30"},{"N":"16777216"},)"
                        R"({"N":"0"}])"));
}

// They are for the service to refuse.
TEST_F(EndpointDatabaseTest, MembersOfWhichOnlyThePresenceIsKnownAreSent) {
  Answers({"{}"});
  CreateTableRequest request{.table_name = "t"};
  request.has_global_table_source = true;
  database_->CreateTable(request).IgnoreError();
  EXPECT_EQ(service_->requests[0], R"(CreateTable {"TableName":"t","GlobalTableSourceArn":""})");
}

TEST(EndpointOptions, ExcludeThoseOfADatabaseInThisProcess) {
  const auto opened = [](DatabaseOptions options) {
    options.endpoint = "http://127.0.0.1:9";
    return Database::Open(options).status();
  };
  EXPECT_EQ(
      opened({.path = "/tmp/none"}),
      absl::InvalidArgumentError("DatabaseOptions::path is of a database in this process, and "
                                 "`endpoint` names a service elsewhere: set one of them"));
  ManualClock clock(absl::Now());
  const std::vector<std::pair<std::string, DatabaseOptions>> excluded = {
      {"in_memory", {.in_memory = true}},
      {"sync_commits", {.sync_commits = true}},
      {"encryption_key", {.encryption_key = "env:KEY"}},
      {"memory_budget_bytes", {.item_cache_bytes = 1}},
      {"region", {.region = "eu-west-1"}},
      {"clock", {.clock = &clock}},
      {"ttl_sweep_period", {.ttl_sweep_period = absl::Hours(1)}},
      {"table_delays", {.table_delays = {.index = absl::Seconds(1)}}},
      {"capacity", {.capacity = {.scale = 2}}},
      {"control_rates", {.control_rates = {.changes = 2}}},
      {"staleness", {.staleness = {.seed = 1}}},
      {"vector_search", {.vector_search = VectorSearch::kApproximate}},
      {"read_only", {.read_only = true}}};
  for (const auto& [name, options] : excluded) {
    EXPECT_THAT(std::string(MessageOf(opened(options))), HasSubstr("DatabaseOptions::" + name));
  }
  EXPECT_TRUE(opened({}).ok());
  EXPECT_THAT(Database::Open({.endpoint = "ftp://x"}).status().ToString(),
              HasSubstr("ftp://x is no server's address"));
  EXPECT_THAT(Database::Open({.endpoint = "https://localhost:9", .endpoint_certificates = "/none"})
                  .status()
                  .ToString(),
              HasSubstr("no certificates in /none"));
}

TEST(EndpointProcesses, AChildLeavesTheConnectionsToItsParent) {
  const LocalEndpoint endpoint;
  std::unique_ptr<Database> database = Database::Open({.endpoint = endpoint.url()}).value();
  ASSERT_TRUE(database->ListTables({}).ok());
  const pid_t child = fork();
  if (child == 0) {
    const bool is_refused = KindOf(database->ListTables({}).status()) == ErrorKind::kAccessDenied &&
                            KindOf(database->Checkpoint("/tmp/none")) == ErrorKind::kAccessDenied &&
                            KindOf(database->TakeBackgroundFailure()) == ErrorKind::kAccessDenied;
    database.reset();
    _exit(is_refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(database->ListTables({}).ok());
}

}  // namespace
}  // namespace dynolith::testing
