// A database behind an endpoint: the answers are those of a database in this process, which is
// behind a server that loses, delays and refuses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <string_view>

#include "dynolith/dynolith.h"
#include "engine/base/strings.h"
#include "tests/unit/remote/scripted_server.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;
using testing::ScriptedAnswer;
using testing::ScriptedServer;

constexpr std::string_view kMakeTable =
    R"({"TableName":"counts","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST",)"
    R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})";
constexpr std::string_view kAddInTransaction =
    R"({"TransactItems":[{"Update":{"TableName":"counts","Key":{"pk":{"S":"a"}},)"
    R"("UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}}}]})";
constexpr std::string_view kRead = R"({"TableName":"counts","Key":{"pk":{"S":"a"}}})";

std::string EndpointErrorText(dynolith_error* error) {
  if (error == nullptr) return "";
  std::string text = Concat(dynolith_error_kind(error), ": ", dynolith_error_message(error));
  dynolith_error_free(error);
  return text;
}

enum class Mishap { kNone, kLostAnswer, kServerError, kThrottled };

class EndpointTest : public ::testing::Test {
 protected:
  EndpointTest() {
    EXPECT_EQ(EndpointErrorText(dynolith_open(nullptr, 0, &local_)), "");
    const std::string options = Concat(R"({"endpoint":")", server_.url(), "\"}");
    EXPECT_EQ(EndpointErrorText(dynolith_open(options.data(), options.size(), &remote_)), "");
  }
  ~EndpointTest() override {
    dynolith_response_free(&response_);
    dynolith_response_free(&behind_);
    dynolith_close(remote_);
    dynolith_close(local_);
  }

  // Does the call, and answers unless something happens first or then.
  ScriptedAnswer Answer(const std::string& request) {
    targets_.push_back(Part(request, "X-Amz-Target: ", "\r\n"));
    const std::string body = request.substr(request.find("\r\n\r\n") + 4);
    Mishap mishap = Mishap::kNone;
    if (!mishaps_.empty()) {
      mishap = mishaps_.front();
      mishaps_.pop_front();
    }
    if (mishap == Mishap::kServerError) return {.status = 503};
    if (mishap == Mishap::kThrottled) {
      return {.status = 400, .body = R"({"__type":"x#ThrottlingException"})"};
    }
    dynolith_call(local_, targets_.back().data(), targets_.back().size(), body.data(), body.size(),
                  &behind_);
    return {.status = behind_.status,
            .body = {behind_.body, behind_.body_size},
            .headers = Concat("x-amzn-RequestId: ", behind_.request_id, "\r\n"),
            .is_lost = mishap == Mishap::kLostAnswer};
  }
  static std::string Part(const std::string& text, std::string_view before,
                          std::string_view after) {
    const size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find(after, begin) - begin);
  }

  std::string Call(dynolith_database* database, std::string_view target, std::string_view body) {
    dynolith_call(database, target.data(), target.size(), body.data(), body.size(), &response_);
    return Concat(response_.status, " ", std::string_view(response_.body, response_.body_size));
  }

  dynolith_database* local_ = nullptr;
  dynolith_database* remote_ = nullptr;
  dynolith_response response_ = DYNOLITH_RESPONSE_INIT;
  dynolith_response behind_ = DYNOLITH_RESPONSE_INIT;
  std::deque<std::string> targets_;
  std::deque<Mishap> mishaps_;
  ScriptedServer server_{[this](const std::string& request) { return Answer(request); }};
};

TEST_F(EndpointTest, AnswersAreThoseOfTheService) {
  EXPECT_THAT(Call(remote_, "CreateTable", kMakeTable), HasSubstr("200 {\"TableDescription\""));
  EXPECT_STREQ(response_.request_id, behind_.request_id);
  EXPECT_EQ(response_.crc32, behind_.crc32);
  Call(remote_, "PutItem", R"({"TableName":"counts","Item":{"pk":{"S":"a"},"n":{"N":"007"}}})");
  EXPECT_EQ(response_.error, nullptr);
  EXPECT_EQ(Call(remote_, "GetItem", kRead), R"(200 {"Item":{"n":{"N":"7"},"pk":{"S":"a"}}})");
  EXPECT_EQ(Call(remote_, "GetItem", kRead), Call(local_, "GetItem", kRead));
  for (const std::string_view body : {"{", "{}", R"({"TableName":"none","Key":{}})"}) {
    EXPECT_EQ(Call(remote_, "GetItem", body), Call(local_, "GetItem", body));
  }
  EXPECT_STREQ(response_.error, "ResourceNotFoundException");
  EXPECT_EQ(Call(remote_, "NoSuchCall", "{}"), Call(local_, "NoSuchCall", "{}"));
}

TEST_F(EndpointTest, TargetsOfStreamsAreOfAnotherService) {
  Call(remote_, "ListStreams", "{}");
  Call(remote_, "DynamoDBStreams_20120810.ListStreams", "{}");
  Call(remote_, "DynamoDB_20120810.ListTables", "{}");
  EXPECT_THAT(targets_, ::testing::ElementsAre("DynamoDBStreams_20120810.ListStreams",
                                               "DynamoDBStreams_20120810.ListStreams",
                                               "DynamoDB_20120810.ListTables"));
}

// An answer that is lost leaves nobody in the dark: the transaction is repeated, and happens once.
TEST_F(EndpointTest, MishapsAreOvercome) {
  Call(local_, "CreateTable", kMakeTable);
  for (int i = 0; i < 3; ++i) {
    mishaps_ = {Mishap::kServerError, Mishap::kLostAnswer, Mishap::kLostAnswer};
    EXPECT_EQ(Call(remote_, "TransactWriteItems", kAddInTransaction), "200 {}");
  }
  mishaps_ = {Mishap::kThrottled};
  EXPECT_EQ(Call(remote_, "GetItem", kRead), R"(200 {"Item":{"n":{"N":"3"},"pk":{"S":"a"}}})");
}

TEST_F(EndpointTest, AnEndpointThatDoesNotAnswer) {
  constexpr std::string_view kOptions = R"({"endpoint":"http://127.0.0.1:9"})";
  dynolith_database* nobody = nullptr;
  ASSERT_EQ(EndpointErrorText(dynolith_open(kOptions.data(), kOptions.size(), &nobody)), "");
  EXPECT_THAT(Call(nobody, "ListTables", "{}"), HasSubstr("cannot ask http://127.0.0.1:9: "));
  EXPECT_EQ(response_.is_dropped, 1);
  EXPECT_STREQ(response_.error, "InternalServerError");
  dynolith_close(nobody);
}

TEST_F(EndpointTest, WhatOnlyADatabaseInThisProcessCanDo) {
  const std::string words = "only a database in this process can do this, and not the service at ";
  EXPECT_THAT(EndpointErrorText(dynolith_checkpoint(remote_, "/tmp/x", 6)),
              HasSubstr("FailedPrecondition: " + words + server_.url()));
  EXPECT_THAT(EndpointErrorText(dynolith_snapshot(remote_, "a", 1)), HasSubstr(words));
  EXPECT_THAT(EndpointErrorText(dynolith_restore(remote_, "a", 1)), HasSubstr(words));
  EXPECT_THAT(EndpointErrorText(dynolith_remove_snapshot(remote_, "a", 1)), HasSubstr(words));
  dynolith_database* fork = nullptr;
  EXPECT_THAT(EndpointErrorText(dynolith_fork(remote_, "", 0, "", 0, &fork)), HasSubstr(words));
  EXPECT_EQ(fork, nullptr);
  dynolith_admin(remote_, "GET", "clock", 5, "", 0, &response_);
  EXPECT_EQ(response_.status, 409);
  EXPECT_THAT(std::string(response_.body, response_.body_size), HasSubstr(words));
  EXPECT_TRUE(targets_.empty());
}

}  // namespace
}  // namespace dynolith
