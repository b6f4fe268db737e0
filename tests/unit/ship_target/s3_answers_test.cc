// The XML of S3's protocol: its forms, and that whatever else a server answers is none of them.
#include "tools/ship/target/s3_answers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace dynolith::ship {
namespace {

constexpr std::string_view kError =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AuthorizationHeaderMalformed</Code>"
    "<Message>the region 'us-east-1' is wrong; expecting &apos;eu-west-1&apos;</Message>"
    "<Region>eu-west-1</Region><RequestId>1</RequestId></Error>";
constexpr std::string_view kPage =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>bucket</Name>"
    "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
    "<NextContinuationToken>1/a+b=</NextContinuationToken>"
    "<Contents><Key>log/a%2Bb+c</Key><Size>18446744073709551615</Size></Contents>"
    "<Contents><Key>log/2</Key><Size>0</Size></Contents></ListBucketResult>";

TEST(S3AnswersTest, Errors) {
  const S3Error error = ReadS3Error(kError);
  EXPECT_EQ(error.code, "AuthorizationHeaderMalformed");
  EXPECT_EQ(error.message, "the region 'us-east-1' is wrong; expecting 'eu-west-1'");
  EXPECT_EQ(error.region, "eu-west-1");
  for (const std::string_view body : {"", "<html><body>Bad Gateway</body></html>", "Error",
                                      "<Error", "{\"Code\": \"x\"}", "<ListBucketResult/>"}) {
    EXPECT_EQ(ReadS3Error(body).code, "") << body;
  }
}

TEST(S3AnswersTest, Pages) {
  const auto page = ReadS3Page(kPage);
  ASSERT_TRUE(page.has_value());
  ASSERT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->objects[0].name, "log/a+b c");
  EXPECT_EQ(page->objects[0].bytes, UINT64_MAX);
  EXPECT_EQ(page->objects[1].name, "log/2");
  EXPECT_EQ(page->objects[1].bytes, 0U);
  EXPECT_EQ(page->next, "1/a+b=");
}

TEST(S3AnswersTest, KeysAreDecodedWhereTheAnswerSaysSo) {
  const auto page = ReadS3Page(
      "<ListBucketResult><Contents><Key>a%2Bb &amp; c</Key><Size>1</Size></Contents>"
      "<IsTruncated>false</IsTruncated></ListBucketResult>");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->objects[0].name, "a%2Bb & c");
  EXPECT_EQ(page->next, "");
}

TEST(S3AnswersTest, APageThatIsCutOffIsNone) {
  for (size_t size = 0; size < kPage.size(); ++size) {
    EXPECT_FALSE(ReadS3Page(kPage.substr(0, size)).has_value()) << size;
  }
  for (const std::string_view body :
       {"<Error><Code>x</Code></Error>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>x</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>"}) {
    EXPECT_FALSE(ReadS3Page(body).has_value()) << body;
  }
}

TEST(S3AnswersTest, DeepNestingIsNoDanger) {
  std::string body;
  for (int i = 0; i < 200'000; ++i) body += "<a>";
  EXPECT_FALSE(ReadS3Page(body).has_value());
  for (int i = 0; i < 200'000; ++i) body += "</a>";
  EXPECT_FALSE(ReadS3Page(body).has_value());
}

TEST(S3AnswersTest, Uploads) {
  EXPECT_EQ(ReadS3UploadId("<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key>"
                           "<UploadId>1.2_-</UploadId></InitiateMultipartUploadResult>"),
            "1.2_-");
  EXPECT_EQ(ReadS3UploadId("<InitiateMultipartUploadResult/>"), std::nullopt);
  EXPECT_EQ(ReadS3CompletedEtag("<CompleteMultipartUploadResult><ETag>&quot;a-2&quot;</ETag>"
                                "</CompleteMultipartUploadResult>"),
            "\"a-2\"");
  EXPECT_EQ(ReadS3CompletedEtag(kError), std::nullopt);
  const auto uploads = ReadS3Uploads(
      "<ListMultipartUploadsResult><EncodingType>url</EncodingType><Upload><Key>a%2Fb</Key>"
      "<UploadId>7</UploadId><Initiated>2026-11-30T01:02:03.000Z</Initiated></Upload>"
      "</ListMultipartUploadsResult>");
  ASSERT_TRUE(uploads.has_value());
  ASSERT_EQ(uploads->size(), 1U);
  EXPECT_EQ(uploads->front().key, "a/b");
  EXPECT_EQ(uploads->front().id, "7");
  EXPECT_EQ(uploads->front().initiated, "2026-11-30T01:02:03.000Z");
  EXPECT_EQ(CompleteUploadBody({"\"a\"", "<b>"}),
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Part>"
            "<PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part><Part><PartNumber>2</PartNumber>"
            "<ETag>&lt;b&gt;</ETag></Part></CompleteMultipartUpload>");
}

TEST(S3AnswersTest, Deletions) {
  EXPECT_EQ(
      DeleteObjectsBody({"a/1", "b&c"}),
      "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Object><Key>a/1</Key></Object>"
      "<Object><Key>b&amp;c</Key></Object><Quiet>true</Quiet></Delete>");
  const auto errors = ReadS3DeleteErrors(
      "<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code><Message>no</Message></Error>"
      "</DeleteResult>");
  ASSERT_TRUE(errors.has_value());
  ASSERT_EQ(errors->size(), 1U);
  EXPECT_EQ(errors->front().first, "a");
  EXPECT_EQ(errors->front().second.code, "AccessDenied");
  EXPECT_TRUE(ReadS3DeleteErrors("<DeleteResult/>")->empty());
  EXPECT_EQ(ReadS3DeleteErrors("<html/>"), std::nullopt);
}

TEST(S3AnswersTest, CodesOfErrors) {
  using enum absl::StatusCode;
  EXPECT_EQ(S3StatusCode(404, "NoSuchKey"), kNotFound);
  EXPECT_EQ(S3StatusCode(404, "NoSuchBucket"), kNotFound);
  EXPECT_EQ(S3StatusCode(404, ""), kNotFound);
  EXPECT_EQ(S3StatusCode(403, "AccessDenied"), kPermissionDenied);
  EXPECT_EQ(S3StatusCode(403, "SignatureDoesNotMatch"), kPermissionDenied);
  EXPECT_EQ(S3StatusCode(400, "ExpiredToken"), kPermissionDenied);
  EXPECT_EQ(S3StatusCode(503, "SlowDown"), kUnavailable);
  EXPECT_EQ(S3StatusCode(500, "InternalError"), kUnavailable);
  EXPECT_EQ(S3StatusCode(400, "RequestTimeout"), kUnavailable);
  EXPECT_EQ(S3StatusCode(409, "ConditionalRequestConflict"), kUnavailable);
  EXPECT_EQ(S3StatusCode(429, ""), kUnavailable);
  EXPECT_EQ(S3StatusCode(502, ""), kUnavailable);
  EXPECT_EQ(S3StatusCode(400, "BadDigest"), kDataLoss);
  EXPECT_EQ(S3StatusCode(507, "XMinioStorageFull"), kResourceExhausted);
  EXPECT_EQ(S3StatusCode(403, "QuotaExceeded"), kResourceExhausted);
  EXPECT_EQ(S3StatusCode(501, "NotImplemented"), kInvalidArgument);
  EXPECT_EQ(S3StatusCode(400, "InvalidRequest"), kInvalidArgument);
}

}  // namespace
}  // namespace dynolith::ship
