// The wire protocol on real sockets, with a backend that only knows "Echo": headers, the order of
// checks, and every answer that is no operation's.
#include "tools/wire/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/answer/checksum.h"
#include "api/answer/request_id.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "tests/unit/http/raw_client.h"
#include "tools/http/compression.h"

namespace dynolith::http {
namespace {

// JSON is what begins with '{'. Answers with the body, or with as many 'x' as "{n<count>" says.
class EchoBackend : public ApiBackend {
 public:
  Verdict Call(const ApiCall& call, absl::FunctionRef<bool()> admit, ApiAnswer* answer) override {
    if (!call.body.empty() && call.body[0] != '{') return Verdict::kBadJson;
    if (!call.target.starts_with("DynamoDB_20120810.")) return Verdict::kUnknownTarget;
    if (!admit()) return Verdict::kNotAdmitted;
    if (call.on_loop && call.body.starts_with("{long")) {
      ++given_up;
      return Verdict::kTooLong;
    }
    ++calls;
    answer->http_status = call.target.ends_with("Fail") ? 400 : 200;
    if (call.target.ends_with("Break")) {
      *answer = {.http_status = 500, .body = "{}", .cause = "disk on fire", .tables = "songs"};
    } else if (call.body.starts_with("{n")) {
      answer->body.assign(std::strtoul(std::string(call.body.substr(2)).c_str(), nullptr, 10), 'x');
    } else {
      answer->body = Concat(call.body, call.host);
    }
    return Verdict::kAnswered;
  }

  bool IsReady(std::string_view database) const override { return database != "restored"; }

  Effort EffortOf(std::string_view target) const override {
    if (target == "PutItem") return {.cost = Cost::kPoint, .writes = true};
    if (target == "Scan") return {.cost = Cost::kPage};
    if (target == "BatchWriteItem") return {.cost = Cost::kBatch, .writes = true};
    if (target == "GetRecords") return {.cost = Cost::kBatch};
    if (target == "CreateTable") return {.cost = Cost::kLong, .writes = true};
    return {};
  }

  std::atomic<int> calls{0};
  std::atomic<int> given_up{0};
};

constexpr std::string_view kAuthorization =
    "Authorization: AWS4-HMAC-SHA256 Credential=k/20261001/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=s\r\nX-Amz-Date: 20261001T120000Z\r\n";
constexpr std::string_view kTarget = "X-Amz-Target: DynamoDB_20120810.Echo\r\n";
constexpr std::string_view kType = "Content-Type: application/x-amz-json-1.0\r\n";

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
  void SetUp() override { Start({}); }

  void Start(WireOptions options, int brief_workers = 0) {
    client_.reset();
    server_.reset();
    wire_ = std::make_unique<Wire>(&backend_, std::move(options));
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

  EchoBackend backend_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<RawClient> client_;
};

TEST_F(WireTest, GoodCall) {
  const Answer answer = Good("", "{}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "{}localhost:1");
  EXPECT_EQ(answer.Header("Content-Type"), "application/x-amz-json-1.0");
  EXPECT_EQ(answer.Header("Access-Control-Allow-Origin"), "");
  EXPECT_EQ(
      Post(Concat(kAuthorization, kType, "X-Amz-Target: DynamoDB_20120810.Fail\r\n"), "{}").status,
      400);
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
  EXPECT_EQ(backend_.calls, 0);
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
  EXPECT_EQ(backend_.calls, 0);
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
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
    std::string compressed;
    Compress(coding, "{\"a\":1}", &compressed);
    const Answer answer = Good(Concat("Content-Encoding: ", NameOf(coding), "\r\n"), compressed);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "{\"a\":1}localhost:1");
  }
  EXPECT_EQ(Good("Content-Encoding: identity\r\n", "{}").status, 200);
  EXPECT_EQ(Good("Content-Encoding: gzip\r\n", "{}").status, 500);
  EXPECT_EQ(Good("Content-Encoding: br\r\n", "{}").status, 500);
  std::string bomb;
  Compress(Coding::kGzip, "{" + std::string(16 << 20, ' '), &bomb);
  EXPECT_EQ(Good("Content-Encoding: gzip\r\n", bomb).status, 500);
  std::string most;
  Compress(Coding::kGzip, "{n10" + std::string((16 << 20) - 4, ' '), &most);
  EXPECT_EQ(Good("Content-Encoding: gzip\r\n", most).status, 200);
}

TEST_F(WireTest, CompressedAnswers) {
  EXPECT_EQ(Good("Accept-Encoding: gzip\r\n", "{n4096").Header("Content-Encoding"), "");
  EXPECT_EQ(Good("", "{n5000").Header("Content-Encoding"), "");
  EXPECT_EQ(Good("Accept-Encoding: identity\r\n", "{n5000").Header("Content-Encoding"), "");
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
    const Answer answer = Good(Concat("Accept-Encoding: ", NameOf(coding), "\r\n"), "{n4097");
    EXPECT_EQ(answer.Header("Content-Encoding"), NameOf(coding));
    std::string body;
    ASSERT_TRUE(Decompress(coding, answer.body, 10'000, &body));
    EXPECT_EQ(body, std::string(4097, 'x'));
  }
}

TEST_F(WireTest, WhereCallsRun) {
  const auto lane = [&](std::string_view target, std::string_view body = "",
                        Method method = Method::kPost, std::string_view encoding = "") {
    Request request;
    request.method = method;
    request.body = body;
    if (!target.empty()) request.headers.push_back({"x-amz-target", target});
    if (!encoding.empty()) request.headers.push_back({"content-encoding", encoding});
    return wire_->LaneOf(request);
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
  const auto lane = [&](std::string_view database, std::string_view target) {
    Request request;
    request.method = Method::kPost;
    request.headers = {{"x-amz-target", target}, {kDatabaseHeader, database}};
    return wire_->LaneOf(request);
  };
  for (const char* const target : {"GetItem", "PutItem", "BatchWriteItem", "CreateTable"}) {
    EXPECT_EQ(lane("restored", target), Lane::kWaiting);
  }
  EXPECT_EQ(lane("other", "GetItem"), Lane::kLoop);
  EXPECT_EQ(lane("other", "CreateTable"), Lane::kLong);
}

TEST_F(WireTest, WhatTakesTooLongOnTheLoopGoesToAWorker) {
  std::string recorded;
  Start({.record = [&](const ExchangeRecord& record) { recorded += Concat(record.status, ";"); }},
        /*brief_workers=*/1);
  EXPECT_EQ(Good("", "{long").body, "{longlocalhost:1");
  EXPECT_EQ(backend_.given_up, 1);
  EXPECT_EQ(Good("", "{short").body, "{shortlocalhost:1");
  EXPECT_EQ(backend_.given_up, 1);
  EXPECT_EQ(recorded, "200;200;");
  // Pipelined, behind and in front of others.
  std::string requests;
  for (const std::string_view body : {"{a", "{long", "{b", "{long", "{c"}) {
    requests += Concat("POST / HTTP/1.1\r\nHost: h\r\n", kAuthorization, kTarget, kType,
                       "Content-Length: ", body.size(), "\r\n\r\n", body);
  }
  client_->Send(requests);
  for (const std::string_view body : {"{a", "{long", "{b", "{long", "{c"}) {
    EXPECT_EQ(client_->Receive().body, Concat(body, "h"));
  }
  EXPECT_EQ(backend_.given_up, 3);
}

TEST_F(WireTest, RecordsEachRequest) {
  std::string recorded;
  Start({.record = [&](const ExchangeRecord& record) {
    recorded += Concat(record.method, " ", record.path, " ", record.target, " ", record.status, " ",
                       record.request_bytes, " ", record.response_bytes, ";");
  }});
  Good("", "{}");
  Call("GET", "", "", "/x?y");
  EXPECT_EQ(recorded, "POST / DynamoDB_20120810.Echo 200 2 13;GET /x  404 0 29;");
}

TEST_F(WireTest, ReportsItsOwnFailures) {
  std::vector<std::string> failures;
  Start({.fail = [&](const FailureRecord& record) {
    EXPECT_TRUE(IsRequestId(record.request_id));
    failures.push_back(Concat(record.status, " ", record.kind, " ", record.operation, " ",
                              record.tables, ": ", record.cause));
  }});
  Good("", "{}");
  Post(Concat(kAuthorization, kType, "X-Amz-Target: DynamoDB_20120810.Fail\r\n"), "{}");
  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(
      Post(Concat(kAuthorization, kType, "X-Amz-Target: DynamoDB_20120810.Break\r\n"), "{}").status,
      500);
  EXPECT_EQ(Good("Content-Encoding: gzip\r\n", "{}").status, 500);
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[0], "500 InternalServerError Break songs: disk on fire");
  EXPECT_EQ(failures[1],
            "500 InternalServerError Echo : the body is not in the Content-Encoding gzip, or is "
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
