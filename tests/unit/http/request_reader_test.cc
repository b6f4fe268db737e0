// The reader must understand a request in whatever pieces it arrives, must never confuse where one
// ends, and must hold little memory whatever is sent.
#include "tools/server/http/request_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace dynolith::http {
namespace {

using Progress = RequestReader::Progress;

void Feed(std::string_view bytes, RequestReader* reader) {
  while (!bytes.empty()) {
    const auto space = reader->Space();
    const size_t count = std::min(space.size(), bytes.size());
    std::memcpy(space.data(), bytes.data(), count);
    reader->Filled(count);
    bytes.remove_prefix(count);
    if (!bytes.empty() && reader->Advance() != Progress::kMore) {
      // The rest waits behind the complete request, as it does in a socket.
      continue;
    }
  }
}

// All that a request says, as text; "refused <status>" or "more" otherwise.
std::string Describe(RequestReader* reader) {
  switch (reader->Advance()) {
    case Progress::kMore:
      return "more";
    case Progress::kRefused:
      return "refused " + std::to_string(reader->refusal());
    case Progress::kRequest:
      break;
  }
  const Request& request = reader->request();
  std::string text(request.method_text);
  text.append(" ").append(request.target).append(request.keep_alive ? " keep" : " close");
  for (const Header& header : request.headers) {
    text.append(" ").append(header.name).append("=").append(header.value);
  }
  return text.append(" [").append(request.body).append("]");
}

std::string Read(std::string_view bytes, Limits limits = {}) {
  RequestReader reader(limits);
  Feed(bytes, &reader);
  return Describe(&reader);
}

std::vector<std::string> ReadAll(std::string_view bytes) {
  RequestReader reader(Limits{});
  Feed(bytes, &reader);
  std::vector<std::string> requests;
  while (reader.Advance() == Progress::kRequest) {
    requests.push_back(Describe(&reader));
    reader.Drop();
  }
  if (!reader.idle()) requests.push_back("rest");
  return requests;
}

constexpr std::string_view kPlain =
    "POST /a?b HTTP/1.1\r\nHost: h:1\r\nContent-Length: 5\r\nX-Empty:\r\n\r\nhello";
constexpr std::string_view kPlainText = "POST /a?b keep Host=h:1 Content-Length=5 X-Empty= [hello]";
constexpr std::string_view kChunked =
    "POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n"
    "4\r\nabcd\r\nA;name=value\r\n0123456789\r\n1 \r\nz\r\n0\r\nTrailer: 1\r\n\r\n";
constexpr std::string_view kChunkedText = "POST / keep transfer-encoding=Chunked [abcd0123456789z]";

TEST(RequestReader, WholeRequests) {
  EXPECT_EQ(Read(kPlain), kPlainText);
  EXPECT_EQ(Read(kChunked), kChunkedText);
  EXPECT_EQ(Read("GET / HTTP/1.1\r\n\r\n"), "GET / keep []");
  EXPECT_EQ(Read("\r\n\r\nGET / HTTP/1.1\r\n\r\n"), "GET / keep []");
  EXPECT_EQ(Read("BREW /pot HTTP/1.1\r\nA:  x y \t\r\n\r\n"), "BREW /pot keep A=x y []");
}

TEST(RequestReader, EverySplitIntoTwoReads) {
  for (const auto& [bytes, text] :
       {std::pair(kPlain, kPlainText), std::pair(kChunked, kChunkedText)}) {
    for (size_t cut = 0; cut <= bytes.size(); ++cut) {
      RequestReader reader(Limits{});
      Feed(bytes.substr(0, cut), &reader);
      if (cut < bytes.size()) {
        ASSERT_EQ(Describe(&reader), "more") << cut;
      }
      Feed(bytes.substr(cut), &reader);
      ASSERT_EQ(Describe(&reader), text) << cut;
      reader.Drop();
      ASSERT_TRUE(reader.idle()) << cut;
    }
  }
}

TEST(RequestReader, ByteByByteWithProgressInBetween) {
  std::string stream;
  for (int i = 0; i < 3; ++i) stream.append(kPlain).append(kChunked);
  RequestReader reader(Limits{});
  std::vector<std::string> requests;
  for (const char& byte : stream) {
    Feed(std::string_view(&byte, 1), &reader);
    if (reader.Advance() == Progress::kRequest) {
      requests.push_back(Describe(&reader));
      reader.Drop();
    }
  }
  ASSERT_EQ(requests.size(), 6u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(requests[i], i % 2 == 0 ? kPlainText : kChunkedText);
}

TEST(RequestReader, PipelinedInOneRead) {
  std::string stream;
  stream.append(kPlain).append(kChunked).append(kPlain).append(kChunked).append("GE");
  const std::vector<std::string> expected = {std::string(kPlainText), std::string(kChunkedText),
                                             std::string(kPlainText), std::string(kChunkedText),
                                             "rest"};
  EXPECT_EQ(ReadAll(stream), expected);
}

TEST(RequestReader, KeepAlive) {
  EXPECT_EQ(Read("GET / HTTP/1.0\r\n\r\n"), "GET / close []");
  EXPECT_EQ(Read("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"),
            "GET / keep Connection=Keep-Alive []");
  EXPECT_EQ(Read("GET / HTTP/1.1\r\nConnection: x, Close\r\n\r\n"),
            "GET / close Connection=x, Close []");
}

TEST(RequestReader, RefusesWhatIsMalformed) {
  const std::string_view bad[] = {
      "\x16\x03\x01",                                             // the beginning of TLS
      " GET / HTTP/1.1\r\n",                                      // no method
      "GET /\r\n",                                                // no version
      "GET  HTTP/1.1\r\n",                                        // no target
      "GET /\x01 HTTP/1.1\r\n",                                   // control character
      "GET /a b HTTP/1.1\r\n",                                    // space in the target
      "G(T / HTTP/1.1\r\n",                                       // not a token
      "GET / HTTP/1.x\r\n",                                       //
      "GET / http/1.1\r\n",                                       //
      "GET / HTTP/1.1\n",                                         // bare line feed
      "GET / HTTP/1.1\r\nA: b\n\r\n",                             //
      "GET / HTTP/1.1\r\nA b\r\n\r\n",                            // no colon
      "GET / HTTP/1.1\r\nA : b\r\n\r\n",                          // space before the colon
      "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",                     // folded line
      "GET / HTTP/1.1\r\n: b\r\n\r\n",                            // no name
      "GET / HTTP/1.1\r\nA: b\x7f\r\n\r\n",                       // control character
      std::string_view("GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", 26),  // and zero
      "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nbad\n\r\n",
  };
  for (const std::string_view bytes : bad) EXPECT_EQ(Read(bytes), "refused 400") << bytes;
  EXPECT_EQ(Read("GET / HTTP/2.0\r\n"), "refused 505");
  EXPECT_EQ(Read("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), "refused 501");
  EXPECT_EQ(Read("POST / HTTP/1.1\r\nExpect: magic\r\n\r\n"), "refused 417");
}

TEST(RequestReader, HeadLimit) {
  const auto head = [](size_t size) {
    const std::string start = "GET / HTTP/1.1\r\nA: ";
    return start + std::string(size - start.size() - 4, 'x') + "\r\n\r\n";
  };
  EXPECT_NE(Read(head(16 << 10)), "refused 400");
  EXPECT_EQ(Read(head((16 << 10) + 1)), "refused 400");
  // Also when it never ends, in every part of the head.
  EXPECT_EQ(Read(std::string((16 << 10) + 1, 'G')), "refused 400");
  EXPECT_EQ(Read("GET / HTTP/1.1\r\nA: " + std::string(16 << 10, 'x')), "refused 400");
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 4096; ++i) many.append("a:b\r\n");
  EXPECT_EQ(Read(many), "refused 400");
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(Read(chunked + std::string(2000, '0')), "refused 400");
  EXPECT_EQ(Read(chunked + "0\r\nA: " + std::string(17 << 10, 'x')), "refused 400");
}

TEST(RequestReader, BodyLimit) {
  const Limits limits{.body_bytes_max = 100};
  const std::string body(100, 'x');
  EXPECT_NE(Read("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n" + body, limits), "refused 413");
  // Refused by its head alone: nobody waits for the body.
  EXPECT_EQ(Read("POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n", limits), "refused 413");
  EXPECT_EQ(Read("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", limits),
            "refused 413");
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_NE(Read(chunked + "64\r\n" + body + "\r\n0\r\n\r\n", limits), "refused 413");
  EXPECT_EQ(Read(chunked + "64\r\n" + body + "\r\n1\r\n", limits), "refused 413");
  EXPECT_EQ(Read(chunked + "ffffffffffffffffffff\r\n", limits), "refused 413");
}

TEST(RequestReader, Expectation) {
  RequestReader reader(Limits{});
  Feed("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", &reader);
  EXPECT_EQ(reader.Advance(), Progress::kMore);
  EXPECT_TRUE(reader.TakeExpectation());
  EXPECT_FALSE(reader.TakeExpectation());
  Feed("ab", &reader);
  EXPECT_EQ(reader.Advance(), Progress::kRequest);
}

TEST(RequestReader, NoContinueWhenTheBodyIsAlreadyComing) {
  RequestReader reader(Limits{});
  Feed("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\na", &reader);
  EXPECT_EQ(reader.Advance(), Progress::kMore);
  EXPECT_FALSE(reader.TakeExpectation());
}

// What is announced costs nothing until it comes, and tiny chunks do not pile up.
TEST(RequestReader, MemoryFollowsWhatHasArrived) {
  RequestReader announced(Limits{});
  Feed("POST / HTTP/1.1\r\nContent-Length: 16777216\r\n\r\nabc", &announced);
  EXPECT_EQ(announced.Advance(), Progress::kMore);
  EXPECT_LE(announced.capacity(), 8u << 10);

  RequestReader chunks(Limits{});
  Feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", &chunks);
  for (int i = 0; i < 20'000; ++i) {
    Feed("1\r\nx\r\n", &chunks);
    ASSERT_EQ(chunks.Advance(), Progress::kMore);
  }
  EXPECT_LE(chunks.capacity(), 64u << 10);
  Feed("0\r\n\r\n", &chunks);
  ASSERT_EQ(chunks.Advance(), Progress::kRequest);
  EXPECT_EQ(chunks.request().body, std::string(20'000, 'x'));
}

TEST(RequestReader, GivesMemoryBack) {
  RequestReader reader(Limits{});
  Feed("POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x'), &reader);
  ASSERT_EQ(reader.Advance(), Progress::kRequest);
  EXPECT_EQ(reader.request().body.size(), 1'000'000u);
  reader.Drop();
  EXPECT_EQ(reader.capacity(), 0u);
  Feed(kPlain, &reader);
  EXPECT_EQ(Describe(&reader), kPlainText);
}

// Why: what is known of a line is used again where the next request has the same line, and must not
// be where it has another one, or what goes before it is another.
TEST(RequestReader, AHeadAfterAnotherIsReadAsTheFirst) {
  const std::vector<std::string_view> lines = {"Host: h:1",
                                               "Content-Length: 5",
                                               "Content-Length: 6",
                                               "X-Empty:",
                                               "X-One: 1",
                                               "X-One:  1 ",
                                               "x-one: 1",
                                               "X-One: 12",
                                               "Transfer-Encoding: chunked",
                                               "Connection: close",
                                               "Connection: keep-alive",
                                               "Expect: 100-continue",
                                               "X-Long: 0123456789012345678901234567890123456789",
                                               "no colon"};
  const Limits limits{.head_bytes_max = 120};
  std::mt19937 random(20261124);
  int answered = 0;
  for (int round = 0; round < 20'000; ++round) {
    RequestReader reader(limits);
    std::string_view versions[] = {"HTTP/1.1", "HTTP/1.0"};
    std::vector<std::string_view> head = {lines[0], lines[1]};
    for (int request = 0; request < 6; ++request) {
      // Mostly the head before with a change.
      const size_t at = random() % (head.size() + 1);
      if (random() % 2 == 0) head.insert(head.begin() + at, lines[random() % lines.size()]);
      if (random() % 2 == 0 && at < head.size()) head.erase(head.begin() + at);
      std::string bytes = "POST / " + std::string(versions[random() % 8 == 0]) + "\r\n";
      for (const std::string_view line : head) bytes.append(line).append("\r\n");
      const bool chunked = bytes.find("chunked") != std::string::npos;
      bytes.append("\r\n").append(chunked ? "5\r\nhello\r\n0\r\n\r\n" : "");
      if (!chunked && bytes.find("Length: 6") != std::string::npos) bytes.append("!");
      if (!chunked && bytes.find("Length: ") != std::string::npos) bytes.append("hello");
      const std::string expected = Read(bytes, limits);
      const size_t cut = random() % bytes.size();
      Feed(std::string_view(bytes).substr(0, cut), &reader);
      reader.Advance();
      Feed(std::string_view(bytes).substr(cut), &reader);
      ASSERT_EQ(Describe(&reader), expected) << bytes;
      if (!expected.starts_with("POST")) break;
      ++answered;
      reader.Drop();
      ASSERT_TRUE(reader.idle()) << bytes;
    }
  }
  EXPECT_GT(answered, 20'000);
}

TEST(RequestReader, FindsWhatIsThereAndNothingElse) {
  RequestReader reader(Limits{});
  const std::vector<std::string> names = {"Host",   "Origin", "x-amz-date",     "Date", "a",
                                          "Accept", "ORIGIN", "sec-fetch-site", "b"};
  for (size_t absent = 0; absent < names.size(); ++absent) {
    std::string bytes = "GET / HTTP/1.1\r\n";
    for (size_t i = absent + 1; i < names.size(); ++i) bytes.append(names[i] + ": v\r\n");
    Feed(bytes + "\r\n", &reader);
    ASSERT_EQ(reader.Advance(), Progress::kRequest);
    for (size_t i = 0; i < names.size(); ++i) {
      const bool is_there = i > absent || (names[i] == "Origin" && absent < 6);
      EXPECT_EQ(reader.request().Find(names[i]).has_value(), is_there) << names[i] << absent;
    }
    reader.Drop();
  }
}

TEST(RequestReader, FindsHeadersInAnyCase) {
  RequestReader reader(Limits{});
  Feed("GET /p?q=1?2 HTTP/1.1\r\nX-Amz-Target: t\r\nx-AMZ-target: u\r\n\r\n", &reader);
  ASSERT_EQ(reader.Advance(), Progress::kRequest);
  EXPECT_EQ(reader.request().Find("x-amz-target"), "t");
  EXPECT_EQ(reader.request().Find("x-amz-targe"), std::nullopt);
  EXPECT_EQ(reader.request().path(), "/p");
  EXPECT_EQ(reader.request().query(), "q=1?2");
}

// Values are looked at eight bytes at a time.
TEST(RequestReaderTest, AControlCharacterIsFoundAtEachPlace) {
  for (size_t size = 1; size <= 20; ++size) {
    for (size_t at = 0; at < size; ++at) {
      for (int byte = 1; byte < 256; ++byte) {
        if (byte == '\r' || byte == '\n') continue;  // of lines, not of values
        std::string value(size, 'v');
        value[at] = static_cast<char>(byte);
        const bool is_good = byte >= 0x20 ? byte != 0x7f : byte == '\t';
        const std::string answer = Read("GET / HTTP/1.1\r\nA: " + value + "\r\n\r\n");
        ASSERT_EQ(answer != "refused 400", is_good) << byte << " at " << at << " of " << size;
      }
    }
  }
}

TEST(EqualsIgnoreCaseTest, OnlyLettersHaveACase) {
  const auto lower = [](int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; };
  for (const size_t size : {1, 7, 8, 9, 16, 20}) {
    for (size_t at = 0; at < size; ++at) {
      for (int left = 0; left < 256; ++left) {
        for (const int right : {left, left ^ 0x20, (left + 1) % 256}) {
          std::string one(size, 'q');
          std::string other(size, 'Q');
          one[at] = static_cast<char>(left);
          other[at] = static_cast<char>(right);
          ASSERT_EQ(EqualsIgnoreCase(one, other), lower(left) == lower(right))
              << left << " and " << right << " at " << at << " of " << size;
        }
      }
    }
  }
  EXPECT_FALSE(EqualsIgnoreCase("host", "hosts"));
}

}  // namespace
}  // namespace dynolith::http
