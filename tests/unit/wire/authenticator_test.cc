// Each authentication failure of api/facts/wire.md §6 in its words, and which of two comes first.
#include "tools/server/wire/authenticator.h"

#include <gtest/gtest.h>

#include "api/remote/signature.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/server/http/canonical_request.h"

namespace dynolith::http {
namespace {

constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
constexpr std::string_view kGoodHeader =
    "AWS4-HMAC-SHA256 Credential=key/20261001/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature="
    "4a5838644b624505f75259f7b19bbbc9e95a2849ef316bc2fed1cbf69109f9d3";

absl::Time Noon() { return absl::FromUnixSeconds(1790856000); }  // 2026-10-01T12:00:00Z

// A request whose views belong to the caller or are literals.
Request MakeRequest(std::string_view target, std::vector<Header> headers) {
  Request request;
  request.method = Method::kPost;
  request.method_text = "POST";
  request.target = target;
  request.headers = std::move(headers);
  request.body = R"({"Limit":10})";
  return request;
}

Request Signed(std::string_view authorization, std::string_view date = "20261001T120000Z") {
  return MakeRequest("/", {{"Host", "localhost:8000"},
                           {"Content-Type", "application/x-amz-json-1.0"},
                           {"X-Amz-Date", date},
                           {"X-Amz-Target", "DynamoDB_20120810.ListTables"},
                           {"Authorization", authorization}});
}

// "<exception>: <message>", or "ok".
std::string Check(const Request& request, AuthenticatorOptions options = {}) {
  const absl::Status status = Authenticator(std::move(options)).Check(request);
  if (status.ok()) return "ok";
  return Concat(InfoOf(KindOf(status)).exception_name, ": ", MessageOf(status));
}

std::string CheckHeader(std::string_view authorization,
                        std::string_view date = "20261001T120000Z") {
  return Check(Signed(authorization, date));
}

std::string CheckCredential(std::string_view credential) {
  return CheckHeader(
      Concat("AWS4-HMAC-SHA256 Credential=", credential, ", SignedHeaders=host, Signature=s"));
}

// Why: what was found right is not looked at again, and must not cover what differs from it. A new
// thread has found nothing yet.
TEST(AuthenticatorShape, WhatWasRightCoversNothingElse) {
  const std::string front(kGoodHeader.substr(0, kGoodHeader.rfind('=') + 1));
  const std::string headers[] = {std::string(kGoodHeader),
                                 front + "other",
                                 front,
                                 front + "a b",
                                 front + "a,b",
                                 front + "a, SignedHeaders=date",
                                 front + "a,Signature=",
                                 front + "a=b",
                                 front.substr(0, front.size() - 1),
                                 std::string(kGoodHeader.substr(1)),
                                 front + "a, Credential=key/20261001/x/dynamodb/aws4_request"};
  std::vector<Request> requests;
  for (const std::string& header : headers) {
    requests.push_back(Signed(header));
    requests.push_back(Signed(header, "20261001T120001Z"));
    requests.push_back(Signed(header, "20261002T120000Z"));
    requests.push_back(Signed(header, ""));
    requests.push_back(Signed(header));
    requests.back().target = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256";
    requests.push_back(Signed(header));
    requests.back().headers[2].name = "X-Other-Date";
    requests.push_back(Signed(header));
    requests.back().headers[2] = {"Date", "Thu, 01 Oct 2026 12:00:00 GMT"};
  }
  for (const Request& request : requests) {
    std::string expected;
    std::thread([&] { expected = Check(request); }).join();
    EXPECT_EQ(Check(Signed(kGoodHeader)), "ok");
    EXPECT_EQ(Check(Signed(kGoodHeader)), "ok");
    EXPECT_EQ(Check(request), expected) << request.headers[4].value << request.target;
  }
}

// "<access key> <region>"
std::string FindNames(const Request& request) {
  const Signatory signatory = FindSignatory(request);
  return Concat(signatory.access_key, " ", signatory.region);
}

// Why: reads that are to be monotonic for a client must not take two for one, nor one for two.
TEST(SignatoryTest, OfHeaderAndQuery) {
  EXPECT_EQ(FindNames(Signed(kGoodHeader)), "key us-east-1");
  EXPECT_EQ(FindNames(Signed("AWS4-HMAC-SHA256 SignedHeaders=host,Credential=AKID,Signature=s")),
            "AKID ");
  for (const std::string_view none : {"AWS4-HMAC-SHA256 Credential=", "Bearer x", ""}) {
    EXPECT_EQ(FindNames(Signed(none)), " ");
  }
  EXPECT_EQ(FindNames(MakeRequest("/", {})), " ");
  constexpr std::string_view kPresigned = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=";
  EXPECT_EQ(FindNames(MakeRequest(Concat(kPresigned, "AKID%2F20261001%2feu-west-1&x=y"), {})),
            "AKID eu-west-1");
  EXPECT_EQ(FindNames(MakeRequest(Concat(kPresigned, "AKID/20261001"), {})), "AKID ");
  EXPECT_EQ(FindNames(MakeRequest(kPresigned, {})), " ");
}

// Why: the database of a call is that of the key that its signature is checked with, whatever else
// it claims.
TEST(SignatoryTest, IsWhoIsChecked) {
  const std::string_view rest = kGoodHeader.substr(kGoodHeader.find("Credential="));
  for (const std::string_view more :
       {"Credential=other/20261001/eu-west-1/x/y,", "XCredential=other,", "X=Credential=other/1/2,",
        "X=Credential=other "}) {
    const std::string header = Concat("AWS4-HMAC-SHA256 ", more, rest);
    EXPECT_EQ(FindNames(Signed(header)), "key us-east-1") << header;
  }
  EXPECT_EQ(FindNames(Signed("AWS4-HMAC-SHA256 Credential=a%2Fb/1/c%d/, Signature=s")),
            "a%2Fb c%d");
  constexpr std::string_view kPresigned = "/?X-Amz-Algorithm=a&X-Amz-Credential=key/1/2";
  for (const std::string_view before : {"X-Amz-Credential=other&", "x=X-Amz-Credential=other&"}) {
    EXPECT_EQ(FindNames(MakeRequest(Concat("/?", before, kPresigned.substr(2)), {})), "key 2");
  }
  EXPECT_EQ(FindNames(MakeRequest(Concat(kPresigned, "&X-Amz-Credentia%6C=other/1/3"), {})),
            "other 3");
  // Refused, and nobody's.
  EXPECT_EQ(FindNames(MakeRequest(kPresigned, {{"Authorization", kGoodHeader}})), " ");
}

TEST(AuthenticatorShape, AcceptsWhatLooksSigned) {
  EXPECT_EQ(CheckHeader(kGoodHeader), "ok");
  EXPECT_EQ(CheckCredential("k/20261001/local/dynamodb/aws4_request"), "ok");
  EXPECT_EQ(CheckCredential("k/20261001/local/dynamodb/aws4_request//"), "ok");
  // Years old: the shape does not care.
  EXPECT_EQ(CheckHeader("AWS4-HMAC-SHA256 Credential=k/20130301/eu-west-1/dynamodb/aws4_request,"
                        "SignedHeaders=host,Signature=s",
                        "20130301T000000Z"),
            "ok");
  EXPECT_EQ(Check(MakeRequest(
                "/", {{"Date", "Thu, 01 Oct 2026 12:00:00 GMT"}, {"Authorization", kGoodHeader}})),
            "ok");
  EXPECT_EQ(Check(MakeRequest(
                "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k%2F20261001%2Fus-east-"
                "1%2Fdynamodb%2Faws4_request&X-Amz-Date=20261001T120000Z&X-Amz-SignedHeaders="
                "host&X-Amz-Signature=s",
                {})),
            "ok");
}

TEST(AuthenticatorOff, AcceptsEverything) {
  EXPECT_EQ(Check(MakeRequest("/", {}), {.mode = AuthMode::kOff}), "ok");
}

TEST(AuthenticatorShape, BothKinds) {
  EXPECT_EQ(Check(MakeRequest("/?X-Amz-Algorithm", {{"Authorization", "x"}})),
            "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and "
            "'Authorization' as HTTP header.");
}

TEST(AuthenticatorShape, Missing) {
  const std::string missing =
      "MissingAuthenticationTokenException: Request is missing Authentication Token";
  EXPECT_EQ(Check(MakeRequest("/", {})), missing);
  EXPECT_EQ(CheckHeader("Basic abc"), missing);
  EXPECT_EQ(CheckHeader(""), missing);
  EXPECT_EQ(Check(MakeRequest("/?X-Amz-Signature=1", {})), missing);
}

TEST(AuthenticatorShape, IncompleteHeader) {
  EXPECT_EQ(Check(MakeRequest("/", {{"Authorization", "AWS4-"}})),
            "IncompleteSignatureException: Authorization header requires 'Credential' parameter. "
            "Authorization header requires 'Signature' parameter. Authorization header requires "
            "'SignedHeaders' parameter. Authorization header requires existence of either a "
            "'X-Amz-Date' or a 'Date' header. Authorization=AWS4-");
  EXPECT_EQ(CheckHeader("AWS4-HMAC-SHA256 Credential=a,Signature=b"),
            "IncompleteSignatureException: Authorization header requires 'SignedHeaders' "
            "parameter. Authorization=AWS4-HMAC-SHA256 Credential=a,Signature=b");
  EXPECT_EQ(CheckHeader("AWS4-HMAC-SHA256 Credential"),
            "IncompleteSignatureException: 'Credential' not a valid key=value pair (missing "
            "equal-sign) in Authorization header: 'AWS4-HMAC-SHA256 Credential'.");
}

TEST(AuthenticatorShape, IncompleteQuery) {
  EXPECT_EQ(Check(MakeRequest("/?X-Amz-Algorithm", {})),
            "IncompleteSignatureException: AWS query-string parameters must include "
            "'X-Amz-Algorithm'. AWS query-string parameters must include 'X-Amz-Credential'. AWS "
            "query-string parameters must include 'X-Amz-Signature'. AWS query-string parameters "
            "must include 'X-Amz-SignedHeaders'. AWS query-string parameters must include "
            "'X-Amz-Date'. Re-examine the query-string parameters.");
  EXPECT_EQ(Check(MakeRequest("/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date="
                              "201",
                              {})),
            "IncompleteSignatureException: AWS query-string parameters must include "
            "'X-Amz-SignedHeaders'. Re-examine the query-string parameters.");
}

TEST(AuthenticatorShape, DateFormat) {
  EXPECT_EQ(CheckHeader("AWS4-HMAC-SHA25 Credential=a,SignedHeaders=b,Signature=c", "201"),
            "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got '201'. See "
            "http://en.wikipedia.org/wiki/ISO_8601");
}

TEST(AuthenticatorShape, DatesThatAreNone) {
  for (const std::string_view date : {"20261301T000000Z", "20260230T000000Z", "20260101T240000Z",
                                      "20260101T000000", "2026010aT000000Z", "20260101 000000Z"}) {
    EXPECT_TRUE(CheckHeader(kGoodHeader, date).starts_with("IncompleteSignatureException: Date"))
        << date;
  }
}

TEST(AuthenticatorShape, HostThenAlgorithmThenCredential) {
  EXPECT_EQ(CheckHeader("AWS4-HMAC-SHA25 Credential=a,SignedHeaders=b,Signature=c"),
            "InvalidSignatureException: 'Host' must be a 'SignedHeader' in the AWS Authorization.");
  EXPECT_EQ(CheckHeader("AWS4-HMAC-SHA25 Credential=a,SignedHeaders=b;Host,Signature=c"),
            "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only "
            "AWS4-HMAC-SHA256 for now). ");
  EXPECT_EQ(CheckCredential("a/b/c/d"),
            "IncompleteSignatureException: Credential must have exactly 5 slash-delimited "
            "elements, e.g. keyid/date/region/service/term, got 'a/b/c/d'");
  EXPECT_TRUE(CheckCredential("a/b/c/d/e/f").starts_with("IncompleteSignatureException: Cred"));
}

TEST(AuthenticatorShape, Scope) {
  EXPECT_EQ(CheckCredential("a/b/c/d/e"),
            "InvalidSignatureException: Credential should be scoped to a valid region, not 'c'. "
            "Credential should be scoped to correct service: 'dynamodb'. Credential should be "
            "scoped with a valid terminator: 'aws4_request', not 'e'. Date in Credential scope "
            "does not match YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != '20261001', "
            "from '20261001T120000Z'.");
  EXPECT_EQ(CheckCredential("a/20261001/us-east-1/s3/aws4_request"),
            "InvalidSignatureException: Credential should be scoped to correct service: "
            "'dynamodb'. ");
  EXPECT_EQ(CheckCredential("a/20261001/us-east-1//aws4_request"), "ok");
}

class AuthenticatorVerify : public ::testing::Test {
 protected:
  AuthenticatorOptions Options() {
    return {.mode = AuthMode::kVerify,
            .credentials = {{"key", {std::string(kSecret), ""}},
                            {"temporary", {std::string(kSecret), "token"}}},
            .clock = &clock_};
  }
  std::string Verify(const Request& request) { return Check(request, Options()); }

  // The header that signs `request` right.
  std::string SignHeader(const Request& request, std::string_view key_id,
                         std::string_view signed_headers, std::string_view payload_hash) {
    constexpr std::string_view kScope = "20261001/us-east-1/dynamodb/aws4_request";
    const std::string signature =
        Sign(SigningKey(kSecret, "20261001", "us-east-1", "dynamodb"),
             StringToSign("20261001T120000Z", kScope,
                          CanonicalRequest(request, signed_headers, payload_hash)));
    return Concat("AWS4-HMAC-SHA256 Credential=", key_id, "/", kScope,
                  ", SignedHeaders=", signed_headers, ", Signature=", signature);
  }

  // A presigned request with that X-Amz-Expires, as it stands in a URL. Borrows from this until the
  // next one.
  Request Presigned(std::string_view expires) {
    const std::string unsigned_target = Concat(
        "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=key%2F20261001%2Fus-east-1%2Fdynamodb"
        "%2Faws4_request&X-Amz-Date=20261001T120000Z&X-Amz-Expires=",
        expires, "&X-Amz-SignedHeaders=host%3Bx-amz-target");
    const std::vector<Header> headers = {{"Host", "localhost:8000"},
                                         {"X-Amz-Target", "DynamoDB_20120810.ListTables"}};
    const Request request = MakeRequest(unsigned_target, headers);
    const std::string canonical =
        CanonicalRequest(request, "host;x-amz-target", Hex(Sha256(request.body)));
    presigned_ = Concat(unsigned_target, "&X-Amz-Signature=",
                        Sign(SigningKey(kSecret, "20261001", "us-east-1", "dynamodb"),
                             StringToSign("20261001T120000Z",
                                          "20261001/us-east-1/dynamodb/aws4_request", canonical)));
    return MakeRequest(presigned_, headers);
  }

  ManualClock clock_{Noon()};
  std::string presigned_;
};

TEST_F(AuthenticatorVerify, AcceptsTheReferenceRequest) {
  EXPECT_EQ(Verify(Signed(kGoodHeader)), "ok");
}

TEST_F(AuthenticatorVerify, AnyChangeIsAMismatch) {
  Request body = Signed(kGoodHeader);
  body.body = R"({"Limit":11})";
  EXPECT_TRUE(Verify(body).starts_with(
      "InvalidSignatureException: The request signature we calculated does not match the signature "
      "you provided. Check your AWS Secret Access Key and signing method. Consult the service "
      "documentation for details.\n\nThe Canonical String for this request should have been\n"
      "'POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:localhost:8000\n"));
  EXPECT_NE(Verify(body).find("'\n\nThe String-to-Sign should have been\n'AWS4-HMAC-SHA256\n"
                              "20261001T120000Z\n20261001/us-east-1/dynamodb/aws4_request\n"),
            std::string::npos);
  Request target = Signed(kGoodHeader);
  target.headers[3].value = "DynamoDB_20120810.DeleteTable";
  EXPECT_TRUE(Verify(target).starts_with("InvalidSignatureException: The request signature"));
  Request path = Signed(kGoodHeader);
  path.target = "/x";
  EXPECT_TRUE(Verify(path).starts_with("InvalidSignatureException: The request signature"));
  std::string flipped(kGoodHeader);
  flipped.back() = '4';
  EXPECT_TRUE(
      Verify(Signed(flipped)).starts_with("InvalidSignatureException: The request signature"));
}

TEST_F(AuthenticatorVerify, Age) {
  clock_.Advance(absl::Minutes(15));
  EXPECT_EQ(Verify(Signed(kGoodHeader)), "ok");
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(Verify(Signed(kGoodHeader)),
            "InvalidSignatureException: Signature expired: 20261001T120000Z is now earlier than "
            "20261001T120001Z (20261001T121501Z - 15 min.)");
  clock_.Set(Noon() - absl::Minutes(15) - absl::Seconds(1));
  EXPECT_EQ(Verify(Signed(kGoodHeader)),
            "InvalidSignatureException: Signature not yet current: 20261001T120000Z is still later "
            "than 20261001T115959Z (20261001T114459Z + 15 min.)");
}

TEST_F(AuthenticatorVerify, UnknownKey) {
  EXPECT_EQ(
      Verify(Signed("AWS4-HMAC-SHA256 Credential=who/20261001/us-east-1/dynamodb/aws4_request,"
                    "SignedHeaders=host;x-amz-date;x-amz-target,Signature=s")),
      "UnrecognizedClientException: The security token included in the request is invalid.");
}

TEST_F(AuthenticatorVerify, HeadersOfTheServiceMustBeSigned) {
  const Request request = Signed("");
  const std::string header =
      SignHeader(request, "key", "content-type;host;x-amz-date", Hex(Sha256(request.body)));
  EXPECT_EQ(Verify(Signed(header)),
            "InvalidSignatureException: 'X-Amz-Target' must be a 'SignedHeader' in the AWS "
            "Authorization.");
}

TEST_F(AuthenticatorVerify, SessionToken) {
  const auto verify = [&](std::string_view key_id, std::string_view token) {
    constexpr std::string_view kHeaders = "host;x-amz-date;x-amz-security-token;x-amz-target";
    Request request = Signed("");
    request.headers.push_back({"X-Amz-Security-Token", token});
    const std::string header = SignHeader(request, key_id, kHeaders, Hex(Sha256(request.body)));
    request.headers[4].value = header;
    return Verify(request);
  };
  const std::string bad =
      "UnrecognizedClientException: The security token included in the request is invalid";
  EXPECT_EQ(verify("temporary", "token"), "ok");
  EXPECT_EQ(verify("temporary", "tokem"), bad);
  EXPECT_EQ(verify("key", "token"), bad);
  const std::string without = SignHeader(Signed(""), "temporary", "host;x-amz-date;x-amz-target",
                                         Hex(Sha256(Signed("").body)));
  EXPECT_EQ(Verify(Signed(without)), bad);
}

TEST_F(AuthenticatorVerify, UnsignedPayloadOnlyWhereAllowed) {
  constexpr std::string_view kHeaders = "host;x-amz-content-sha256;x-amz-date;x-amz-target";
  Request request = Signed("");
  request.headers.push_back({"X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"});
  const std::string header = SignHeader(request, "key", kHeaders, "UNSIGNED-PAYLOAD");
  request.headers[4].value = header;
  EXPECT_TRUE(Verify(request).starts_with("InvalidSignatureException: The request signature"));
  AuthenticatorOptions options = Options();
  options.allow_unsigned_payload = true;
  EXPECT_EQ(Check(request, options), "ok");
}

TEST_F(AuthenticatorVerify, Presigned) {
  const Request request = Presigned("3600");
  EXPECT_EQ(Verify(request), "ok");
  clock_.Advance(absl::Minutes(60));
  EXPECT_EQ(Verify(request), "ok");
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(Verify(request),
            "InvalidSignatureException: Signature expired: 20261001T120000Z is now earlier than "
            "20261001T120001Z (20261001T130001Z - 60 min.)");
}

// A week is as long as it may be; without a time it is a quarter of an hour.
TEST_F(AuthenticatorVerify, ExpiryOfPresignedRequests) {
  constexpr std::string_view kNotANumber =
      "IncompleteSignatureException: X-Amz-Expires should be a number";
  constexpr std::string_view kNegative =
      "IncompleteSignatureException: X-Amz-Expires must be non-negative";
  constexpr std::string_view kTooLate =
      "IncompleteSignatureException: X-Amz-Expires must be less than a week (in seconds); that is, "
      "the given X-Amz-Expires must be less than 604800 seconds";
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"x", kNotANumber},
      {"60s", kNotANumber},
      {"6e1", kNotANumber},
      {"%2B60", kNotANumber},
      {"-", kNotANumber},
      {"-1", kNegative},
      {"-99999999999999999999", kNegative},
      {"0", "IncompleteSignatureException: X-Amz-Expires must be at least 1 second"},
      {"604801", kTooLate},
      {"99999999999999999999", kTooLate},
      {"1", "ok"},
      {"604800", "ok"},
      {"", "ok"}};
  for (const auto& [expires, outcome] : cases) {
    EXPECT_EQ(Verify(Presigned(expires)), outcome) << expires;
    AuthenticatorOptions shape;
    shape.mode = AuthMode::kShape;
    EXPECT_EQ(Check(Presigned(expires), shape), outcome) << expires;
  }
  clock_.Advance(absl::Hours(24 * 7));
  EXPECT_EQ(Verify(Presigned("604800")), "ok");
  EXPECT_TRUE(Verify(Presigned("")).ends_with(" - 15 min.)"));
}

TEST(Credentials, Lines) {
  const auto parsed = ParseCredentials("# who\n\nkey secret\n  temp  other  token \r\n", "file");
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed->size(), 2u);
  EXPECT_EQ(parsed->at("key").secret_key, "secret");
  EXPECT_EQ(parsed->at("key").session_token, "");
  EXPECT_EQ(parsed->at("temp").session_token, "token");
  EXPECT_EQ(ParseCredentials("a b\nalone\n", "file").status().message(),
            "file:2: expected \"access_key secret_key [session_token]\"");
  EXPECT_FALSE(ParseCredentials("a b c d\n", "file").ok());
  EXPECT_EQ(ParseCredentials("# none\n", "file").status().message(),
            "there are no credentials in file");
  EXPECT_EQ(LoadCredentials("/no/such/file").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace dynolith::http
