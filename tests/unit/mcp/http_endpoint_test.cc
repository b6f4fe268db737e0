// Who may call over HTTP, and what each request is answered.
#include "tools/mcp/http_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/mcp/mcp_fixture.h"
#include "tools/mcp/bounds.h"

namespace dynolith::mcp {
namespace {

using ::testing::HasSubstr;

using Headers = std::vector<std::pair<std::string, std::string>>;

class HttpEndpointTest : public McpTest {
 protected:
  HttpEndpointTest() : McpTest({.permission = Permission::kRead}) { Make(""); }

  void Make(const std::string& token) {
    endpoint_ = std::make_unique<HttpEndpoint>(
        &parts_, HttpEndpointOptions{.token = token,
                                     .pages = {.hosts = {}, .origins = {"https://app.example"}}});
  }
  // `more` replaces headers of a proper request; an empty value leaves one out.
  http::Response Ask(http::Method method, const std::string& body, const Headers& more = {},
                     const std::string& path = "/mcp") {
    Headers headers = {{"Host", "127.0.0.1:8010"},
                       {"Content-Type", "application/json"},
                       {"Accept", "application/json, text/event-stream"}};
    for (const auto& [name, value] : more) {
      std::erase_if(headers, [&, name = name](const auto& each) { return each.first == name; });
      if (!value.empty()) headers.emplace_back(name, value);
    }
    http::Request request{.method = method, .method_text = "", .target = path, .body = body};
    for (const auto& [name, value] : headers) request.headers.push_back({name, value});
    http::Response response;
    endpoint_->Handle(request, &response);
    return response;
  }
  http::Response Post(const std::string& body, const Headers& more = {}) {
    return Ask(http::Method::kPost, body, more);
  }
  // The session that initialize begins.
  std::string BeginOverHttp() {
    const http::Response response = Post(std::string(kInitialize));
    constexpr std::string_view kName = "Mcp-Session-Id: ";
    const size_t begin = response.header_lines.find(kName);
    if (begin == std::string::npos) return "";
    const size_t end = response.header_lines.find('\r', begin);
    return response.header_lines.substr(begin + kName.size(), end - begin - kName.size());
  }

  static constexpr const char* kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  static constexpr const char* kNote = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
  std::unique_ptr<HttpEndpoint> endpoint_;
};

TEST_F(HttpEndpointTest, ASessionFromItsBeginningToItsEnd) {
  const std::string id = BeginOverHttp();
  ASSERT_EQ(id.size(), 64U);
  EXPECT_NE(BeginOverHttp(), id);
  const Headers in = {{"Mcp-Session-Id", id}, {"MCP-Protocol-Version", "2025-11-25"}};
  EXPECT_EQ(Post(kNote, in).status, 202);
  EXPECT_EQ(Post(kPing, in).body, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(Post(kPing).status, 400);  // without its session
  EXPECT_EQ(Post(kNote).status, 400);
  EXPECT_EQ(Post(kPing, {{"Mcp-Session-Id", "f00"}}).status, 404);
  EXPECT_EQ(Post(kPing, {{"Mcp-Session-Id", id}, {"MCP-Protocol-Version", "1900-01-01"}}).status,
            400);
  EXPECT_EQ(Ask(http::Method::kDelete, "").status, 400);
  EXPECT_EQ(Ask(http::Method::kDelete, "", in).status, 204);
  EXPECT_EQ(Post(kPing, in).status, 404);
}

TEST_F(HttpEndpointTest, TheLeastRecentlyUsedSessionEnds) {
  const std::string first = BeginOverHttp();
  const std::string second = BeginOverHttp();
  for (size_t i = 0; i + 2 < kSessionsMax; ++i) BeginOverHttp();
  EXPECT_EQ(Post(kPing, {{"Mcp-Session-Id", first}}).status, 200);
  BeginOverHttp();
  EXPECT_EQ(Post(kPing, {{"Mcp-Session-Id", first}}).status, 200);
  EXPECT_EQ(Post(kPing, {{"Mcp-Session-Id", second}}).status, 404);
}

TEST_F(HttpEndpointTest, TheTokenIsWanted) {
  Make("0123456789abcdef");
  const http::Response without = Post(std::string(kInitialize));
  EXPECT_EQ(without.status, 401);
  EXPECT_THAT(without.header_lines, HasSubstr("WWW-Authenticate: Bearer"));
  EXPECT_EQ(Post(std::string(kInitialize), {{"Authorization", "Bearer 0123456789abcdeF"}}).status,
            401);
  EXPECT_EQ(Post(std::string(kInitialize), {{"Authorization", "Basic 0123456789abcdef"}}).status,
            401);
  EXPECT_EQ(Post(std::string(kInitialize), {{"Authorization", "bearer 0123456789abcdef"}}).status,
            200);
  // With it the server may have any name.
  EXPECT_EQ(Post(std::string(kInitialize),
                 {{"Authorization", "Bearer 0123456789abcdef"}, {"Host", "mcp.example"}})
                .status,
            200);
}

// A page whose name was made to lead here has that name in Host, and in Origin.
TEST_F(HttpEndpointTest, StrangePagesAndNames) {
  EXPECT_EQ(Post(std::string(kInitialize), {{"Host", "evil.example"}}).status, 403);
  EXPECT_EQ(Post(std::string(kInitialize), {{"Origin", "https://evil.example"}}).status, 403);
  EXPECT_EQ(
      Post(std::string(kInitialize), {{"Host", "evil.example"}, {"Origin", "http://evil.example"}})
          .status,
      403);
  EXPECT_EQ(Post(std::string(kInitialize), {{"Origin", "http://localhost:6274"}}).status, 200);
  EXPECT_EQ(Post(std::string(kInitialize), {{"Origin", "https://app.example"}}).status, 200);
  const http::Response preflight =
      Ask(http::Method::kOptions, "", {{"Origin", "https://app.example"}});
  EXPECT_EQ(preflight.status, 204);
  EXPECT_THAT(preflight.header_lines,
              HasSubstr("Access-Control-Allow-Origin: https://app.example"));
}

TEST_F(HttpEndpointTest, WhatIsNoMessage) {
  EXPECT_EQ(Ask(http::Method::kGet, "").status, 405);
  EXPECT_EQ(Ask(http::Method::kPut, "").status, 405);
  EXPECT_EQ(Ask(http::Method::kPost, kPing, {}, "/").status, 404);
  EXPECT_EQ(Post(kPing, {{"Content-Type", "text/plain"}}).status, 415);
  EXPECT_EQ(Post(kPing, {{"Accept", "application/json"}}).status, 406);
  EXPECT_EQ(Post(kPing, {{"Accept", ""}}).status, 406);
  EXPECT_EQ(Post("{").status, 400);
  EXPECT_EQ(Post(std::string(kMessageBytesMax + 1, ' ')).status, 413);
}

TEST_F(HttpEndpointTest, RequestsWithoutASession) {
  const std::string body =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tables",)"
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";
  const Headers proper = {{"MCP-Protocol-Version", "2026-07-28"},
                          {"Mcp-Method", "tools/call"},
                          {"Mcp-Name", "list_tables"}};
  const http::Response answer = Post(body, proper);
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(R"("resultType":"complete")"));
  Headers encoded = proper;
  encoded[2].second = "=?base64?bGlzdF90YWJsZXM=?=";
  EXPECT_EQ(Post(body, encoded).status, 200);
  for (size_t i = 0; i < proper.size(); ++i) {
    Headers wrong = proper;
    wrong[i].second = "2025-11-25";
    const http::Response refused = Post(body, wrong);
    EXPECT_EQ(refused.status, 400) << i;
    EXPECT_THAT(refused.body, HasSubstr("-32020")) << i;
  }
  const http::Response unknown =
      Post(R"({"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{)"
           R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})",
           {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "prompts/list"}});
  EXPECT_EQ(unknown.status, 404);
}

}  // namespace
}  // namespace dynolith::mcp
