// What is recorded for those who look at /_dynolith/heat, in which words, and when it ends.
#include "api/service/heat_admin.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace dynolith {
namespace {

class HeatAdminTest : public ::testing::Test {
 protected:
  HeatAdminTest()
      : database_(Database::Open({.in_memory = true, .clock = &clock_}).value()),
        admin_(database_.get(), [this] { return now_; }) {
    CreateTable("music");
  }

  void CreateTable(const std::string& name) {
    CreateTableRequest request{.table_name = name,
                               .attribute_definitions = {{{"pk"}, {"g"}}},
                               .key_schema = {{{"pk"}}},
                               .billing_mode = BillingMode::kPayPerRequest};
    SecondaryIndex index{.index_name = "by-g", .key_schema = {{"g"}}};
    index.projection.projection_type = ProjectionType::kKeysOnly;
    request.global_secondary_indexes.emplace().push_back(index);
    ASSERT_TRUE(database_->CreateTable(request).ok());
  }
  void Put(const std::string& key) {
    ASSERT_TRUE(database_
                    ->PutItem({.table_name = "music",
                               .item = {{"pk", Value::S(key)}, {"g", Value::S("x")}}})
                    .ok());
  }
  JsonResponse Ask(std::string_view method, std::string_view target, std::string_view body = "") {
    AdminRequest request;
    request.method = method;
    const size_t question = target.find('?');
    request.path = target.substr(0, question);
    if (question != std::string_view::npos) request.query = target.substr(question + 1);
    request.body = body;
    JsonResponse answer;
    admin_.Answer(request, &answer);
    return answer;
  }
  std::string Get(std::string_view query) {
    return Ask("GET", "/_dynolith/heat?" + std::string(query)).body;
  }
  int Watch(const std::string& table) {
    return Ask("POST", "/_dynolith/heat", R"({"table": ")" + table + R"("})").http_status;
  }
  bool IsWatched(const std::string& table) {
    return Get("table=" + table).find(R"("watched":true)") != std::string::npos;
  }

  ManualClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  HeatAdmin::Time now_;
  std::unique_ptr<Database> database_;
  HeatAdmin admin_;
};

TEST_F(HeatAdminTest, WhoAsksIsShownWhatComesThen) {
  Put("before");
  EXPECT_EQ(Get("table=music"),
            R"({"table":"music","watched":false,"now":1700000000,"slot_seconds":2,)"
            R"("slots_max":300,"buckets":1000,"slots":[]})");
  EXPECT_EQ(Ask("POST", "/_dynolith/heat", R"({"table": "music"})").body,
            R"({"table":"music","seconds":60})");
  Put("Ray");
  clock_.Advance(absl::Seconds(3));
  Put("Ray");
  constexpr std::string_view kNone =
      R"({"operations":0,"units":0.0,"bytes":0,"refused":{"provisioned":0,"key_range":0,"max_on_demand":0,)"
      R"("account":0}})";
  const std::string first = Get("table=music");
  EXPECT_NE(first.find(R"("slots":[{"at":1700000000,"reads":)" + std::string(kNone) +
                       R"(,"writes":{"operations":1,"units":1.0,"bytes":7,)"),
            std::string::npos)
      << first;
  // One cell of one slot, after another of the same.
  EXPECT_NE(first.find(R"(,1,1.0,0,7]]},{"at":1700000002,)"), std::string::npos) << first;
  const std::string since = Get("table=music&since=1700000002");
  EXPECT_EQ(since.find(R"("at":1700000000)"), std::string::npos) << since;
  EXPECT_NE(since.find(R"("at":1700000002)"), std::string::npos) << since;
  // The same put again changes no entry.
  const std::string index = Get("table=music&index=by-g");
  EXPECT_NE(index.find(R"("index":"by-g","watched":true)"), std::string::npos) << index;
  EXPECT_NE(index.find(R"("at":1700000000)"), std::string::npos) << index;
  EXPECT_EQ(index.find(R"("at":1700000002)"), std::string::npos) << index;
  // Hot keys are watched, too.
  EXPECT_EQ(database_->ReportHotKeys("music", "")->all.accessed_partition_keys.size(), 1U);
}

TEST_F(HeatAdminTest, EndsAMinuteAfterTheLastWhoAsked) {
  EXPECT_EQ(Watch("music"), 200);
  now_ += std::chrono::seconds(59);
  admin_.EndIdle();
  EXPECT_TRUE(IsWatched("music"));
  EXPECT_EQ(Watch("music"), 200);
  now_ += std::chrono::seconds(59);
  admin_.EndIdle();
  EXPECT_TRUE(IsWatched("music"));
  now_ += std::chrono::seconds(1);
  admin_.EndIdle();
  EXPECT_FALSE(IsWatched("music"));
  EXPECT_FALSE(database_->ReportHotKeys("music", "")->is_watched);
}

TEST_F(HeatAdminTest, OfSoManyTablesAtOnce) {
  EXPECT_EQ(Watch("music"), 200);
  for (size_t i = 0; i < HeatAdmin::kTablesMax; ++i) {
    EXPECT_TRUE(IsWatched("music"));
    now_ += std::chrono::seconds(1);
    const std::string name = "table" + std::to_string(i);
    CreateTable(name);
    EXPECT_EQ(Watch(name), 200);
    EXPECT_TRUE(IsWatched(name));
  }
  EXPECT_FALSE(IsWatched("music"));
  EXPECT_TRUE(IsWatched("table0"));
}

TEST_F(HeatAdminTest, FollowsTheTable) {
  EXPECT_EQ(Watch("music"), 200);
  Put("Ray");
  UpdateTableRequest request{.table_name = "music", .attribute_definitions = {{{"pk"}, {"h"}}}};
  SecondaryIndex index{.index_name = "by-h", .key_schema = {{"h"}}};
  index.projection.projection_type = ProjectionType::kKeysOnly;
  GlobalSecondaryIndexUpdate update;
  update.create = index;
  request.global_secondary_index_updates = {{update}};
  ASSERT_TRUE(database_->UpdateTable(request).ok());
  EXPECT_NE(Get("table=music").find(R"("at":1700000000)"), std::string::npos) << "what was is kept";
  EXPECT_NE(Get("table=music&index=by-h").find(R"("watched":true)"), std::string::npos);
}

TEST_F(HeatAdminTest, SurvivesTheEndOfATable) {
  EXPECT_EQ(Watch("music"), 200);
  ASSERT_TRUE(database_->DeleteTable({.table_name = "music"}).ok());
  EXPECT_EQ(Ask("GET", "/_dynolith/heat?table=music").http_status, 404);
  now_ += std::chrono::seconds(90);
  admin_.EndIdle();
  CreateTable("music");
  EXPECT_FALSE(IsWatched("music"));
}

TEST_F(HeatAdminTest, WhatMakesNoSense) {
  const auto error = [&](std::string_view method, std::string_view query, std::string_view body,
                         int status) {
    const JsonResponse answer = Ask(method, "/_dynolith/heat" + std::string(query), body);
    EXPECT_EQ(answer.http_status, status) << query << body;
    return answer.body;
  };
  EXPECT_EQ(error("GET", "", "", 400), R"({"error":"/_dynolith/heat wants the parameter table"})");
  EXPECT_EQ(error("GET", "?table=music&slots=1", "", 400),
            R"({"error":"/_dynolith/heat has no parameter slots"})");
  EXPECT_EQ(
      error("GET", "?table=music&since=noon", "", 400),
      R"({"error":"neither a time such as 2026-01-31T12:00:00Z nor seconds since 1970 before )"
      R"(2200: noon"})");
  error("GET", "?table=music&index=none", "", 404);
  error("GET", "?table=none", "", 404);
  error("GET", "?table=music", "x", 400);
  error("PUT", "", "", 405);
  EXPECT_EQ(error("POST", "", "x", 400),
            R"({"error":"the body is no JSON object; an example: {\"table\": \"music\"}"})");
  EXPECT_EQ(error("POST", "", R"({"tables": "music"})", 400),
            R"({"error":"the body needs the member \"table\", and no other; an example: )"
            R"({\"table\": \"music\"}"})");
  error("POST", "", R"({"table": 5})", 400);
  error("POST", "", R"({"table": "none"})", 404);
}

}  // namespace
}  // namespace dynolith
