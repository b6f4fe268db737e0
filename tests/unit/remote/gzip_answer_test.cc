// Bodies in gzip: whole ones come back, damaged ones are told, and no small one becomes a large
// one.
#include "api/remote/gzip_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <memory>
#include <string>

#include "api/remote/http_connection.h"
#include "engine/base/errors.h"
#include "tests/unit/remote/scripted_server.h"

namespace dynolith::client {
namespace {

using ::testing::HasSubstr;
using testing::ScriptedAnswer;
using testing::ScriptedServer;

constexpr size_t kManyBytes = 1 << 20;

std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string gzip(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(gzip.data());
  stream.avail_out = static_cast<uInt>(gzip.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  gzip.resize(stream.total_out);
  deflateEnd(&stream);
  return gzip;
}

TEST(GzipAnswer, ComesBackWhole) {
  for (const size_t size : {0, 1, 4095, 4096, 4097, 100'000}) {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += static_cast<char>(i * i >> 3);
    EXPECT_EQ(InflateGzip(Gzip(text), size).value(), text) << size;
  }
  EXPECT_EQ(InflateGzip(Gzip("one ") + Gzip("") + Gzip("two"), kManyBytes).value(), "one two");
}

TEST(GzipAnswer, IsBounded) {
  const std::string bomb = Gzip(std::string(kManyBytes, '\0'));
  EXPECT_LT(bomb.size(), kManyBytes / 500);
  EXPECT_TRUE(InflateGzip(bomb, kManyBytes).ok());
  EXPECT_EQ(MessageOf(InflateGzip(bomb, kManyBytes - 1).status()),
            "the gzip of the answer holds more than 1048575 bytes");
}

TEST(GzipAnswer, DamageIsTold) {
  const std::string text = R"({"Item":{"pk":{"S":"something to be read again"}}})";
  const std::string gzip = Gzip(text);
  for (size_t size = 0; size < gzip.size(); ++size) {
    EXPECT_FALSE(InflateGzip(gzip.substr(0, size), kManyBytes).ok()) << size;
  }
  EXPECT_FALSE(InflateGzip(gzip + "x", kManyBytes).ok());
  // Some bits of the header say nothing about the content.
  for (size_t bit = 0; bit < 8 * gzip.size(); ++bit) {
    std::string flipped = gzip;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    const auto read = InflateGzip(flipped, kManyBytes);
    if (read.ok()) {
      EXPECT_EQ(*read, text) << bit;
    } else {
      EXPECT_EQ(read.status().code(), absl::StatusCode::kUnavailable) << bit;
    }
  }
}

TEST(GzipAnswer, IsReadWhereItsHeaderSaysSo) {
  ScriptedAnswer answer{.body = Gzip("{}"), .headers = "Content-Encoding: gzip\r\n"};
  std::string request;
  const ScriptedServer server([&](const std::string& asked) {
    request = asked;
    return answer;
  });
  const std::unique_ptr<HttpConnection> connection =
      HttpConnection::Make(server.address(), nullptr);
  const HttpHeaders headers = {{"Host", "localhost"}};
  const HttpCall call{.headers = headers, .body = "{}"};
  EXPECT_EQ(connection->Send(call).value().body, "{}");
  EXPECT_EQ(request.find("Accept-Encoding"), std::string::npos);
  // Who keeps the headers keeps what they describe.
  const HttpCall keeping{.headers = headers, .body = "{}", .keeps_headers = true};
  EXPECT_EQ(connection->Send(keeping).value().body, answer.body);
  answer.body.pop_back();
  EXPECT_THAT(std::string(MessageOf(connection->Send(call).status())), HasSubstr("damaged or cut"));
  answer = {.body = "{}", .headers = "Content-Encoding: br\r\n"};
  EXPECT_EQ(MessageOf(connection->Send(call).status()),
            "the answer has the Content-Encoding br, which is not known here");
  answer = {.body = "{}", .headers = "content-encoding: Identity\r\n"};
  EXPECT_EQ(connection->Send(call).value().body, "{}");
}

}  // namespace
}  // namespace dynolith::client
