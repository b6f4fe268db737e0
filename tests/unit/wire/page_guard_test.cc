// Which requests are taken for those of web pages, and which pages may use the server: every page
// in a browser can reach a server on its machine, and programs must notice nothing.
#include "tools/server/wire/page_guard.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/server/wire/host_names.h"

namespace dynolith::http {
namespace {

std::string Objection(std::vector<Header> headers, PageGuardOptions options = {}) {
  Request request;
  request.headers = std::move(headers);
  return PageGuard(std::move(options)).Objection(request).value_or("");
}

TEST(PageGuard, ProgramsNoticeNothing) {
  for (const char* host : {"dynamodb:8000", "host.docker.internal:8000", "evil.example", "10.1.2.3",
                           "db.default.svc.cluster.local", ""}) {
    EXPECT_EQ(Objection({{"Host", host}}), "") << host;
    EXPECT_EQ(Objection({{"Host", host}, {"User-Agent", "Mozilla/5.0"}}), "") << host;
    // Node's fetch.
    EXPECT_EQ(Objection({{"Host", host}, {"Sec-Fetch-Mode", "cors"}}), "") << host;
  }
  EXPECT_EQ(Objection({}), "");
}

TEST(PageGuard, PagesOfThisMachine) {
  for (const char* origin : {"http://localhost:3000", "https://localhost", "http://127.0.0.1:5173",
                             "http://127.8.9.1", "http://[::1]:8000", "http://app.localhost:3000",
                             "http://LocalHost:80", "tauri://localhost", "file://", "app://."}) {
    EXPECT_EQ(Objection({{"Host", "localhost:8000"}, {"Origin", origin}}), "") << origin;
  }
  EXPECT_EQ(Objection({{"Host", "localhost"}, {"Sec-Fetch-Site", "none"}}), "");
  EXPECT_EQ(Objection({{"Host", "localhost"}, {"Referer", "http://localhost:3000/a?b"}}), "");
}

TEST(PageGuard, ForeignPages) {
  for (const char* origin :
       {"http://evil.example", "https://localhost.evil.example", "http://127.0.0.1.evil.example",
        "http://localhost:8000.evil.example", "http://evil-localhost", "http://.localhost", "null",
        "", "http://", "http://192.168.0.1", "http://[::2]", "http://0.0.0.0:8000",
        "http://user@evil.example", "chrome-extension://abc", "localhost",
        "http://localhost@evil"}) {
    EXPECT_EQ(Objection({{"Host", "localhost:8000"}, {"Origin", origin}}),
              std::string("web pages of ") + origin + " may not use this server; --allow-origin " +
                  origin + " lets them");
  }
  EXPECT_EQ(Objection({{"Host", "localhost"}, {"Referer", "http://evil.example/path?secret=1"}}),
            "web pages of http://evil.example may not use this server; --allow-origin "
            "http://evil.example lets them");
  EXPECT_EQ(Objection({{"Host", "localhost"}, {"Sec-Fetch-Site", "cross-site"}}),
            "web pages that do not say where they are from may not use this server; --allow-origin "
            "'*' lets all pages");
}

TEST(PageGuard, ItsOwnPageByItsAddress) {
  for (const char* host : {"192.168.0.7:8000", "10.0.0.1", "[fd00::2]:8000"}) {
    for (const char* scheme : {"http://", "https://"}) {
      EXPECT_EQ(Objection({{"Host", host}, {"Origin", scheme + std::string(host)}}), "") << host;
    }
    EXPECT_EQ(Objection({{"Host", host}, {"Referer", "http://" + std::string(host) + "/a"}}), "");
    for (const char* origin :
         {"http://192.168.0.8:8000", "http://192.168.0.7:8001", "http://192.168.0.7",
          "http://10.0.0.1:80", "http://[fd00::3]:8000", "x://10.0.0.1", "http://evil.example"}) {
      EXPECT_NE(Objection({{"Host", host}, {"Origin", origin}}), "") << host << " " << origin;
    }
  }
}

// The page's own name leads to this machine: to the browser that is no other origin.
TEST(PageGuard, ReboundNames) {
  EXPECT_NE(Objection({{"Host", "evil.example:8000"}, {"Origin", "http://evil.example:8000"}}), "");
  for (const Header& mark : {Header{"Origin", "http://localhost"}, Header{"Sec-Fetch-Site", "none"},
                             Header{"Sec-Fetch-Site", "same-origin"}}) {
    EXPECT_EQ(
        Objection({{"Host", "evil.example:8000"}, mark}),
        "web pages may not call this server evil.example; --allow-host evil.example lets them");
    for (const char* host : {"localhost:8000", "127.0.0.1", "[::1]:8000", "192.168.0.7:8000",
                             "[fe80::1]:8000", "x.localhost"}) {
      EXPECT_EQ(Objection({{"Host", host}, mark}), "") << host;
    }
    for (const char* host : {"127.0.0.1.evil.example", "127.evil", "localhost.evil", "1.2.3",
                             "[evil]", "[::1", "1.2.3.4.5"}) {
      EXPECT_NE(Objection({{"Host", host}, mark}), "") << host;
    }
  }
}

TEST(PageGuard, WhatIsAllowed) {
  const std::vector<Header> page = {{"Host", "db.example:8000"}, {"Origin", "https://app.example"}};
  const std::vector<Header> file = {{"Host", "localhost"}, {"Origin", "null"}};
  EXPECT_NE(Objection(page, {.hosts = {"db.example"}}), "");
  EXPECT_NE(Objection(page, {.origins = {"https://app.example"}}), "");
  EXPECT_EQ(Objection(page, {.hosts = {"DB.example"}, .origins = {"x://y", "https://APP.example"}}),
            "");
  EXPECT_NE(Objection(page, {.hosts = {"*"}, .origins = {"https://app.example:443"}}), "");
  EXPECT_EQ(Objection(page, {.hosts = {"*"}, .origins = {"*"}}), "");
  EXPECT_NE(Objection(file), "");
  EXPECT_EQ(Objection(file, {.origins = {"null"}}), "");
  EXPECT_EQ(
      Objection({{"Host", "localhost"}, {"Sec-Fetch-Site", "cross-site"}}, {.origins = {"*"}}), "");
}

TEST(PageGuard, WhatCanBeAllowed) {
  for (const char* host : {"*", "dynamodb", "db.example", "a_b", "[::2]"}) {
    EXPECT_TRUE(IsHostToAllow(host)) << host;
  }
  for (const char* host : {"", "db.example:8000", "http://db", "a b", "*.example", "a,b"}) {
    EXPECT_FALSE(IsHostToAllow(host)) << host;
  }
  for (const char* origin : {"*", "null", "https://app.example", "http://[::2]:80", "x-y://abc"}) {
    EXPECT_TRUE(IsOriginToAllow(origin)) << origin;
  }
  for (const char* origin : {"", "app.example", "https://", "https://app.example/", "://a",
                             "https://a/b", "https://a b", "https://*.example"}) {
    EXPECT_FALSE(IsOriginToAllow(origin)) << origin;
  }
}

TEST(HostNames, Ports) {
  EXPECT_EQ(WithoutPort("localhost:8000"), "localhost");
  EXPECT_EQ(WithoutPort("[::1]:8000"), "[::1]");
  EXPECT_EQ(WithoutPort("[::1]"), "[::1]");
  for (const char* without : {"", "[::1]", "::1", "localhost:80x", "a:80:90", "123"}) {
    EXPECT_EQ(WithoutPort(without), without);
  }
}

}  // namespace
}  // namespace dynolith::http
