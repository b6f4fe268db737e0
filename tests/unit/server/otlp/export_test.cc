// What a receiver of telemetry answers, what waits for it, and what sums must say so that a reset
// is not read as a loss.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/server/otlp/export_client.h"
#include "tools/server/otlp/export_request.h"
#include "tools/server/otlp/protobuf.h"
#include "tools/server/otlp/settings.h"
#include "tools/server/otlp/span_queue.h"

namespace dynolith::otlp {
namespace {

using Kind = ExportResult::Kind;

constexpr absl::Time kNoon = absl::FromUnixSeconds(1'769'860'800);  // 2026-01-31

client::HttpAnswer AnswerWith(int status, std::string body = "", client::HttpHeaders headers = {}) {
  headers.emplace_back("Content-Type", "application/x-protobuf");
  return {.status = status, .body = std::move(body), .headers = std::move(headers)};
}

TEST(Protobuf, WhatIsWrittenCanBeRead) {
  std::string bytes;
  ProtobufWriter writer(&bytes);
  writer.Varint(1, 300);
  writer.Fixed32(2, 7);
  writer.Fixed64(3, 7);
  writer.Message(16, [](ProtobufWriter* inner) { inner->Bytes(1, "text"); });
  writer.Varint(5, ~uint64_t{0});
  // 300 as in the encoding's own guide.
  EXPECT_EQ(bytes.substr(0, 3), std::string("\x08\xac\x02", 3));
  ProtobufReader reader(bytes);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.varint(), 300u);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field(), 2u);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field(), 3u);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field(), 16u);
  EXPECT_EQ(reader.bytes(), std::string_view("\x0a\x04text", 6));
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.varint(), ~uint64_t{0});
  EXPECT_FALSE(reader.Next());
  // A receiver's bytes may be anything: fields before the damage are read, and nothing behind it.
  for (size_t size = 0; size < bytes.size(); ++size) {
    ProtobufReader cut(std::string_view(bytes).substr(0, size));
    int fields = 0;
    while (cut.Next()) ++fields;
    EXPECT_LT(fields, 5) << size;
  }
  for (const char c : {'\x07', '\x03', '\x80'}) {
    EXPECT_FALSE(ProtobufReader(std::string(20, c)).Next());
  }
}

TEST(Answers, OfReceivers) {
  EXPECT_EQ(ResultOf(AnswerWith(200), kNoon).kind, Kind::kTaken);
  EXPECT_EQ(ResultOf(AnswerWith(200), kNoon).reason, "");
  for (const int status : {429, 502, 503, 504}) {
    const ExportResult later = ResultOf(AnswerWith(status), kNoon);
    EXPECT_EQ(later.kind, Kind::kLater);
    EXPECT_LT(later.retry_after, absl::ZeroDuration());
  }
  for (const int status : {301, 400, 401, 404, 408, 413, 500, 501}) {
    EXPECT_EQ(ResultOf(AnswerWith(status), kNoon).kind, Kind::kRefused) << status;
  }
  std::string status;
  ProtobufWriter(&status).Varint(1, 3);
  ProtobufWriter(&status).Bytes(2, "no such tenant");
  EXPECT_EQ(ResultOf(AnswerWith(400, status), kNoon).reason, "status 400: no such tenant");
  EXPECT_EQ(ResultOf({.status = 404, .body = "not \xff here"}, kNoon).reason,
            "status 404: not \xef\xbf\xbd here");
}

TEST(Answers, RetryAfter) {
  const auto after = [](std::string text) {
    return ResultOf(AnswerWith(503, "", {{"retry-after", std::move(text)}}), kNoon).retry_after;
  };
  EXPECT_EQ(after("0"), absl::ZeroDuration());
  EXPECT_EQ(after("120"), absl::Minutes(2));
  EXPECT_EQ(after("Sat, 31 Jan 2026 12:00:30 GMT"), absl::Seconds(30));
  EXPECT_EQ(after("Sat, 31 Jan 2026 11:00:00 GMT"), absl::ZeroDuration());
  for (const char* none : {"", "-1", "1.5", "soon"}) {
    EXPECT_LT(after(none), absl::ZeroDuration()) << none;
  }
}

TEST(Answers, PartialSuccess) {
  std::string body;
  ProtobufWriter(&body).Message(1, [](ProtobufWriter* partial) {
    partial->Varint(1, 3);
    partial->Bytes(2, "too old");
  });
  const ExportResult partly = ResultOf(AnswerWith(200, body), kNoon);
  // It must not be sent again.
  EXPECT_EQ(partly.kind, Kind::kTaken);
  EXPECT_EQ(partly.rejected, 3u);
  EXPECT_EQ(partly.reason, "too old");
}

TEST(SpanQueues, AreBounded) {
  SpanQueue queue({.spans_max = 5, .bytes_max = 100, .batch_spans_max = 2, .batch_bytes_max = 60});
  EXPECT_FALSE(queue.Add("a"));
  EXPECT_FALSE(queue.has_batch());
  EXPECT_TRUE(queue.Add("b"));
  EXPECT_TRUE(queue.has_batch());
  EXPECT_FALSE(queue.Add(std::string(99, 'x')));  // no room for its bytes
  EXPECT_EQ(queue.dropped(), 1u);
  EXPECT_FALSE(queue.Add(std::string(50, 'c')));
  EXPECT_TRUE(queue.Add(std::string(40, 'd')));
  EXPECT_FALSE(queue.Add("e"));
  EXPECT_FALSE(queue.Add("f"));  // there are five
  EXPECT_EQ(queue.dropped(), 2u);
  EXPECT_EQ(queue.Take(), std::vector<std::string>({"a", "b"}));
  // What is too much for one batch comes with the next, and there is room again.
  EXPECT_EQ(queue.Take(), std::vector<std::string>({std::string(50, 'c')}));
  queue.Add("g");
  EXPECT_EQ(queue.Take(), std::vector<std::string>({std::string(40, 'd'), "e"}));
  EXPECT_EQ(queue.Take(), std::vector<std::string>({"g"}));
  EXPECT_TRUE(queue.Take().empty());
  EXPECT_EQ(queue.dropped(), 2u);
  // One that is larger than a batch goes alone.
  queue.Add(std::string(70, 'h'));
  EXPECT_EQ(queue.Take().size(), 1u);
}

TEST(Series, BeginWhenTheyWereLastNotThere) {
  SeriesStarts starts(kNoon);
  const auto look = [&](int minute, const std::vector<double>& values) {
    std::vector<int64_t> begun;  // minutes after noon, of series "0", "1", …
    starts.Begin();
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] < 0) {
        begun.push_back(-1);
        continue;
      }
      begun.push_back(absl::ToInt64Minutes(starts.StartOf(std::to_string(i), values[i]) - kNoon));
    }
    starts.End(kNoon + absl::Minutes(minute));
    return begun;
  };
  constexpr double kGone = -1;
  EXPECT_EQ(look(1, {5}), std::vector<int64_t>({0}));
  EXPECT_EQ(look(2, {5, 3}), std::vector<int64_t>({0, 1}));
  EXPECT_EQ(look(3, {7, 2}), std::vector<int64_t>({0, 2}));       // the second has begun anew
  EXPECT_EQ(look(4, {kGone, 2}), std::vector<int64_t>({-1, 2}));  // the first is gone
  EXPECT_EQ(look(5, {9, 4}), std::vector<int64_t>({4, 2}));       // and there again
}

absl::StatusOr<Settings> SettingsWith(std::string_view url, std::string name, std::string value) {
  return FindSettings(url, [&](const char* variable) { return variable == name ? value : ""; });
}

TEST(OtlpSettings, Addresses) {
  const auto target = [](std::string_view url) {
    const absl::StatusOr<Settings> settings = SettingsWith(url, "", "");
    return settings.ok() ? Concat(settings->address.is_tls ? "s " : "", settings->address.host, " ",
                                  settings->address.port, " ", settings->path)
                         : std::string(MessageOf(settings.status()));
  };
  EXPECT_EQ(target(""), "localhost 4318 ");
  EXPECT_EQ(target("http://collector:4318/"), "collector 4318 ");
  EXPECT_EQ(target("https://api.example/otlp/"), "s api.example 443 /otlp");
  for (const char* none :
       {"collector:4318", "http://", "http://a b", "http://a/?x", "grpc://a:1"}) {
    EXPECT_EQ(target(none),
              Concat("--otlp: ", none, " is no address such as http://localhost:4318"));
  }
  const char* const kEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";
  EXPECT_EQ(SettingsWith("", kEndpoint, "http://there:1")->url, "http://there:1");
  EXPECT_EQ(SettingsWith("", kEndpoint, "http://there:1")->variables,
            std::vector<std::string>({kEndpoint}));
  // The option says where to, and the variable is not followed then.
  EXPECT_EQ(SettingsWith("http://here:1", kEndpoint, "http://there:1")->url, "http://here:1");
  EXPECT_TRUE(SettingsWith("http://here:1", kEndpoint, "http://there:1")->variables.empty());
}

TEST(OtlpSettings, Variables) {
  const auto headers = [](std::string text) {
    return SettingsWith("", "OTEL_EXPORTER_OTLP_HEADERS", std::move(text));
  };
  EXPECT_EQ(headers("api-key=a%20b, x=1=2,")->headers,
            client::HttpHeaders({{"api-key", "a b"}, {"x", "1=2"}}));
  EXPECT_EQ(headers("a=%zz%4")->headers, client::HttpHeaders({{"a", "%zz%4"}}));
  for (const char* wrong : {"a", "=b", "a=%0d%0aevil: 1", "a b=c", "a:=c"}) {
    EXPECT_FALSE(headers(wrong).ok()) << wrong;
  }
  EXPECT_TRUE(SettingsWith("", "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")->compresses);
  EXPECT_FALSE(SettingsWith("", "OTEL_EXPORTER_OTLP_COMPRESSION", "none")->compresses);
  EXPECT_FALSE(SettingsWith("", "OTEL_EXPORTER_OTLP_COMPRESSION", "zstd").ok());
  EXPECT_TRUE(SettingsWith("", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf").ok());
  EXPECT_FALSE(SettingsWith("", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc").ok());
  EXPECT_EQ(SettingsWith("", "OTEL_EXPORTER_OTLP_TIMEOUT", "2500")->timeout,
            absl::Milliseconds(2500));
  for (const char* wrong : {"0", "-1", "1s", "99999999999999999999"}) {
    EXPECT_FALSE(SettingsWith("", "OTEL_EXPORTER_OTLP_TIMEOUT", wrong).ok()) << wrong;
  }
  EXPECT_FALSE(SettingsWith("", "OTEL_RESOURCE_ATTRIBUTES", "a").ok());
  // Texts of protobuf are UTF-8.
  EXPECT_NE(SettingsWith("", "OTEL_SERVICE_NAME", "\xff")->resource.find("\xef\xbf\xbd"),
            std::string::npos);
}

}  // namespace
}  // namespace dynolith::otlp
