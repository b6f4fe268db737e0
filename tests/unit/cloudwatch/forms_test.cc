// Three protocols say the same: what a program of any age sends is read the same, and what is no
// message of a protocol is refused at every length, never read beyond its end.
#include "tools/server/cloudwatch/forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "engine/base/errors.h"
#include "tools/server/cloudwatch/cbor.h"
#include "tools/server/cloudwatch/cloudwatch.h"
#include "tools/server/cloudwatch/text_forms.h"
#include "tools/server/http/request.h"
#include "tools/server/http/response.h"

namespace dynolith::cloudwatch {
namespace {

using ::testing::HasSubstr;

std::string FromHex(const std::string& hex) { return absl::HexStringToBytes(hex); }

// As JSON, whatever form it came in.
std::string Shown(const std::optional<Value>& value) {
  return value ? PrintJsonForm(*value) : "nothing";
}

Value Sample() {
  Value dimension = Value::Structure();
  dimension.Set("Name", Value::Text("TableName")).Set("Value", Value::Text("K\u00f6nig & <co>"));
  Value dimensions = Value::List();
  dimensions.elements.push_back(std::move(dimension));
  Value map = Value::Map();
  map.Set("p99.9", Value::Number(0.25));
  Value sample = Value::Structure();
  sample.Set("Dimensions", std::move(dimensions))
      .Set("Period", Value::Integer(60))
      .Set("Low", Value::Integer(-70'000))
      .Set("Threshold", Value::Number(4))
      .Set("Enabled", Value::Bool(true))
      .Set("At", Value::Time(absl::FromUnixMillis(1'700'000'000'250)))
      .Set("Nothing", Value())
      .Set("Empty", Value::List())
      .Set("Map", std::move(map));
  return sample;
}

// --- CBOR

TEST(Cbor, RoundTrip) {
  std::string bytes;
  AppendCbor(Sample(), &bytes);
  const std::optional<Value> read = ParseCbor(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(PrintJsonForm(*read), PrintJsonForm(Sample()));
  EXPECT_EQ(read->Find("At")->kind, Value::Kind::kTime);
}

TEST(Cbor, EveryTruncationIsRefused) {
  std::string bytes;
  AppendCbor(Sample(), &bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseCbor(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(ParseCbor(bytes + '\0'));
}

TEST(Cbor, FlippedBitsAndNoiseAreSurvived) {
  std::string bytes;
  AppendCbor(Sample(), &bytes);
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string wrong = bytes;
    wrong[i / 8] = static_cast<char>(wrong[i / 8] ^ (1 << (i % 8)));
    ParseCbor(wrong);
  }
  std::mt19937 random(3);  // NOLINT: the same each time
  for (int i = 0; i < 20'000; ++i) {
    std::string noise(random() % 40, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    ParseCbor(noise);
  }
}

// The examples of RFC 8949, appendix A.
TEST(Cbor, ExamplesOfTheStandard) {
  const std::pair<const char*, const char*> examples[] = {
      {"00", "0"},
      {"17", "23"},
      {"1818", "24"},
      {"1903e8", "1000"},
      {"1b000000e8d4a51000", "1000000000000"},
      {"1bffffffffffffffff", "18446744073709551616.0"},
      {"20", "-1"},
      {"3903e7", "-1000"},
      {"3bffffffffffffffff", "-18446744073709551616.0"},
      {"f93c00", "1.0"},
      {"f97bff", "65504.0"},
      {"f90001", "5.960464477539063e-08"},
      {"f9c400", "-4.0"},
      {"fa47c35000", "1e+05"},
      {"fb3ff199999999999a", "1.1"},
      {"f4", "false"},
      {"f6", "null"},
      {"f7", "null"},
      {"c11a514b67b0", "1363896240.0"},
      {"c1fb41d452d9ec200000", "1363896240.5"},
      {"6449455446", "\"IETF\""},
      {"62c3bc", "\"\u00fc\""},
      {"8301820203820405", "[1,[2,3],[4,5]]"},
      {"a26161016162820203", R"({"a":1,"b":[2,3]})"},
      {"7f657374726561646d696e67ff", "\"streaming\""},
      {"9f018202039f0405ffff", "[1,[2,3],[4,5]]"},
      {"bf61610161629f0203ffff", R"({"a":1,"b":[2,3]})"},
      {"d82076687474703a2f2f7777772e6578616d706c652e636f6d", "\"http://www.example.com\""},
  };
  for (const auto& [hex, json] : examples) EXPECT_EQ(Shown(ParseCbor(FromHex(hex))), json) << hex;
}

TEST(Cbor, WhatIsRefused) {
  for (const char* const hex : {"",
                                "1c",
                                "1f",
                                "3f",
                                "ff",
                                "df00",
                                "5f00ff",
                                "7f4100ff",
                                "7f7f6100ffff",
                                "7f61",
                                "a10102",
                                "a1614100ff",
                                "c1616161",
                                "c1fb7ff0000000000000",
                                "e0",
                                "f8ff",
                                "fc",
                                "9bffffffffffffffff",
                                "7bffffffffffffffff00",
                                "bf6161ff"}) {
    EXPECT_FALSE(ParseCbor(FromHex(hex))) << hex;
  }
  std::string deep(33, '\x81');
  EXPECT_FALSE(ParseCbor(deep + '\x00'));
  EXPECT_TRUE(ParseCbor(deep.substr(1) + '\x00'));
  // A number that is none is no value of any member.
  EXPECT_FALSE(ParseCbor(FromHex("f97e00"))->AsNumber());
  EXPECT_FALSE(ParseCbor(FromHex("f97c00"))->AsNumber());
}

TEST(Cbor, ManySmallItemsDoNotFillTheMemory) {
  std::string bytes = FromHex("9a00030000");  // an array of 196,608
  bytes.append(196'608, '\x00');
  EXPECT_FALSE(ParseCbor(bytes));
  bytes = FromHex("9a00010000");
  bytes.append(65'536, '\x00');
  EXPECT_TRUE(ParseCbor(bytes));
}

// --- JSON and forms

TEST(TextForms, Json) {
  EXPECT_EQ(PrintJsonForm(Sample()),
            "{\"Dimensions\":[{\"Name\":\"TableName\",\"Value\":\"K\u00f6nig & <co>\"}],"
            "\"Period\":60,\"Low\":-70000,\"Threshold\":4.0,\"Enabled\":true,"
            "\"At\":1700000000.25,\"Nothing\":null,\"Empty\":[],\"Map\":{\"p99.9\":0.25}}");
  const auto read = ParseJsonForm(PrintJsonForm(Sample()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->Find("Period")->AsInteger(), 60);
  EXPECT_EQ(read->Find("At")->AsTime(), absl::FromUnixMillis(1'700'000'000'250));
  EXPECT_EQ(Shown(ParseJsonForm("")), "{}");
  for (const char* const wrong : {"[]", "1", "{", "{\"a\":}", "nonsense"}) {
    EXPECT_FALSE(ParseJsonForm(wrong)) << wrong;
  }
  EXPECT_FALSE(ParseJsonForm(R"({"a": 1e999})")->Find("a")->AsNumber());
}

TEST(TextForms, Query) {
  EXPECT_EQ(Shown(ParseQueryForm(
                "Action=ListMetrics&Dimensions.member.2.Name=b&Version=2010-08-01&"
                "Dimensions.member.1.Name=Table%20+Name&Statistics.member.1=Sum&Empty=")),
            R"({"Action":"ListMetrics","Dimensions":[{"Name":"Table  Name"},{"Name":"b"}],)"
            R"("Empty":"","Statistics":["Sum"],"Version":"2010-08-01"})");
  // Numbers of elements may leave some out.
  EXPECT_EQ(Shown(ParseQueryForm("L.member.10=b&L.member.9=a")), R"({"L":["a","b"]})");
  for (const char* const wrong :
       {"a=%", "a=%4", "a=%zz", "=b", "a=1&a.b=2", "L.member.0=a", "L.member.x=a",
        "L.member.10001=a", "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=1"}) {
    EXPECT_FALSE(ParseQueryForm(wrong)) << wrong;
  }
}

TEST(TextForms, ManySmallItemsDoNotFillTheMemory) {
  const auto list = [](int zeros) {
    std::string json = R"({"a":[0)";
    for (int i = 1; i < zeros; ++i) json += ",0";
    return json + "]}";
  };
  // The object, the name and the list are items, too.
  EXPECT_TRUE(ParseJsonForm(list(kItemsMax - 3)));
  EXPECT_FALSE(ParseJsonForm(list(kItemsMax - 2)));
  std::string members = "{";
  for (int i = 0; i < kItemsMax / 2; ++i) members += R"("":0,)";
  members.back() = '}';
  EXPECT_FALSE(ParseJsonForm(members));
  std::string form;
  int i = 0;
  for (; i < kItemsMax / 2 - 1; ++i) form += "&" + std::to_string(i) + "=";
  EXPECT_TRUE(ParseQueryForm(form));
  EXPECT_FALSE(ParseQueryForm(form + "&" + std::to_string(i) + "="));
}

TEST(TextForms, Xml) {
  std::string text;
  AppendXml("Sample", Sample(), &text);
  EXPECT_EQ(text,
            "<Sample><Dimensions><member><Name>TableName</Name>"
            "<Value>K\u00f6nig &amp; &lt;co&gt;</Value></member></Dimensions><Period>60</Period>"
            "<Low>-70000</Low><Threshold>4.0</Threshold><Enabled>true</Enabled>"
            "<At>2023-11-14T22:13:20.250Z</At><Nothing></Nothing><Empty></Empty>"
            "<Map><entry><key>p99.9</key><value>0.25</value></entry></Map></Sample>");
  EXPECT_EQ(EscapeXml("a\x01\"\r"), "a &quot;&#xD;");
}

TEST(Value, FormsOfTheSameValue) {
  EXPECT_EQ(Value::Text("60").AsInteger(), 60);
  EXPECT_EQ(Value::Text("1e3").AsNumber(), 1'000);
  EXPECT_EQ(Value::Text("true").AsBool(), true);
  EXPECT_FALSE(Value::Text("60.5").AsInteger());
  EXPECT_FALSE(Value::Text("inf").AsNumber());
  EXPECT_FALSE(Value::Text("").AsNumber());
  EXPECT_FALSE(Value::Number(60).AsText());
  EXPECT_FALSE(Value::Number(1e17).AsInteger());
  EXPECT_FALSE(Value::Number(1e30).AsTime());
  const absl::Time time = absl::FromUnixSeconds(1'700'000'000);
  EXPECT_EQ(Value::Text("2023-11-14T22:13:20Z").AsTime(), time);
  EXPECT_EQ(Value::Text("2023-11-14T23:13:20+01:00").AsTime(), time);
  EXPECT_EQ(Value::Text("2023-11-14T22:13:20").AsTime(), time);
  EXPECT_EQ(Value::Integer(1'700'000'000).AsTime(), time);
  // Texts say times beyond what can be computed with, too.
  for (const char* const wrong : {"infinite-past", "infinite-future", "0000-12-31T23:59:59Z",
                                  "10000-01-01T00:00:00Z", "10000-01-01T00:00:00"}) {
    EXPECT_FALSE(Value::Text(wrong).AsTime()) << wrong;
  }
  EXPECT_TRUE(Value::Text("0001-01-01T00:00:00Z").AsTime());
  EXPECT_TRUE(Value::Text("9999-12-31T23:59:59Z").AsTime());
}

// --- Requests

http::Request Post(std::string_view target, std::string_view type, std::string_view body) {
  http::Request request;
  request.method = http::Method::kPost;
  request.target = target;
  if (!type.empty()) request.headers.push_back({"content-type", type});
  request.body = body;
  return request;
}

TEST(Forms, WhichRequestsAreCalls) {
  const char* const kForm = "application/x-www-form-urlencoded; charset=utf-8";
  EXPECT_EQ(FindForm(Post("/", kForm, "Action=ListMetrics"), "/"), Form::kQuery);
  EXPECT_EQ(FindForm(Post("/", kForm, "Version=1&Action=ListMetrics"), "/"), Form::kQuery);
  EXPECT_EQ(FindForm(Post("/", kForm, "NoAction=ListMetrics"), "/"), std::nullopt);
  EXPECT_EQ(FindForm(Post("/", "application/json", "Action=ListMetrics"), "/"), std::nullopt);
  const char* const kPath = "/service/GraniteServiceVersion20100801/operation/ListMetrics";
  EXPECT_EQ(FindForm(Post(kPath, "application/cbor", ""), kPath), Form::kCbor);
  http::Request json = Post("/", "application/x-amz-json-1.0", "{}");
  json.headers.push_back({"x-amz-target", "GraniteServiceVersion20100801.ListMetrics"});
  EXPECT_EQ(FindForm(json, "/"), Form::kJson);
  EXPECT_EQ(ReadCall(Form::kJson, json, "/").operation, "ListMetrics");
  json.method = http::Method::kGet;
  EXPECT_EQ(FindForm(json, "/"), std::nullopt);
  http::Request other = Post("/", "application/x-amz-json-1.0", "{}");
  other.headers.push_back({"x-amz-target", "DynamoDB_20120810.ListTables"});
  EXPECT_EQ(FindForm(other, "/"), std::nullopt);
}

TEST(Forms, LargeRequestsAreNotRead) {
  const std::string body = "Action=ListMetrics&a=" + std::string(kRequestBytesMax, 'x');
  const http::Request request = Post("/", "application/x-www-form-urlencoded", body);
  const CallText call = ReadCall(Form::kQuery, request, "/");
  EXPECT_TRUE(call.is_too_large);
  EXPECT_FALSE(call.input);
}

// With neither an operation nor an input, and no database that could be asked.
TEST(Forms, WhoMayNotCallIsToldSoInTheirForm) {
  Cloudwatch cloudwatch({});
  const absl::Status refusal = MakeError(ErrorKind::kAccessDenied, "not you");
  const char* const kPath = "/service/GraniteServiceVersion20100801/operation/ListMetrics";
  http::Request json = Post("/", "application/x-amz-json-1.0", "nonsense");
  json.headers.push_back({"x-amz-target", "GraniteServiceVersion20100801.ListMetrics"});
  for (const http::Request& request :
       {Post(kPath, "application/cbor", "nonsense"), json,
        Post("/", "application/x-www-form-urlencoded", "Action=ListMetrics&%")}) {
    http::Response response;
    cloudwatch.Answer(request, request.target, {.database = "", .region = "", .refusal = refusal},
                      &response);
    EXPECT_EQ(response.status, 403);
    EXPECT_THAT(response.body, HasSubstr("not you"));
  }
}

TEST(Forms, ErrorsInEachForm) {
  const CallResult error = AlarmNotFound("no <alarm>");
  http::Response query;
  WriteResult({.form = Form::kQuery, .operation = "DeleteAlarms"}, error, "ID", &query);
  EXPECT_EQ(query.status, 404);
  EXPECT_THAT(query.body, HasSubstr("<Code>ResourceNotFound</Code>"
                                    "<Message>no &lt;alarm&gt;</Message>"));
  http::Response json;
  WriteResult({.form = Form::kJson, .operation = "DeleteAlarms"}, error, "ID", &json);
  EXPECT_THAT(json.header_lines, HasSubstr("x-amzn-query-error: ResourceNotFound;Sender"));
  EXPECT_THAT(json.body, HasSubstr("#ResourceNotFound\",\"message\":\"no <alarm>\""));
  http::Response cbor;
  WriteResult({.form = Form::kCbor, .operation = "DeleteAlarms"}, error, "ID", &cbor);
  EXPECT_EQ(Shown(ParseCbor(cbor.body)), json.body);
  EXPECT_THAT(cbor.header_lines, HasSubstr("smithy-protocol: rpc-v2-cbor"));
}

}  // namespace
}  // namespace dynolith::cloudwatch
