// The test vectors of api/facts/wire.md §10, and the shapes of the canonical request.
#include "api/remote/signature.h"

#include <gtest/gtest.h>

#include "tools/server/http/canonical_request.h"

namespace dynolith::http {
namespace {

constexpr std::string_view kSigningSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
constexpr std::string_view kBody = R"({"Limit":10})";
constexpr std::string_view kSignedHeaders = "content-type;host;x-amz-date;x-amz-target";

Request ListTables() {
  Request request;
  request.method = Method::kPost;
  request.method_text = "POST";
  request.target = "/";
  request.headers = {{"Host", "localhost:8000"},
                     {"X-Amz-Target", "DynamoDB_20120810.ListTables"},
                     {"X-Amz-Date", "20261001T120000Z"},
                     {"Content-Type", "application/x-amz-json-1.0"}};
  request.body = kBody;
  return request;
}

TEST(Signature, VectorOfListTables) {
  const std::string payload = Hex(Sha256(kBody));
  EXPECT_EQ(payload, "7323ae808f32f1a67f80c52911966937e5b960c236a8de953aec7c984492feb0");
  const std::string canonical = CanonicalRequest(ListTables(), kSignedHeaders, payload);
  EXPECT_EQ(Hex(Sha256(canonical)),
            "f766454ac8a19dd79d046e998496b02e58a6863c3869a3604f4ae709797521c1");
  const Digest key = SigningKey(kSigningSecret, "20261001", "us-east-1", "dynamodb");
  EXPECT_EQ(Hex(key), "76db817a28cf030f287733088237d75375fce880020529794dc2fc9a6a7a86e1");
  EXPECT_EQ(Sign(key, StringToSign("20261001T120000Z", "20261001/us-east-1/dynamodb/aws4_request",
                                   canonical)),
            "4a5838644b624505f75259f7b19bbbc9e95a2849ef316bc2fed1cbf69109f9d3");
}

TEST(Signature, PublishedVectorOfTheKey) {
  EXPECT_EQ(Hex(SigningKey(kSigningSecret, "20150830", "us-east-1", "iam")),
            "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
}

// RFC 4231, test case 2, between others: the reused context must forget its key.
TEST(Signature, HmacForgetsTheKeyBefore) {
  HmacSha256("another key", "text");
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(Hex(HmacSha256("", "")),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Signature, CanonicalRequestNormalizes) {
  Request request = ListTables();
  request.target = "/?b=2&a=x%20y&a=%2f&X-Amz-Signature=00&c";
  request.headers = {{"HOST", "h"}, {"X-Many", "  a   b "}, {"x-many", "c"}};
  EXPECT_EQ(CanonicalRequest(request, "host;x-many;x-absent", "HASH"),
            "POST\n/\na=%2F&a=x%20y&b=2&c=\nhost:h\nx-many:a b,c\nx-absent:\n\n"
            "host;x-many;x-absent\nHASH");
}

TEST(Signature, SecretsEqual) {
  EXPECT_TRUE(SecretsEqual("abc", "abc"));
  EXPECT_FALSE(SecretsEqual("abc", "abd"));
  EXPECT_FALSE(SecretsEqual("abc", "ab"));
  EXPECT_TRUE(SecretsEqual("", ""));
}

}  // namespace
}  // namespace dynolith::http
