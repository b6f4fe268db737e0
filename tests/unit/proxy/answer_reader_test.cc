// Answers of an endpoint are read alike however their bytes are cut, and what is no answer, or
// could be read in two ways, is refused.
#include "tools/proxy/answer_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tools/server/http/response.h"

namespace dynolith::proxy {
namespace {

using Progress = AnswerReader::Progress;

struct Reading {
  bool without_body = false;  // the answer to HEAD
  size_t step = SIZE_MAX;     // the most bytes of one piece
};

// "200 [lines] body open", or the reason why there is no answer.
std::string Outcome(const AnswerReader& reader, Progress progress, const http::Response& response) {
  if (progress == Progress::kMore) return "more";
  if (progress == Progress::kRefused) return reader.why();
  return Concat(response.status, " [", response.header_lines, "] ", response.body,
                reader.stays_open() ? " open" : " closes");
}

// The answer in these bytes, behind which the endpoint closes the connection.
std::string Read(std::string_view bytes, const Reading& how = {}) {
  AnswerReader reader;
  http::Response response;
  reader.Begin(how.without_body, &response);
  Progress progress = Progress::kMore;
  while (progress == Progress::kMore && !bytes.empty()) {
    const auto space = reader.Space();
    const size_t count = std::min({how.step, space.size(), bytes.size()});
    std::memcpy(space.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    progress = reader.Filled(count);
  }
  if (progress == Progress::kMore) progress = reader.Ended();
  return Outcome(reader, progress, response);
}

// In pieces of every size up to that of a line.
std::string ReadInPieces(std::string_view bytes) {
  const std::string whole = Read(bytes);
  for (size_t step = 1; step < 40; ++step) EXPECT_EQ(Read(bytes, {.step = step}), whole) << step;
  return whole;
}

TEST(AnswerReaderTest, ReadsBodiesOfAllKinds) {
  EXPECT_EQ(ReadInPieces("HTTP/1.1 200 OK\r\nServer: x\r\nx-amz-crc32: 7\r\nContent-Length: 2\r\n"
                         "Connection: keep-alive\r\n\r\n{}"),
            "200 [x-amz-crc32: 7\r\n] {} open");
  EXPECT_EQ(
      ReadInPieces("HTTP/1.1 400 \r\nTransfer-Encoding: chunked\r\nA:  b \r\n\r\n"
                   "3;x=y\r\n{\"a\r\n00a\r\n\":\"\r\n\r\nbc\"\r\n1\r\n}\r\n0\r\nB: c\r\n\r\n"),
      "400 [A: b\r\n] {\"a\":\"\r\n\r\nbc\"} open");
  EXPECT_EQ(ReadInPieces("HTTP/1.1 200\r\nA: b\r\n\r\n{}"), "200 [A: b\r\n] {} closes");
  EXPECT_EQ(ReadInPieces("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "200 []  open");
  EXPECT_EQ(ReadInPieces("HTTP/1.1 204 No\r\nA: b\r\n\r\n"), "204 [A: b\r\n]  open");
  EXPECT_EQ(Read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", {.without_body = true}),
            "200 []  open");
  EXPECT_EQ(ReadInPieces("HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n"
                         "Content-Length: 1\r\n\r\nx"),
            "200 [] x open");
}

TEST(AnswerReaderTest, KnowsWhetherTheConnectionStays) {
  const auto last = [](std::string_view version, std::string_view header) {
    const std::string outcome =
        Read(Concat("HTTP/", version, " 200 OK\r\nContent-Length: 1\r\n", header, "\r\nx"));
    return outcome.substr(outcome.rfind(' ') + 1);
  };
  EXPECT_EQ(last("1.1", ""), "open");
  EXPECT_EQ(last("1.1", "connection: Close\r\n"), "closes");
  EXPECT_EQ(last("1.1", "Connection: x, close\r\n"), "closes");
  EXPECT_EQ(last("1.1", "Connection: closed\r\n"), "open");
  EXPECT_EQ(last("1.0", ""), "closes");
  EXPECT_EQ(last("1.0", "Connection: keep-alive\r\n"), "open");
  // What nobody has asked for is not the next answer.
  EXPECT_EQ(Read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 "), "200 [] x closes");
}

TEST(AnswerReaderTest, ReadsOneAnswerBehindTheOther) {
  AnswerReader reader;
  for (int i = 0; i < 3; ++i) {
    http::Response response;
    reader.Begin(false, &response);
    EXPECT_FALSE(reader.has_begun());
    const std::string answer = Concat("HTTP/1.1 20", i, " OK\r\nContent-Length: 1\r\n\r\n", i);
    std::memcpy(reader.Space().data(), answer.data(), answer.size());
    EXPECT_EQ(Outcome(reader, reader.Filled(answer.size()), response),
              Concat("20", i, " [] ", i, " open"));
  }
}

TEST(AnswerReaderTest, RefusesWhatIsNoAnswer) {
  const std::string no_http = "its answer is not HTTP/1.1";
  for (const std::string_view bytes : {
           "nonsense\r\n",
           "SSH-2.0-OpenSSH\r\n",
           "HTTP/2.0 200 OK\r\n\r\n",
           "HTTP/1.1 20 OK\r\n\r\n",
           "HTTP/1.1 2000 OK\r\n\r\n",
           "HTTP/1.1 099 OK\r\n\r\n",
           "HTTP/1.1 -20 OK\r\n\r\n",
           "HTTP/1.1 200 OK\n\r\n",
           "HTTP/1.1 101 OK\r\n\r\n",
           "HTTP/1.1 200 OK\r\nno colon\r\n",
           "HTTP/1.1 200 OK\r\n: x\r\n",
           "HTTP/1.1 200 OK\r\na : x\r\n",
           "HTTP/1.1 200 OK\r\na: x\r\n b\r\n",
           "HTTP/1.1 200 OK\r\na: x\rb: c\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: x\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
       }) {
    EXPECT_EQ(ReadInPieces(bytes), no_http) << bytes;
  }
  EXPECT_EQ(Read("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n"),
            "its answer has the unknown Transfer-Encoding gzip, chunked");
  EXPECT_EQ(Read(Concat("HTTP/1.1 200 OK\r\na: ", std::string(17'000, 'x'), "\r\n\r\n")),
            "the headers of its answer have more than 16 KB");
  EXPECT_EQ(Read("HTTP/1.1 400 OK\r\nContent-Length: 67108865\r\n\r\n"),
            "its answer has more than 64 MB");
  EXPECT_EQ(Read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n"),
            "its answer has more than 64 MB");
}

// Its body may be taken away as it comes.
TEST(AnswerReaderTest, TellsOfALongBody) {
  constexpr size_t kBytes = 300'000;
  AnswerReader reader;
  http::Response response;
  reader.Begin(false, &response);
  std::string rest =
      Concat("HTTP/1.1 200 OK\r\nContent-Length: ", kBytes, "\r\n\r\n", std::string(kBytes, 'x'));
  size_t taken = 0;
  int told = 0;
  Progress progress = Progress::kMore;
  while (progress != Progress::kAnswer) {
    ASSERT_NE(progress, Progress::kRefused);
    const auto space = reader.Space();
    const size_t count = std::min(space.size(), rest.size());
    ASSERT_GT(count, 0);
    std::memcpy(space.data(), rest.data(), count);
    rest.erase(0, count);
    progress = reader.Filled(count);
    told += progress == Progress::kLongBody ? 1 : 0;
    if (told == 0) continue;
    taken += response.body.size();
    response.body.clear();
  }
  EXPECT_EQ(taken, kBytes);
  EXPECT_EQ(reader.body_bytes(), kBytes);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(reader.stays_open());
}

// A part of an answer is none, wherever it ends.
TEST(AnswerReaderTest, RefusesWhatIsCutOff) {
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
  const std::string fixed = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  for (const std::string& whole : {chunked, fixed}) {
    EXPECT_EQ(Read(""), "it has closed the connection without an answer");
    for (size_t bytes = 1; bytes < whole.size(); ++bytes) {
      EXPECT_EQ(Read(whole.substr(0, bytes)), "it has closed the connection within its answer")
          << bytes;
    }
  }
}

}  // namespace
}  // namespace dynolith::proxy
