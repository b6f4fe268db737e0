// Signatures, against the examples of the Amazon S3 API Reference: "Signature Calculations for the
// Authorization Header: Transferring Payload in a Single Chunk", whose keys, date and bucket these
// are.
#include "tools/ship/target/s3_signer.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/time/civil_time.h"

namespace dynolith::ship {
namespace {

std::string HeaderOf(const client::HttpHeaders& headers, std::string_view name) {
  for (const auto& [header, value] : headers) {
    if (header == name) return value;
  }
  return "";
}

client::HttpHeaders Signed(const S3Request& request, const std::string& session_token = "") {
  const absl::Time now = absl::FromCivil(absl::CivilSecond(2013, 5, 24), absl::UTCTimeZone());
  return SignS3(request,
                {.access_key = "AKIAIOSFODNN7EXAMPLE",
                 .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                 .session_token = session_token},
                "us-east-1", "examplebucket.s3.amazonaws.com", now);
}

constexpr std::string_view kBegin =
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
    "SignedHeaders=";

std::string Expected(std::string_view names, std::string_view signature) {
  return std::string(kBegin).append(names).append(", Signature=").append(signature);
}

TEST(S3SignerTest, GetObject) {
  const client::HttpHeaders headers =
      Signed({.method = "GET", .path = "/test.txt", .headers = {{"Range", "bytes=0-9"}}});
  EXPECT_EQ(HeaderOf(headers, "Authorization"),
            Expected("host;range;x-amz-content-sha256;x-amz-date",
                     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
  EXPECT_EQ(HeaderOf(headers, "x-amz-content-sha256"),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HeaderOf(headers, "x-amz-date"), "20130524T000000Z");
  EXPECT_EQ(HeaderOf(headers, "Host"), "examplebucket.s3.amazonaws.com");
}

TEST(S3SignerTest, PutObject) {
  const S3Request request = {.method = "PUT",
                             .path = "/test$file.text",
                             .headers = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                                         {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                             .body = "Welcome to Amazon S3."};
  EXPECT_EQ(S3RequestTarget(request), "/test%24file.text");
  EXPECT_EQ(HeaderOf(Signed(request), "Authorization"),
            Expected("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(S3SignerTest, GetBucketLifecycle) {
  const S3Request request = {.query = {{"lifecycle", ""}}};
  EXPECT_EQ(S3RequestTarget(request), "/?lifecycle=");
  EXPECT_EQ(HeaderOf(Signed(request), "Authorization"),
            Expected("host;x-amz-content-sha256;x-amz-date",
                     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(S3SignerTest, ListObjects) {
  // The names are sorted.
  const S3Request request = {.query = {{"prefix", "J"}, {"max-keys", "2"}}};
  EXPECT_EQ(S3RequestTarget(request), "/?max-keys=2&prefix=J");
  EXPECT_EQ(HeaderOf(Signed(request), "Authorization"),
            Expected("host;x-amz-content-sha256;x-amz-date",
                     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(S3SignerTest, ASessionTokenIsSigned) {
  const client::HttpHeaders headers = Signed({}, "token");
  EXPECT_EQ(HeaderOf(headers, "x-amz-security-token"), "token");
  EXPECT_NE(HeaderOf(headers, "Authorization").find(";x-amz-security-token,"), std::string::npos);
}

TEST(S3SignerTest, EncodesOnce) {
  EXPECT_EQ(UrlEncoded("a b/c+\xc3\xa4%41~", /*keeps_slash=*/true), "a%20b/c%2B%C3%A4%2541~");
  EXPECT_EQ(UrlEncoded("a/b"), "a%2Fb");
  EXPECT_EQ(S3RequestTarget({.path = "/a%2Fb", .query = {{"k", "a=&b"}}}), "/a%252Fb?k=a%3D%26b");
  for (const std::string text : {"", "a b/c+\xc3\xa4%41~", "%", "%4", "%zz", "100%"}) {
    EXPECT_EQ(UrlDecoded(UrlEncoded(text)), text);
  }
  EXPECT_EQ(UrlDecoded("a+b%2bc%"), "a b+c%");
  EXPECT_EQ(UrlDecoded("%4%zz"), "%4%zz");
}

}  // namespace
}  // namespace dynolith::ship
