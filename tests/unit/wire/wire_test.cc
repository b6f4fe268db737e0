// The wire protocol on real sockets: headers, the order of checks, and every answer that is no
// operation's.
#include "tools/server/wire/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "api/coding/compression.h"
#include "api/replica/region_group.h"
#include "api/request/region_peers.h"
#include "api/service/checksum.h"
#include "api/service/database_service.h"
#include "api/service/named_databases.h"
#include "api/service/request_id.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/partition/access_observer.h"
#include "tests/unit/http/raw_client.h"

namespace dynolith::http {
namespace {

// Counts the calls that reach an operation.
class CallCounter final : public AccessObserver {
 public:
  void NoteAccesses(absl::Span<const ObservedAccess> /*accesses*/) override {}
  void EndCall(const ObservedEnd& end) override { ++(end.given_up ? given_up_ : calls_); }

  int calls() const { return calls_; }
  int given_up() const { return given_up_; }

 private:
  std::atomic<int> calls_ = 0;
  std::atomic<int> given_up_ = 0;
};

constexpr std::string_view kAuthorization =
    "Authorization: AWS4-HMAC-SHA256 Credential=k/20261001/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=s\r\nX-Amz-Date: 20261001T120000Z\r\n";
// Answers with the Host header.
constexpr std::string_view kTarget = "X-Amz-Target: DynamoDB_20120810.DescribeEndpoints\r\n";
constexpr std::string_view kType = "Content-Type: application/x-amz-json-1.0\r\n";

constexpr std::string_view kEndpoints =
    R"({"Endpoints":[{"Address":"localhost:1","CachePeriodInMinutes":1440}]})";
constexpr std::string_view kNotACall = "<UnknownOperationException/>\n";
constexpr std::string_view kSerialization =
    R"({"__type":"com.amazon.coral.service#SerializationException"})";
constexpr std::string_view kUnknownOperation =
    R"({"__type":"com.amazon.coral.service#UnknownOperationException"})";

// 52 characters [0-9A-Z].
bool IsRequestId(std::string_view id) {
  return id.size() == kRequestIdBytes && std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

class WireTest : public ::testing::Test {
 protected:
  void SetUp() override {
    databases_ =
        *NamedDatabases::Open({.each = {.database = {.in_memory = true, .observer = &counter_}}});
    service_ = std::make_unique<DatabaseService>(databases_.get());
    Start({});
  }

  void Start(WireOptions options, int brief_workers = 0) {
    client_.reset();
    server_.reset();
    wire_ = std::make_unique<Wire>(service_.get(), std::move(options));
    auto server =
        Server::Start({.port = 0, .threads = 1, .brief_workers = brief_workers}, wire_.get());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = std::move(*server);
    client_ = std::make_unique<RawClient>(server_->port());
  }

  // `headers` are whole lines. Checks what every answer must have.
  Answer Call(std::string_view method, std::string_view headers, std::string_view body,
              std::string_view target = "/") {
    std::string bytes = Concat(method, " ", target, " HTTP/1.1\r\nHost: localhost:1\r\n", headers);
    if (!body.empty()) bytes += Concat("Content-Length: ", body.size(), "\r\n");
    client_->Send(Concat(bytes, "\r\n", body));
    Answer answer = client_->Receive(method == "HEAD");
    EXPECT_TRUE(IsRequestId(answer.Header("x-amzn-RequestId")));
    if (method != "HEAD") {
      EXPECT_EQ(answer.Header("x-amz-crc32"), std::to_string(Crc32(answer.body)));
      EXPECT_EQ(answer.Header("Content-Length"), std::to_string(answer.body.size()));
    }
    return answer;
  }
  Answer Post(std::string_view headers, std::string_view body) {
    return Call("POST", headers, body);
  }
  // A good call, with further headers.
  Answer Good(std::string_view headers, std::string_view body) {
    return Post(Concat(kAuthorization, kTarget, kType, headers), body);
  }

  // A call of another operation.
  Answer Run(std::string_view operation, std::string_view headers, std::string_view body) {
    return Post(Concat(kAuthorization, kType, "X-Amz-Target: DynamoDB_20120810.", operation, "\r\n",
                       headers),
                body);
  }

  // The same without the wire.
  std::string Handle(std::string_view operation, std::string_view body) {
    const DatabaseInstance::Use use = databases_->first().Begin();
    const JsonResponse response = use.dispatcher().Handle(operation, body);
    EXPECT_EQ(response.http_status, 200) << response.body;
    return response.body;
  }
  void MakeTable() {
    Handle("CreateTable", R"({"TableName":"songs","BillingMode":"PAY_PER_REQUEST",
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})");
  }
  // A GetItem whose answer has so many bytes. Requires: MakeTable.
  std::string GetOfBytes(size_t bytes) {
    const std::string key = Concat(R"({"pk":{"S":")", bytes, "\"}");
    const size_t around = Concat(R"({"Item":)", key, R"(,"x":{"S":""}}})").size();
    Handle("PutItem", Concat(R"({"TableName":"songs","Item":)", key, R"(,"x":{"S":")",
                             std::string(bytes - around, 'x'), "\"}}}"));
    return Concat(R"({"TableName":"songs","Key":)", key, "}}");
  }

  CallCounter counter_;
  std::unique_ptr<NamedDatabases> databases_;
  std::unique_ptr<DatabaseService> service_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<RawClient> client_;
};

TEST_F(WireTest, GoodCall) {
  const Answer answer = Good("", "{}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, kEndpoints);
  EXPECT_EQ(answer.Header("Content-Type"), "application/x-amz-json-1.0");
  EXPECT_EQ(answer.Header("Access-Control-Allow-Origin"), "");
  EXPECT_EQ(Run("DescribeTable", "", R"({"TableName":"none"})").status, 400);
}

TEST_F(WireTest, ContentTypes) {
  const auto type_for = [&](std::string_view line) {
    const Answer answer = Post(Concat(kAuthorization, kTarget, line), "{}");
    return answer.status == 200 ? answer.Header("Content-Type") : std::to_string(answer.status);
  };
  EXPECT_EQ(type_for("Content-Type: application/json\r\n"), "application/json");
  EXPECT_EQ(type_for("Content-Type:   application/json  ;   asfd\r\n"), "application/json");
  EXPECT_EQ(type_for("Content-Type: application/x-amz-json-1.0; charset=utf-8\r\n"),
            "application/x-amz-json-1.0");
  EXPECT_EQ(type_for("Content-Type: application/x-amz-json-1.1\r\n"), "404");
  EXPECT_EQ(type_for("Content-Type: application/jsonasdf\r\n"), "404");
  EXPECT_EQ(type_for(""), "404");
}

TEST_F(WireTest, NotACall) {
  for (const std::string_view method : {"PUT", "DELETE", "OPTIONS", "PATCH"}) {
    const Answer answer = Call(method, "", "");
    EXPECT_EQ(answer.status, 404) << method;
    EXPECT_EQ(answer.body, kNotACall);
    EXPECT_EQ(answer.Header("x-amz-crc32"), "3552371480");
  }
  const Answer head = Call("HEAD", "", "");
  EXPECT_EQ(head.status, 404);
  EXPECT_EQ(head.Header("Content-Length"), "29");
  EXPECT_EQ(Post("", "{}").body, kNotACall);
}

TEST_F(WireTest, HealthCheck) {
  EXPECT_EQ(Call("GET", "", "", "/any/path?x=1").status, 404);
  for (const std::string_view target : {"/", "/?x=1", "/health", "/health/deep"}) {
    const Answer answer = Call("GET", "", "", target);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "healthy: dynamodb.us-east-1.amazonaws.com ");
    EXPECT_EQ(answer.Header("x-amz-crc32"), "3128867991");
  }
}

TEST_F(WireTest, Cors) {
  const Answer preflight =
      Call("OPTIONS",
           "Origin: http://localhost:3000\r\nAccess-Control-Request-Headers: a, b\r\n"
           "Access-Control-Request-Method: POST\r\n",
           "");
  EXPECT_EQ(preflight.status, 200);
  EXPECT_EQ(preflight.body, "");
  EXPECT_EQ(preflight.Header("Content-Length"), "0");
  EXPECT_EQ(preflight.Header("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(preflight.Header("Access-Control-Allow-Headers"), "a, b");
  EXPECT_EQ(preflight.Header("Access-Control-Allow-Methods"), "POST");
  EXPECT_EQ(preflight.Header("Access-Control-Max-Age"), "172800");

  const Answer bare = Call("OPTIONS", "Origin: http://127.0.0.1\r\n", "");
  EXPECT_EQ(bare.status, 200);
  EXPECT_EQ(bare.Header("Access-Control-Allow-Headers"), "");
  EXPECT_EQ(bare.Header("Access-Control-Allow-Methods"), "");

  EXPECT_EQ(Good("Origin: http://localhost:3000\r\n", "{}").Header("Access-Control-Allow-Origin"),
            "*");
  EXPECT_EQ(
      Call("GET", "Origin: http://localhost:3000\r\n", "").Header("Access-Control-Allow-Origin"),
      "*");
  EXPECT_EQ(
      Call("PUT", "Origin: http://localhost:3000\r\n", "").Header("Access-Control-Allow-Origin"),
      "*");
}

TEST_F(WireTest, ForeignPages) {
  std::vector<std::string> refused;
  Start({.pages = {.origins = {"https://app.example"}},
         .refuse = [&](std::string_view reason) { refused.emplace_back(reason); }});
  for (const std::string_view method : {"OPTIONS", "POST", "GET"}) {
    const Answer answer = Call(method,
                               Concat(kAuthorization, kTarget, kType,
                                      "Origin: http://evil.example\r\n"
                                      "Access-Control-Request-Method: POST\r\n"),
                               "");
    EXPECT_EQ(answer.status, 403) << method;
    EXPECT_EQ(answer.body,
              R"({"__type":"com.amazon.coral.service#AccessDeniedException","Message":)"
              R"("web pages of http://evil.example may not use this server; )"
              R"(--allow-origin http://evil.example lets them"})");
    EXPECT_EQ(answer.Header("Content-Type"), "application/x-amz-json-1.0");
    EXPECT_EQ(answer.Header("Access-Control-Allow-Origin"), "");
    EXPECT_EQ(answer.Header("Access-Control-Allow-Methods"), "");
  }
  EXPECT_EQ(counter_.calls(), 0);
  EXPECT_EQ(refused.size(), 3u);
  EXPECT_EQ(Good("Origin: https://app.example\r\n", "{}").Header("Access-Control-Allow-Origin"),
            "*");
  EXPECT_EQ(refused.size(), 3u);
}

// Each request has every later fault, too.
TEST_F(WireTest, OrderOfChecks) {
  EXPECT_EQ(Post("", "not json").body, kNotACall);
  const Answer json = Post(kType, "not json");
  EXPECT_EQ(json.status, 400);
  EXPECT_EQ(json.body, kSerialization);
  const Answer target = Post(kType, "{}");
  EXPECT_EQ(target.status, 400);
  EXPECT_EQ(target.body, kUnknownOperation);
  EXPECT_EQ(target.Header("Content-Type"), "application/x-amz-json-1.0");
  // An empty body is reported after the authentication, and needs no content type.
  EXPECT_EQ(Post("", "").body, kUnknownOperation);
  const Answer token = Post(kTarget, "");
  EXPECT_EQ(token.status, 400);
  EXPECT_EQ(token.body,
            R"({"__type":"com.amazon.coral.service#MissingAuthenticationTokenException",)"
            R"("message":"Request is missing Authentication Token"})");
  EXPECT_EQ(token.Header("x-amz-crc32"), "2088342776");
  EXPECT_EQ(token.Header("Content-Type"), "application/json");
  EXPECT_EQ(Post(Concat(kTarget, kAuthorization), "").body, kSerialization);
  EXPECT_EQ(counter_.calls(), 0);
}

TEST_F(WireTest, ChecksumsOfAuthenticationFailures) {
  EXPECT_EQ(
      Call("POST", Concat(kTarget, kAuthorization), "", "/?X-Amz-Algorithm").Header("x-amz-crc32"),
      "2139606068");
  EXPECT_EQ(Post(Concat(kTarget, "Authorization: AWS4-\r\n"), "").Header("x-amz-crc32"),
            "1828866742");
  EXPECT_EQ(Call("POST", kTarget, "", "/?X-Amz-Algorithm").Header("x-amz-crc32"), "2900502663");
}

TEST_F(WireTest, MessagesAreQuoted) {
  const Answer answer = Post(Concat(kTarget, "Authorization: AWS4-a \"\\\t=\r\n"), "");
  EXPECT_TRUE(answer.body.ends_with("Authorization=AWS4-a \\\"\\\\\\u0009=\"}")) << answer.body;
}

TEST_F(WireTest, AuthenticationOff) {
  Start({.auth = {.mode = AuthMode::kOff}});
  EXPECT_EQ(Post(Concat(kTarget, kType), "{}").status, 200);
  EXPECT_EQ(Post(kTarget, "").body, kSerialization);
}

TEST_F(WireTest, CompressedRequests) {
  MakeTable();
  const std::string get = GetOfBytes(100);
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
    std::string compressed;
    Compress(coding, get, &compressed);
    const Answer answer =
        Run("GetItem", Concat("Content-Encoding: ", CodingName(coding), "\r\n"), compressed);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, Handle("GetItem", get));
  }
  EXPECT_EQ(Good("Content-Encoding: identity\r\n", "{}").status, 200);
  EXPECT_EQ(Good("Content-Encoding: gzip\r\n", "{}").status, 500);
  EXPECT_EQ(Good("Content-Encoding: br\r\n", "{}").status, 500);
  std::string bomb;
  Compress(Coding::kGzip, "{" + std::string(16 << 20, ' '), &bomb);
  EXPECT_EQ(Good("Content-Encoding: gzip\r\n", bomb).status, 500);
  std::string most;
  Compress(Coding::kGzip, "{" + std::string((16 << 20) - 2, ' ') + "}", &most);
  EXPECT_EQ(Good("Content-Encoding: gzip\r\n", most).status, 200);
}

TEST_F(WireTest, CompressedAnswers) {
  MakeTable();
  const auto coding_of = [&](std::string_view headers, size_t bytes) {
    return Run("GetItem", headers, GetOfBytes(bytes)).Header("Content-Encoding");
  };
  EXPECT_EQ(coding_of("Accept-Encoding: gzip\r\n", 4096), "");
  EXPECT_EQ(coding_of("", 5000), "");
  EXPECT_EQ(coding_of("Accept-Encoding: identity\r\n", 5000), "");
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
    const std::string get = GetOfBytes(4097);
    const Answer answer =
        Run("GetItem", Concat("Accept-Encoding: ", CodingName(coding), "\r\n"), get);
    EXPECT_EQ(answer.Header("Content-Encoding"), CodingName(coding));
    std::string body;
    ASSERT_TRUE(Decompress(coding, answer.body, 10'000, &body));
    EXPECT_EQ(body.size(), 4097u);
    EXPECT_EQ(body, Handle("GetItem", get));
  }
}

TEST_F(WireTest, WhereCallsRun) {
  const auto lane = [&](std::string_view target, std::string_view body = "",
                        Method method = Method::kPost, std::string_view encoding = "") {
    Request request;
    request.method = method;
    request.body = body;
    const std::string full =
        Concat(target == "GetRecords" ? "DynamoDBStreams_20120810." : "DynamoDB_20120810.", target);
    if (!target.empty()) request.headers.push_back({"x-amz-target", full});
    if (!encoding.empty()) request.headers.push_back({"content-encoding", encoding});
    return wire_->ChooseLane(request);
  };
  for (const bool writes_wait : {false, true}) {
    Start({.writes_wait = writes_wait});
    const Lane writing = writes_wait ? Lane::kWaiting : Lane::kLoop;
    EXPECT_EQ(lane("GetItem"), Lane::kLoop);
    EXPECT_EQ(lane("PutItem"), writing);
    EXPECT_EQ(lane("Scan"), Lane::kLoop);
    EXPECT_EQ(lane("BatchWriteItem"), writes_wait ? Lane::kWaiting : Lane::kBrief);
    EXPECT_EQ(lane("GetRecords"), Lane::kBrief);
    EXPECT_EQ(lane("CreateTable"), Lane::kLong);
    EXPECT_EQ(lane(""), Lane::kLoop);
    EXPECT_EQ(lane("CreateTable", "", Method::kGet), Lane::kLoop);
    const std::string large(kLoopBodyBytesMax + 1, ' ');
    EXPECT_EQ(lane("GetItem", large), Lane::kBrief);
    EXPECT_EQ(lane("PutItem", large), Lane::kBrief);
    EXPECT_EQ(lane("PutItem", "x", Method::kPost, "gzip"), Lane::kBrief);
    EXPECT_EQ(lane("GetItem", large.substr(1)), Lane::kLoop);
    EXPECT_EQ(lane("", large), Lane::kBrief);
    EXPECT_EQ(lane("GetItem", "x", Method::kPost, "gzip"), Lane::kBrief);
  }
}

TEST_F(WireTest, WhatWaitsForADatabaseKeepsNobodyElseWaiting) {
  Start({.databases = {.by_header = true}});
  ASSERT_TRUE(databases_->Create("other", nullptr).ok());
  const auto lane = [&](std::string_view database, std::string_view operation) {
    const std::string target = Concat("DynamoDB_20120810.", operation);
    Request request;
    request.method = Method::kPost;
    request.headers = {{"x-amz-target", target}, {kDatabaseHeader, database}};
    return wire_->ChooseLane(request);
  };
  for (const char* const target : {"GetItem", "PutItem", "BatchWriteItem", "CreateTable"}) {
    EXPECT_EQ(lane("not made yet", target), Lane::kWaiting);
  }
  EXPECT_EQ(lane("other", "GetItem"), Lane::kLoop);
  EXPECT_EQ(lane("other", "CreateTable"), Lane::kLong);
}

// A strong write in another region holds the table's turn, for as long as its disk takes. The loop
// serves what has nothing to do with that table meanwhile.
TEST_F(WireTest, WhatWaitsForOtherRegionsKeepsTheLoopServing) {
  client_.reset();
  server_.reset();
  wire_.reset();
  service_.reset();
  databases_ = *NamedDatabases::Open(
      {.each = {.database = {.in_memory = true}}, .more_regions = {"us-east-2", "us-west-2"}});
  service_ = std::make_unique<DatabaseService>(databases_.get());
  wire_ = std::make_unique<Wire>(service_.get(), WireOptions());
  server_ = *Server::Start({.port = 0, .threads = 1, .brief_workers = 1, .waiting_workers = 1},
                           wire_.get());
  RawClient waiting(server_->port());
  client_ = std::make_unique<RawClient>(server_->port());
  const auto table = [](std::string_view name) {
    return Concat(R"({"BillingMode":"PAY_PER_REQUEST","TableName":")", name, R"(",
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})");
  };
  for (const std::string_view name : {"other", "strong"}) Handle("CreateTable", table(name));
  Handle("UpdateTable", R"({"TableName":"strong","MultiRegionConsistency":"STRONG",
      "ReplicaUpdates":[{"Create":{"RegionName":"us-east-2"}},
                        {"Create":{"RegionName":"us-west-2"}}]})");
  ASSERT_TRUE(databases_->group()->Settle().ok());
  const auto lane_of_batch = [&](std::string_view body) {
    Request request;
    request.method = Method::kPost;
    request.body = body;
    request.headers = {{"x-amz-target", "DynamoDB_20120810.BatchWriteItem"}};
    return wire_->ChooseLane(request);
  };
  EXPECT_EQ(lane_of_batch(R"({"RequestItems":{"strong":[]}})"), Lane::kBrief);

  const DatabaseInstance::Use west = databases_->FindRegion("us-west-2")->Begin();
  constexpr std::string_view kStrong = "strong";
  auto turn = static_cast<RegionGroup*>(databases_->group())
                  ->UseStrong(ContextOf(*west.database()), absl::MakeConstSpan(&kStrong, 1),
                              StrongAccess::kWrite);
  ASSERT_TRUE(turn.ok()) << turn.status();
  constexpr std::string_view kPut = R"({"TableName":"strong","Item":{"pk":{"S":"a"}}})";
  waiting.Send(Concat("POST / HTTP/1.1\r\nHost: a\r\n", kAuthorization,
                      "X-Amz-Target: DynamoDB_20120810.PutItem\r\n", kType,
                      "Content-Length: ", kPut.size(), "\r\n\r\n", kPut));
  for (int i = 0; i < 10; ++i) {
    constexpr std::string_view kGet = R"({"TableName":"other","Key":{"pk":{"S":"a"}}})";
    EXPECT_EQ(Run("GetItem", "", kGet).body, "{}");
    absl::SleepFor(absl::Milliseconds(1));
  }
  // Nor does an eventually consistent read of that table wait.
  constexpr std::string_view kEventual = R"({"TableName":"strong","Key":{"pk":{"S":"a"}}})";
  EXPECT_EQ(Run("GetItem", "", kEventual).body, "{}");
  turn->reset();
  EXPECT_EQ(waiting.Receive().body, "{}");
  for (const std::string_view strong :
       {R"({"RequestItems":{"strong":[]}})", R"({"x":"arn:aws:dynamodb:us-east-1:0:table/strong"})",
        R"(UPDATE \"strong\" SET)", "FROM strong.index", "strong"}) {
    EXPECT_EQ(lane_of_batch(strong), Lane::kWaiting) << strong;
  }
  for (const std::string_view other :
       {R"({"RequestItems":{"other":[]}})", "strongest", "_strong", "no-strong-one", "stron", ""}) {
    EXPECT_EQ(lane_of_batch(other), Lane::kBrief) << other;
  }
  EXPECT_EQ(Run("GetItem", "", kEventual).body, R"({"Item":{"pk":{"S":"a"}}})");
}

TEST_F(WireTest, APortOfARegionIsForThatRegionWhereverCallsAreSignedFor) {
  const DatabaseChoice choice = {.regions = {"us-east-1", "eu-west-1", "ap-south-1"},
                                 .port_regions = {"ap-south-1", "us-east-1"}};
  const auto name = [&](size_t door, std::string_view region) {
    const std::string authorization =
        Concat("AWS4-HMAC-SHA256 Credential=k/20261001/", region, "/dynamodb/aws4_request, ",
               "SignedHeaders=host, Signature=s");
    Request request;
    request.method = Method::kPost;
    request.door = door;
    request.headers = {{"authorization", authorization}};
    const absl::Status admitted = CheckRegion(door, FindSignatory(request), choice);
    return admitted.ok() ? ChooseDatabaseName(request, choice) : "refused";
  };
  EXPECT_EQ(name(0, "eu-west-1"), "eu-west-1");
  EXPECT_EQ(name(0, "mars"), "refused");
  for (const std::string_view signed_for : {"us-east-1", "eu-west-1", "ap-south-1", "mars"}) {
    EXPECT_EQ(name(1, signed_for), "ap-south-1");
    EXPECT_EQ(name(2, signed_for), "");
  }
}

TEST_F(WireTest, WhatTakesTooLongOnTheLoopGoesToAWorker) {
  std::string recorded;
  Start({.record = [&](const ExchangeRecord& record) { recorded += Concat(record.status, ";"); }},
        /*brief_workers=*/1);
  MakeTable();
  for (int i = 0; i < 1'000; ++i) {
    Handle("PutItem", Concat(R"({"TableName":"songs","Item":{"pk":{"S":")", i, "\"}}}"));
  }
  const std::string_view scan = R"({"TableName":"songs"})";
  const std::string all = Handle("Scan", scan);
  EXPECT_EQ(Run("Scan", "", scan).body, all);
  EXPECT_EQ(counter_.given_up(), 1);
  EXPECT_EQ(Good("", "{}").body, kEndpoints);
  EXPECT_EQ(counter_.given_up(), 1);
  EXPECT_EQ(recorded, "200;200;");
  // Pipelined, behind and in front of others.
  const auto request = [](std::string_view operation, std::string_view host,
                          std::string_view body) {
    return Concat("POST / HTTP/1.1\r\nHost: ", host, "\r\n", kAuthorization,
                  "X-Amz-Target: DynamoDB_20120810.", operation, "\r\n", kType,
                  "Content-Length: ", body.size(), "\r\n\r\n", body);
  };
  std::string requests;
  for (const std::string_view host : {"a", "b"}) {
    requests += request("DescribeEndpoints", host, "{}") + request("Scan", host, scan);
  }
  client_->Send(requests + request("DescribeEndpoints", "c", "{}"));
  const auto endpoint = [](std::string_view host) {
    return Concat(R"({"Endpoints":[{"Address":")", host, R"(","CachePeriodInMinutes":1440}]})");
  };
  for (const std::string& body : {endpoint("a"), all, endpoint("b"), all, endpoint("c")}) {
    EXPECT_EQ(client_->Receive().body, body);
  }
  EXPECT_EQ(counter_.given_up(), 3);
}

TEST_F(WireTest, RecordsEachRequest) {
  std::string recorded;
  Start({.record = [&](const ExchangeRecord& record) {
    recorded += Concat(record.method, " ", record.path, " ", record.target, " ", record.status, " ",
                       record.request_bytes, " ", record.response_bytes, ";");
  }});
  Good("", "{}");
  Call("GET", "", "", "/x?y");
  EXPECT_EQ(recorded, Concat("POST / DynamoDB_20120810.DescribeEndpoints 200 2 ", kEndpoints.size(),
                             ";GET /x  404 0 29;"));
}

TEST_F(WireTest, ReportsItsOwnFailures) {
  std::vector<std::string> failures;
  Start({.fail = [&](const FailureRecord& record) {
    EXPECT_TRUE(IsRequestId(record.request_id));
    failures.push_back(Concat(record.status, " ", record.kind, " ", record.operation, " ",
                              record.tables, ": ", record.cause));
  }});
  Good("", "{}");
  const std::string_view describe = R"({"TableName":"songs"})";
  EXPECT_EQ(Run("DescribeTable", "", describe).status, 400);
  EXPECT_TRUE(failures.empty());
  Database* const database = databases_->first().Begin().database();
  ASSERT_TRUE(database->AddFault({.fault = FaultKind::kInternalError}).ok());
  EXPECT_EQ(Run("DescribeTable", "", describe).status, 500);
  EXPECT_EQ(Good("Content-Encoding: gzip\r\n", "{}").status, 500);
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[0], "500 InternalServerError DescribeTable songs: fault rule 1");
  EXPECT_EQ(failures[1],
            "500 InternalServerError DescribeEndpoints : the body is not in the Content-Encoding "
            "gzip, or is "
            "larger than any request");
}

TEST(RequestId, DistinctAndShaped) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) {
    std::string id(kRequestIdBytes, ' ');
    DrawRequestId(id.data());
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 1000u);
  for (const std::string& id : ids) EXPECT_TRUE(IsRequestId(id)) << id;
}

}  // namespace
}  // namespace dynolith::http
