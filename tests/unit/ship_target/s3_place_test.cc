// Where a bucket is, by its URL, the options and the settings of SDKs.
#include "tools/ship/target/s3_place.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/base/strings.h"

namespace dynolith::ship {
namespace {

using Variables = std::map<std::string, std::string>;

absl::StatusOr<S3Place> Find(const std::string& url, Variables variables,
                             const TargetOptions& options = {}) {
  variables.try_emplace("AWS_ACCESS_KEY_ID", "a");
  variables.try_emplace("AWS_SECRET_ACCESS_KEY", "b");
  variables.try_emplace("AWS_EC2_METADATA_DISABLED", "true");
  const auto environment = [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  const absl::StatusOr<S3Url> parsed = ParseS3Url(url);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return FindS3Place(*parsed, options, environment);
}

// "https host region path", or the error.
std::string Found(const std::string& url, const Variables& variables,
                  const TargetOptions& options = {}) {
  const absl::StatusOr<S3Place> place = Find(url, variables, options);
  if (!place.ok()) return std::string(place.status().message());
  return Concat(place->address.is_tls ? "https " : "http ", place->address.authority, " ",
                place->identity->region(), place->is_path_style ? " path" : " host");
}

TEST(S3PlaceTest, ParsesUrls) {
  for (const auto& [url, prefix] :
       {std::pair("s3://my.bucket-1", ""), std::pair("s3://my.bucket-1/", ""),
        std::pair("s3://my.bucket-1/a", "a/"), std::pair("s3://my.bucket-1/a/b/", "a/b/")}) {
    const absl::StatusOr<S3Url> parsed = ParseS3Url(url);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->bucket, "my.bucket-1");
    EXPECT_EQ(parsed->prefix, prefix);
  }
  for (const std::string& url :
       {std::string("s3://"), std::string("s3:///a"), std::string("s3://ab"),
        std::string("s3://Bucket"), std::string("s3://a_bucket"), std::string("s3://-bucket"),
        std::string("s3://a..b"), std::string("s3://bucket/a//b"), std::string("s3://bucket/a b"),
        std::string("s3://bucket//"), "s3://" + std::string(64, 'a'),
        "s3://bucket/" + std::string(101, 'a')}) {
    const absl::StatusOr<S3Url> parsed = ParseS3Url(url);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << url;
  }
}

TEST(S3PlaceTest, AwsHasAHostForEachBucket) {
  EXPECT_EQ(Found("s3://bucket", {{"AWS_REGION", "eu-west-1"}}),
            "https bucket.s3.eu-west-1.amazonaws.com eu-west-1 host");
  EXPECT_EQ(Found("s3://bucket", {{"AWS_REGION", "cn-north-1"}}),
            "https bucket.s3.cn-north-1.amazonaws.com.cn cn-north-1 host");
  EXPECT_EQ(
      Found("s3://bucket", {{"AWS_REGION", "eu-west-1"}}, {.endpoint = {}, .region = "us-west-2"}),
      "https bucket.s3.us-west-2.amazonaws.com us-west-2 host");
  // Its certificate is for one more part of a name.
  EXPECT_EQ(Found("s3://my.bucket", {{"AWS_REGION", "eu-west-1"}}),
            "https s3.eu-west-1.amazonaws.com eu-west-1 path");
  EXPECT_EQ(Find("s3://bucket", {}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Found("s3://bucket", {}).find("AWS_REGION"), std::string::npos);
}

TEST(S3PlaceTest, OthersHavePaths) {
  const Variables variables = {{"AWS_ENDPOINT_URL", "http://all:1"},
                               {"AWS_ENDPOINT_URL_S3", "http://s3:2/"}};
  EXPECT_EQ(Found("s3://bucket", variables), "http s3:2 us-east-1 path");
  EXPECT_EQ(Found("s3://bucket", variables, {.endpoint = "https://own:3", .region = {}}),
            "https own:3 us-east-1 path");
  EXPECT_EQ(
      Found("s3://bucket", {{"AWS_ENDPOINT_URL", "http://all:1"}, {"AWS_REGION", "eu-west-1"}}),
      "http all:1 eu-west-1 path");
  EXPECT_EQ(Found("s3://bucket", {{"AWS_ENDPOINT_URL", "http://all:1"},
                                  {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true"},
                                  {"AWS_REGION", "eu-west-1"}}),
            "https bucket.s3.eu-west-1.amazonaws.com eu-west-1 host");
  // An endpoint of AWS says its region.
  EXPECT_EQ(Found("s3://bucket", {{"AWS_REGION", "eu-west-1"}},
                  {.endpoint = "https://s3.us-west-2.amazonaws.com", .region = {}}),
            "https s3.us-west-2.amazonaws.com us-west-2 path");
  for (const char* endpoint : {"own:3", "http://own/path", "ftp://own"}) {
    const absl::StatusOr<S3Place> place =
        Find("s3://bucket", {}, {.endpoint = endpoint, .region = {}});
    EXPECT_EQ(place.status().code(), absl::StatusCode::kInvalidArgument) << endpoint;
    EXPECT_NE(place.status().message().find(endpoint), absl::string_view::npos) << place.status();
  }
}

TEST(S3PlaceTest, CredentialsAreThoseOfTheChain) {
  const absl::StatusOr<S3Place> place =
      Find("s3://bucket", {{"AWS_REGION", "eu-west-1"}, {"AWS_SESSION_TOKEN", "c"}});
  ASSERT_TRUE(place.ok()) << place.status();
  const auto credentials = place->identity->Get();
  ASSERT_TRUE(credentials.ok());
  EXPECT_EQ((*credentials)->access_key, "a");
  EXPECT_EQ((*credentials)->session_token, "c");
  EXPECT_EQ(
      Find("s3://bucket", {{"AWS_REGION", "eu-west-1"}, {"AWS_ACCESS_KEY_ID", ""}}).status().code(),
      absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dynolith::ship
