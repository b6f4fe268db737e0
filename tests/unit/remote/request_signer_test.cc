// What tools sign is what the server's own check of signatures accepts, and nothing else is.
#include "api/remote/request_signer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "tools/server/http/request.h"
#include "tools/server/wire/authenticator.h"

namespace dynolith {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

class RequestSignerTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kTarget = "DynamoDB_20120810.GetItem";
  static constexpr std::string_view kBody = R"({"TableName":"music"})";

  absl::Status Check(const Headers& headers, std::string_view body) const {
    http::Request request{.method = http::Method::kPost, .method_text = "POST", .target = "/"};
    for (const auto& [name, value] : headers) request.headers.push_back({name, value});
    request.body = body;
    const http::Authenticator authenticator({.mode = http::AuthMode::kVerify,
                                             .credentials = {{"AKID", {"secret", token_}}},
                                             .clock = &clock_});
    return authenticator.Check(request);
  }
  Headers Signed(const std::string& secret, const std::string& token, absl::Time at) const {
    client::RequestSigner signer("eu-west-1", "localhost:8000");
    return signer.Headers({"AKID", secret, token}, kTarget, kBody, at);
  }

  const absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
  ManualClock clock_{now_};
  std::string token_;
};

TEST_F(RequestSignerTest, IsBelievedByTheServer) {
  EXPECT_EQ(Check(Signed("secret", "", now_), kBody), absl::OkStatus());
}

TEST_F(RequestSignerTest, SignsTheSessionToken) {
  token_ = "token";
  EXPECT_EQ(Check(Signed("secret", "token", now_), kBody), absl::OkStatus());
  EXPECT_FALSE(Check(Signed("secret", "other", now_), kBody).ok());
}

TEST_F(RequestSignerTest, IsNotBelievedOtherwise) {
  EXPECT_FALSE(Check(Signed("guessed", "", now_), kBody).ok());
  EXPECT_FALSE(Check(Signed("secret", "", now_), "{}").ok());
  EXPECT_FALSE(Check(Signed("secret", "", now_ - absl::Hours(1)), kBody).ok());
  Headers other = Signed("secret", "", now_);
  for (auto& [name, value] : other) {
    if (name == "X-Amz-Target") value = "DynamoDB_20120810.DeleteTable";
  }
  EXPECT_FALSE(Check(other, kBody).ok());
}

// The key of a day is not that of the next, nor that of another secret.
TEST_F(RequestSignerTest, GoesOnBeyondMidnightAndWithNewCredentials) {
  client::RequestSigner signer("eu-west-1", "localhost:8000");
  const client::Credentials expired{"AKID", "older", ""};
  const client::Credentials credentials{"AKID", "secret", ""};
  for (int day = 0; day < 3; ++day) {
    clock_.Set(now_ + absl::Hours(24 * day));
    EXPECT_FALSE(Check(signer.Headers(expired, kTarget, kBody, clock_.Now()), kBody).ok());
    EXPECT_EQ(Check(signer.Headers(credentials, kTarget, kBody, clock_.Now()), kBody),
              absl::OkStatus());
  }
}

// Headers of somebody else's call, in whatever order; the server demands that x-amz-… are signed.
TEST_F(RequestSignerTest, SignsWhatOthersSend) {
  token_ = "token";
  client::RequestSigner signer("eu-west-1", "localhost:8000");
  Headers headers = {{"x-amz-user-agent", "aws-sdk-js/3"},
                     {"X-Amz-Target", std::string(kTarget)},
                     {"content-type", "application/json"}};
  signer.SignAll({"AKID", "secret", "token"}, kBody, now_, &headers);
  EXPECT_EQ(Check(headers, kBody), absl::OkStatus());
  for (auto& [name, value] : headers) {
    if (name == "x-amz-user-agent") value = "another";
  }
  EXPECT_FALSE(Check(headers, kBody).ok());
}

}  // namespace
}  // namespace dynolith
