// The request that follows a table's changes: what it answers, and what it refuses. The order of
// changes is for tests/unit/api/stream/changes_test.cc.
#include "api/service/changes_admin.h"

#include <memory>
#include <string>

#include "dynolith/database.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class ChangesAdminTest : public ::testing::Test {
 protected:
  ChangesAdminTest() {
    for (const bool has_stream : {true, false}) {
      CreateTableRequest request{.table_name = has_stream ? "songs" : "plain",
                                 .attribute_definitions = {{{"pk"}}},
                                 .key_schema = {{{"pk"}}},
                                 .billing_mode = BillingMode::kPayPerRequest};
      if (has_stream) request.stream_specification = {true, StreamViewType::kKeysOnly};
      EXPECT_TRUE(database_->CreateTable(request).ok());
    }
  }

  JsonResponse Ask(std::string query, std::string_view method = "GET") {
    JsonResponse answer;
    ChangesAdmin(database_.get())
        .Answer({.method = method, .path = "/_dynolith/changes", .query = query}, &answer);
    return answer;
  }
  std::string Refused(const std::string& query, int status) {
    const JsonResponse answer = Ask(query);
    EXPECT_EQ(answer.http_status, status) << query << answer.body;
    return answer.body;
  }
  void Put(const std::string& pk) {
    EXPECT_TRUE(database_->PutItem({.table_name = "songs", .item = {{"pk", Value::S(pk)}}}).ok());
  }
  // The text of the last member of that name.
  static std::string Member(const std::string& body, const std::string& name) {
    const std::string key = "\"" + name + "\":\"";
    const size_t begin = body.rfind(key) + key.size();
    return body.substr(begin, body.find('"', begin) - begin);
  }

  const std::unique_ptr<Database> database_ = *Database::Open({.in_memory = true});
};

TEST_F(ChangesAdminTest, APlaceGoesOn) {
  const std::string now = Ask("table=songs").body;
  EXPECT_THAT(now, MatchesRegex(R"(\{"from":"[-_0-9A-Za-z]+","changes":\[\],"place":"[^"]+"\})"));
  const std::string place = Member(now, "place");
  EXPECT_EQ(Member(now, "from"), place);
  EXPECT_EQ(Ask("table=songs&wait=0.01&after=" + place).body, now);
  Put("a");
  Put("b");
  const std::string first = Ask("table=songs&most=1&wait=1&after=" + place).body;
  EXPECT_THAT(first, HasSubstr(R"("Keys":{"pk":{"S":"a"}})"));
  EXPECT_THAT(first, HasSubstr(R"("eventName":"INSERT")"));
  const std::string second = Ask("table=songs&after=" + Member(first, "place")).body;
  EXPECT_THAT(second, HasSubstr(R"("Keys":{"pk":{"S":"b"}})"));
  const std::string oldest = Ask("table=songs&oldest=true").body;
  EXPECT_THAT(oldest, HasSubstr(R"("S":"a")"));
  EXPECT_EQ(Member(oldest, "place"), Member(second, "place"));
  ASSERT_TRUE(database_->DeleteTable({.table_name = "songs"}).ok());
  EXPECT_THAT(Ask("table=songs&after=" + place).body, HasSubstr(R"("S":"b")"));
  EXPECT_THAT(Ask("table=songs&after=" + Member(second, "place")).body,
              HasSubstr(R"("changes":[],)"));
  EXPECT_THAT(Ask("table=songs&after=" + Member(second, "place")).body,
              HasSubstr(R"("ended":true)"));
}

TEST_F(ChangesAdminTest, RefusesInWords) {
  EXPECT_THAT(Refused("", 400), HasSubstr("wants the parameter table"));
  EXPECT_THAT(Refused("table=none", 404), HasSubstr("none not found"));
  EXPECT_THAT(Refused("table=plain", 400), HasSubstr("has no stream"));
  EXPECT_THAT(Refused("table=songs&after=there", 400), HasSubstr("is no place"));
  EXPECT_THAT(Refused("table=songs&oldest=yes", 400), HasSubstr("true or false"));
  for (const char* most : {"0", "1001", "x", "-1", "nan", ""}) {
    EXPECT_THAT(Refused(std::string("table=songs&most=") + most, 400), HasSubstr("from 1 to 1000"));
  }
  for (const char* wait : {"-1", "1.5", "inf", "1s"}) {
    EXPECT_THAT(Refused(std::string("table=songs&wait=") + wait, 400), HasSubstr("from 0 to 1"));
  }
  EXPECT_THAT(Refused("table=songs&limit=1", 400), HasSubstr("no parameter limit"));
  EXPECT_EQ(Ask("table=songs", "POST").http_status, 405);
}

}  // namespace
}  // namespace dynolith
