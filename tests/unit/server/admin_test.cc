// Who may use the admin endpoint, and what it hands on, without sockets; what it does is tested
// through the program (tests/cli/clock_test.py).
#include "tools/server/admin.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/address.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tools/server/http/connection.h"
#include "tools/server/http/network.h"

namespace dynolith {
namespace {

// What stands behind the endpoint.
class Echo final : public http::Handler {
 public:
  http::Lane ChooseLane(const http::Request&) const override { return http::Lane::kWaiting; }
  bool HandleOnLoop(const http::Request&, http::Response*) override { return false; }
  void Handle(const http::Request& request, http::Response* response) override {
    response->body = "echo " + std::string(request.target);
  }
};

class AdminTest : public ::testing::Test {
 protected:
  AdminTest()
      : databases_(NamedDatabases::Open(
                       {.each = {.database = {.in_memory = true},
                                 .manual_clock_start = absl::FromUnixSeconds(1'700'000'000)},
                        .calls = {}})
                       .value()) {
    Make({});
  }

  void Make(AdminOptions options) {
    options.databases = databases_.get();
    options.next = &echo_;
    admin_ = std::make_unique<Admin>(std::move(options));
  }
  static http::Request Get(std::string_view target) {
    http::Request request;
    request.method = http::Method::kGet;
    request.method_text = "GET";
    request.target = target;
    request.from_this_machine = true;
    return request;
  }
  http::Response Answer(const http::Request& request) {
    http::Response response;
    admin_->Handle(request, &response);
    return response;
  }
  int StatusWith(std::vector<http::Header> headers) {
    http::Request request = Get("/_dynolith/clock");
    request.headers = std::move(headers);
    return Answer(request).status;
  }

  std::unique_ptr<NamedDatabases> databases_;
  Echo echo_;
  std::unique_ptr<Admin> admin_;
};

TEST_F(AdminTest, OnlyThisMachine) {
  http::Request request = Get("/_dynolith/clock");
  EXPECT_EQ(Answer(request).body, R"({"now":1700000000,"mode":"manual"})");
  request.from_this_machine = false;
  const http::Response refused = Answer(request);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(
      refused.body,
      R"({"error":"the admin endpoint answers only programs on this machine; --admin-token FILE or --admin-from CIDR opens it to others"})");
  // A header says nothing about where a request comes from, but a proxy's says enough.
  request.headers = {{"X-Forwarded-For", "127.0.0.1"}};
  EXPECT_EQ(Answer(request).status, 403);
  request.from_this_machine = true;
  EXPECT_EQ(Answer(request).status, 403);
}

TEST_F(AdminTest, LoopbackAddresses) {
  const auto is_loopback = [](const char* address) {
    return http::IsLoopback(boost::asio::ip::make_address(address));
  };
  for (const char* address : {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback(address)) << address;
  }
  for (const char* address : {"0.0.0.0", "128.0.0.1", "10.0.0.1", "192.168.0.1", "::", "::2",
                              "::ffff:10.0.0.1", "fe80::1", "::7f00:1"}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

TEST_F(AdminTest, NoWebPages) {
  EXPECT_EQ(StatusWith({}), 200);
  EXPECT_EQ(StatusWith({{"Host", "localhost:8000"}}), 200);
  EXPECT_EQ(StatusWith({{"Host", "[::1]:8000"}}), 200);
  EXPECT_EQ(StatusWith({{"Sec-Fetch-Site", "none"}}), 200);
  EXPECT_EQ(StatusWith({{"Sec-Fetch-Site", "same-site"}}), 403);
  EXPECT_EQ(StatusWith({{"origin", "http://localhost:8000"}}), 403);
  // Its own page is of the same host and port.
  EXPECT_EQ(StatusWith({{"Sec-Fetch-Site", "same-origin"}}), 200);
  EXPECT_EQ(StatusWith({{"Host", "localhost:8000"}, {"Origin", "http://localhost:8000"}}), 200);
  EXPECT_EQ(StatusWith({{"Host", "localhost:8000"}, {"Origin", "http://localhost:3000"}}), 403);
  EXPECT_EQ(StatusWith({{"Host", "x.example"}, {"Origin", "http://x.example"}}), 403);
  for (const char* host : {"", "rebound.example.com", "127.0.0.1.example.com", "10.0.0.1:8000",
                           "localhost.example.com", "[::2]", "127.0.0.1x"}) {
    EXPECT_EQ(StatusWith({{"Host", host}}), 403) << host;
  }
}

// Nothing at all would be taken for figures.
TEST_F(AdminTest, MetricsOfADatabaseThatIsNotOpen) {
  Make({.metrics = [](DatabaseInstance&) { return absl::InternalError("not open"); }});
  const http::Response response = Answer(Get("/_dynolith/metrics"));
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body, R"({"error":"not open"})");
}

// An old browser names the page in no other header.
TEST_F(AdminTest, NoPagesByTheirReferrer) {
  EXPECT_EQ(StatusWith({{"Host", "localhost:8000"}, {"Referer", "http://evil.example/a"}}), 403);
  EXPECT_EQ(StatusWith({{"Host", "localhost:8000"}, {"Referer", "http://localhost:3000/"}}), 403);
  EXPECT_EQ(StatusWith({{"Host", "localhost:8000"}, {"Referer", ""}}), 403);
  EXPECT_EQ(
      StatusWith({{"Host", "localhost:8000"}, {"Referer", "http://localhost:8000/_dynolith/live"}}),
      200);
}

TEST_F(AdminTest, WhoKnowsTheToken) {
  Make({.guard = {.token = "0123456789abcdef", .networks = {}}});
  http::Request request = Get("/_dynolith/clock");
  EXPECT_EQ(Answer(request).status, 200);  // this machine needs none
  request.from_this_machine = false;
  const http::Response refused = Answer(request);
  EXPECT_EQ(refused.status, 401);
  EXPECT_NE(refused.header_lines.find("WWW-Authenticate: Bearer\r\n"), std::string::npos);
  // Also through a proxy, under whatever name.
  request.headers = {
      {"Host", "db.example"}, {"Via", "1.1 proxy"}, {"Authorization", "Bearer 0123456789abcdef"}};
  EXPECT_EQ(Answer(request).status, 200);
  for (const char* wrong : {"Bearer 0123456789abcdeF", "Bearer 0123456789abcdef0", "Bearer",
                            "Bearer ", "Basic 0123456789abcdef", "0123456789abcdef", ""}) {
    request.headers = {{"Authorization", wrong}};
    EXPECT_EQ(Answer(request).status, 401) << wrong;
  }
  // The page of another server that knows it could only have stolen it.
  request.headers = {{"Authorization", "Bearer 0123456789abcdef"},
                     {"Origin", "http://evil.example"}};
  EXPECT_EQ(Answer(request).status, 403);
  // A wrong token is a mistake, also on this machine.
  request = Get("/_dynolith/clock");
  request.headers = {{"Authorization", "Bearer another"}};
  EXPECT_EQ(Answer(request).status, 401);
  // The page itself says nothing of the data, and asks for the token.
  request = Get("/_dynolith/");
  request.from_this_machine = false;
  EXPECT_EQ(Answer(request).status, 200);
}

TEST_F(AdminTest, Networks) {
  const auto network = [](const char* text) { return http::ParseNetwork(text).value(); };
  Make({.guard = {.token = "", .networks = {network("172.16.0.0/12"), network("fd00::/8")}}});
  http::Request request = Get("/_dynolith/clock");
  request.from_this_machine = false;
  const auto status_from = [&](const char* address) {
    request.peer = network(address).address;
    return Answer(request).status;
  };
  for (const char* address : {"172.16.0.1", "172.31.255.255", "::ffff:172.20.1.1", "fdff::1"}) {
    EXPECT_EQ(status_from(address), 200) << address;
  }
  for (const char* address :
       {"172.15.0.1", "172.32.0.0", "10.0.0.1", "fe80::1", "::", "::ac10:1"}) {
    EXPECT_EQ(status_from(address), 403) << address;
  }
  for (const char* host :
       {"172.16.0.2:8000", "dynolith:8000", "[fd00::2]", "localhost:8000", "db.default.svc",
        "db.default.svc.cluster.local", "host.docker.internal"}) {
    request.headers = {{"Host", host}};
    EXPECT_EQ(status_from("172.16.0.1"), 200) << host;
  }
  // Names whose owner could make a page's own name lead here.
  for (const char* host :
       {"evil.example", "local.evil.example", "evillocal.example", "", ".local"}) {
    request.headers = {{"Host", host}};
    EXPECT_EQ(status_from("172.16.0.1"), 403) << host;
  }
  request.headers = {{"Host", "dynolith"}, {"X-Forwarded-For", "172.16.0.9"}};
  EXPECT_EQ(status_from("172.16.0.1"), 403);
}

TEST_F(AdminTest, EverythingElseIsHandedOn) {
  for (const char* target :
       {"/", "/_dynolithic", "/_dynolit", "/x/_dynolith/clock", "/?/_dynolith/"}) {
    EXPECT_EQ(Answer(Get(target)).body, "echo " + std::string(target));
    EXPECT_EQ(admin_->ChooseLane(Get(target)), http::Lane::kWaiting);
    http::Response response;
    EXPECT_FALSE(admin_->HandleOnLoop(Get(target), &response));
  }
  EXPECT_EQ(admin_->ChooseLane(Get("/_dynolith/clock")), http::Lane::kLong);
  // They wait for calls under way, while others do something.
  for (const char* const path : {"/_dynolith/databases", "/_dynolith/databases/a",
                                 "/_dynolith/restore", "/_dynolith/snapshots/a"}) {
    EXPECT_EQ(admin_->ChooseLane(Get(path)), http::Lane::kWaiting) << path;
  }
  // It waits for others' writes, which nobody else shall wait for.
  EXPECT_EQ(admin_->ChooseLane(Get("/_dynolith/changes")), http::Lane::kPolling);
  http::Response response;
  EXPECT_TRUE(admin_->HandleOnLoop(Get("/_dynolith/clock"), &response));
}

TEST_F(AdminTest, PageFiles) {
  for (const char* target : {"/_dynolith", "/_dynolith/", "/_dynolith/page/live.js"}) {
    const http::Response page = Answer(Get(target));
    EXPECT_EQ(page.status, 200);
    EXPECT_FALSE(page.body.empty());
    EXPECT_NE(
        page.header_lines.find("Content-Security-Policy: default-src 'none'; script-src 'self'"),
        std::string::npos);
    EXPECT_NE(page.header_lines.find("Content-Type: text/"), std::string::npos);
  }
  EXPECT_EQ(Answer(Get("/_dynolith/page/")).status, 404);
  EXPECT_EQ(Answer(Get("/_dynolith/page/../page/live.js")).status, 404);
  http::Request post = Get("/_dynolith/");
  post.method_text = "POST";
  EXPECT_EQ(Answer(post).status, 405);
}

TEST_F(AdminTest, Records) {
  std::vector<std::string> lines;
  Make({.record = [&](const http::ExchangeRecord& record) {
    lines.push_back(std::string(record.path) + " " + std::to_string(record.status));
  }});
  Answer(Get("/_dynolith/clock?x"));
  Answer(Get("/_dynolith/none"));
  Answer(Get("/"));
  EXPECT_EQ(lines, (std::vector<std::string>{"/_dynolith/clock 200", "/_dynolith/none 404"}));
}

}  // namespace
}  // namespace dynolith
