// What a bucket does to its callers: lost answers, errors that pass and errors that stay, damaged
// bytes, servers that say nothing. Every wait ends, and what is returned is what has happened.
#include "tools/ship/target/s3_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/file_text.h"
#include "engine/base/strings.h"
#include "tests/unit/remote/listening_socket.h"
#include "tests/unit/ship_target/scripted_bucket.h"
#include "tests/unit/store/scratch_folder.h"
#include "tools/ship/target/s3_upload.h"

namespace dynolith::ship {
namespace {

using testing::BucketRequest;
using ::testing::ElementsAre;
using testing::ErrorAnswer;
using ::testing::HasSubstr;
using testing::ScriptedAnswer;

constexpr size_t kPart = 16 << 20;

std::unique_ptr<ShipTarget> OpenBucket(const std::string& endpoint,
                                       const std::atomic<bool>* interrupted = nullptr) {
  auto target = OpenTarget(
      "s3://bucket/a", {.endpoint = endpoint, .region = "eu-west-1", .interrupted = interrupted});
  EXPECT_TRUE(target.ok()) << target.status();
  return target.ok() ? std::move(*target) : nullptr;
}

// In each test the target ends before the bucket, which waits for its connections.
class S3TargetTest : public ::testing::Test {
 protected:
  S3TargetTest() : target_(OpenBucket(bucket_.url(), &interrupted_)) {}

  // The first `times` calls of this kind, such as "PUT /bucket/a/log/1", are answered so.
  void Fail(const std::string& call, int times, const ScriptedAnswer& answer) {
    bucket_.FailBefore([call, answer, left = times](const BucketRequest& request, int) mutable {
      const bool fails = request.call.starts_with(call) && left > 0;
      left -= fails ? 1 : 0;
      return fails ? std::optional(answer) : std::nullopt;
    });
  }
  // They are made, and their answers are lost.
  void LoseAnswers(const std::string& call, int times) {
    bucket_.FailAfter(
        [call, left = times](const BucketRequest& request, int, ScriptedAnswer* answer) mutable {
          if (!request.call.starts_with(call) || left == 0) return;
          --left;
          answer->is_lost = true;
        });
  }
  std::string MakeFile(size_t bytes) const {
    std::ofstream(folder_ / "file") << std::string(bytes, 'x');
    return folder_ / "file";
  }

  const testing::ScratchFolder folder_;
  testing::ScriptedBucket bucket_;
  std::atomic<bool> interrupted_ = false;
  std::unique_ptr<ShipTarget> target_;
};

TEST_F(S3TargetTest, DescribesItself) {
  EXPECT_EQ(target_->Describe(), "s3://bucket/a");
  EXPECT_EQ((*OpenTarget("s3://bucket/", {.endpoint = bucket_.url(), .region = {}}))->Describe(),
            "s3://bucket");
}

TEST_F(S3TargetTest, PutsWithChecksums) {
  std::string md5;
  std::string sha256;
  bucket_.FailBefore([&](const BucketRequest& request, int) {
    md5 = request.Header("Content-MD5");
    sha256 = request.Header("x-amz-content-sha256");
    return std::optional<ScriptedAnswer>();
  });
  ASSERT_TRUE(target_->Put("log/1", "123456789").ok());
  // `printf 123456789 | md5sum`, `sha256sum`; the checksum of RFC 3720's polynomial.
  EXPECT_EQ(md5, "JfnnlDI7RTiF9RgfG2JNCw==");
  EXPECT_EQ(sha256, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225");
  EXPECT_EQ(CrcHeader(0xe3069283U),
            (std::pair<std::string, std::string>("x-amz-meta-crc32c", "e3069283")));
  EXPECT_EQ(bucket_.objects()["/bucket/a/log/1"], "123456789");
}

TEST_F(S3TargetTest, WhatPassesIsRepeated) {
  const ScriptedAnswer answers[] = {{.is_lost = true},
                                    {.body = "cut off", .lost_bytes = 3},
                                    ErrorAnswer(500, "InternalError"),
                                    ErrorAnswer(503, "SlowDown"),
                                    ErrorAnswer(400, "RequestTimeout"),
                                    ErrorAnswer(400, "BadDigest"),
                                    {.status = 502, .body = "<html>"}};
  for (const ScriptedAnswer& answer : answers) {
    Fail("PUT", 1, answer);
    const absl::Status status = target_->Put("log/1", "x");
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_THAT(bucket_.TakeCalls(), ElementsAre("PUT /bucket/a/log/1", "PUT /bucket/a/log/1"));
  }
}

TEST_F(S3TargetTest, WhatDoesNotPassIsUnavailable) {
  for (const ScriptedAnswer& answer :
       {ScriptedAnswer{.is_lost = true}, ErrorAnswer(500, "InternalError")}) {
    Fail("PUT", 100, answer);
    const absl::Status status = target_->Put("log/1", "x");
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write log/1 in s3://bucket/a: "));
    EXPECT_EQ(bucket_.TakeCalls().size(), 4U);
    const std::string reason = answer.is_lost ? "" : "InternalError: of InternalError";
    EXPECT_THAT(std::string(status.message()), HasSubstr(reason));
  }
}

TEST_F(S3TargetTest, WhatStaysIsNotRepeated) {
  const std::pair<ScriptedAnswer, absl::StatusCode> answers[] = {
      {ErrorAnswer(403, "AccessDenied"), absl::StatusCode::kPermissionDenied},
      {ErrorAnswer(404, "NoSuchBucket"), absl::StatusCode::kNotFound},
      {ErrorAnswer(507, "XMinioStorageFull"), absl::StatusCode::kResourceExhausted},
      {ErrorAnswer(400, "InvalidRequest"), absl::StatusCode::kInvalidArgument},
      {ErrorAnswer(412, "PreconditionFailed"), absl::StatusCode::kInvalidArgument},
      {{.status = 403, .body = "no XML"}, absl::StatusCode::kPermissionDenied}};
  for (const auto& [answer, code] : answers) {
    Fail("PUT", 100, answer);
    const absl::Status status = target_->Put("log/1", "x");
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_EQ(bucket_.TakeCalls().size(), 1U);
  }
  const absl::Status status = target_->Put("log/1", "x");
  EXPECT_THAT(std::string(status.message()), HasSubstr("the server answers with status 403"));
}

TEST_F(S3TargetTest, ABucketOfAnotherRegionIsNamed) {
  for (const ScriptedAnswer& answer :
       {ScriptedAnswer{.status = 301, .headers = "x-amz-bucket-region: us-west-2\r\n"},
        ErrorAnswer(301, "PermanentRedirect", "<Endpoint>x</Endpoint><Region>us-west-2</Region>"),
        ScriptedAnswer{.status = 307, .headers = "x-amz-bucket-region: us-west-2\r\n"},
        ErrorAnswer(400, "AuthorizationHeaderMalformed", "<Region>us-west-2</Region>")}) {
    Fail("GET", 1, answer);
    const absl::Status status = target_->Get("log/1").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("is in the region us-west-2, not in eu-west-1"));
  }
}

TEST_F(S3TargetTest, ALostAnswerOfPutNewIsFoundOut) {
  // The first one is asked twice, to see whether the server knows the condition.
  ASSERT_TRUE(*target_->PutNew("epoch/1", "mine"));
  EXPECT_EQ(bucket_.TakeCalls().size(), 2U);
  LoseAnswers("PUT", 1);
  absl::StatusOr<bool> is_made = target_->PutNew("epoch/2", "mine");
  ASSERT_TRUE(is_made.ok()) << is_made.status();
  EXPECT_TRUE(*is_made);
  EXPECT_THAT(bucket_.TakeCalls(), ElementsAre("PUT /bucket/a/epoch/2", "PUT /bucket/a/epoch/2",
                                               "GET /bucket/a/epoch/2"));
  // Another one was there before.
  LoseAnswers("PUT", 1);
  bucket_.SetObject("/bucket/a/epoch/3", "yours");
  is_made = target_->PutNew("epoch/3", "mine");
  ASSERT_TRUE(is_made.ok()) << is_made.status();
  EXPECT_FALSE(*is_made);
  EXPECT_EQ(bucket_.objects()["/bucket/a/epoch/3"], "yours");
  // Without a lost answer equal bytes are another's.
  bucket_.TakeCalls();
  is_made = target_->PutNew("epoch/2", "mine");
  ASSERT_TRUE(is_made.ok()) << is_made.status();
  EXPECT_FALSE(*is_made);
  EXPECT_EQ(bucket_.TakeCalls().size(), 1U);
}

TEST_F(S3TargetTest, PutNewAfterAConflictIsRepeated) {
  Fail("PUT", 2, ErrorAnswer(409, "ConditionalRequestConflict"));
  absl::StatusOr<bool> is_made = target_->PutNew("epoch/1", "mine");
  ASSERT_TRUE(is_made.ok()) << is_made.status();
  EXPECT_TRUE(*is_made);
  // The other one of the conflict has made it.
  Fail("PUT", 1, ErrorAnswer(409, "ConditionalRequestConflict"));
  is_made = target_->PutNew("epoch/1", "mine");
  ASSERT_TRUE(is_made.ok()) << is_made.status();
  EXPECT_FALSE(*is_made);
}

TEST_F(S3TargetTest, PutNewThatIsNotAnsweredIsNoSuccess) {
  LoseAnswers("", 100);
  const absl::StatusOr<bool> is_made = target_->PutNew("epoch/1", "mine");
  EXPECT_EQ(is_made.status().code(), absl::StatusCode::kUnavailable) << is_made.status();
}

TEST_F(S3TargetTest, AServerWithoutConditionsIsNoFence) {
  bucket_.FailBefore([](const BucketRequest&, int) { return std::optional(ScriptedAnswer{}); });
  absl::StatusOr<bool> is_made = target_->PutNew("epoch/1", "mine");
  EXPECT_EQ(is_made.status().code(), absl::StatusCode::kInvalidArgument) << is_made.status();
  EXPECT_THAT(std::string(is_made.status().message()), HasSubstr("does not know If-None-Match"));
  Fail("PUT", 1, ErrorAnswer(501, "NotImplemented"));
  is_made = target_->PutNew("epoch/1", "mine");
  EXPECT_EQ(is_made.status().code(), absl::StatusCode::kInvalidArgument) << is_made.status();
}

TEST_F(S3TargetTest, AnAnswerThatIsCutOffIsAskedForAgain) {
  ASSERT_TRUE(target_->Put("log/1", "bytes").ok());
  bucket_.FailAfter([left = 1](const BucketRequest&, int, ScriptedAnswer* answer) mutable {
    if (left-- > 0) answer->lost_bytes = 2;
  });
  EXPECT_EQ(*target_->Get("log/1"), "bytes");
  bucket_.FailAfter(
      [](const BucketRequest&, int, ScriptedAnswer* answer) { answer->lost_bytes = 2; });
  EXPECT_EQ(target_->Get("log/1").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(target_->GetFile("log/1", folder_ / "to").code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "to"));
}

TEST_F(S3TargetTest, DamagedBytesAreNotReturned) {
  ASSERT_TRUE(target_->Put("log/1", "bytes").ok());
  bucket_.SetObject("/bucket/a/log/1", "bytez");
  const absl::Status status = target_->Get("log/1").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("cannot read log/1 in s3://bucket/a: its bytes have"));
  EXPECT_EQ(target_->GetFile("log/1", folder_ / "to").code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "to"));
  for (const char* range :
       {"", "bytes 0-3/5", "bytes 1-5/6", "bytes 0-4/4", "bytes x-y/z", "bytes 0-4/*"}) {
    bucket_.FailAfter([range](const BucketRequest&, int, ScriptedAnswer* answer) {
      answer->headers = Concat("Content-Range: ", range, "\r\n");
    });
    EXPECT_EQ(target_->Get("log/1").status().code(), absl::StatusCode::kDataLoss) << range;
  }
}

TEST_F(S3TargetTest, OthersObjectsHaveNoChecksum) {
  bucket_.SetObject("/bucket/a/log/1", "bytes");
  EXPECT_EQ(*target_->Get("log/1"), "bytes");
}

TEST_F(S3TargetTest, AnObjectThatIsReplacedMeanwhileIsNotMixed) {
  bucket_.SetObject("/bucket/a/sst/1", std::string(kPart + 5, 'x'));
  // The first piece is of the one, the second would be of the other.
  bucket_.FailBefore([this, is_first = true](const BucketRequest&, int) mutable {
    if (!std::exchange(is_first, false)) bucket_.ReplaceObject("/bucket/a/sst/1", "y");
    return std::optional<ScriptedAnswer>();
  });
  const absl::Status status = target_->GetFile("sst/1", folder_ / "to");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("was replaced"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "to"));
}

TEST_F(S3TargetTest, AFailedUploadIsAborted) {
  const std::string path = MakeFile(2 * kPart + 5);
  Fail("PUT /bucket/a/sst/1?partNumber=3", 1, ErrorAnswer(403, "AccessDenied"));
  const absl::Status status = target_->PutFile("sst/1", path);
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_EQ(bucket_.TakeCalls().back(), "DELETE /bucket/a/sst/1?uploadId=id1");
  EXPECT_EQ(bucket_.uploads(), 0U);
  EXPECT_TRUE(bucket_.objects().empty());
}

TEST_F(S3TargetTest, AnInterruptedUploadIsAborted) {
  const std::string path = MakeFile(kPart + 5);
  bucket_.FailAfter([this](const BucketRequest& request, int, ScriptedAnswer*) {
    if (request.call.find("partNumber=1") != std::string::npos) interrupted_ = true;
  });
  const absl::Status status = target_->PutFile("sst/1", path);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_EQ(bucket_.uploads(), 0U);
}

TEST_F(S3TargetTest, ALostPartIsSentAgain) {
  const std::string path = MakeFile(kPart + 5);
  LoseAnswers("PUT /bucket/a/sst/1?partNumber=1", 1);
  const absl::Status status = target_->PutFile("sst/1", path);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(bucket_.objects()["/bucket/a/sst/1"].size(), kPart + 5);
}

TEST_F(S3TargetTest, ACompletionThatIsLostIsFoundOut) {
  const std::string path = MakeFile(kPart + 5);
  LoseAnswers("POST /bucket/a/sst/1?uploadId", 1);
  absl::Status status = target_->PutFile("sst/1", path);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(bucket_.objects()["/bucket/a/sst/1"].size(), kPart + 5);
  // Here the object is another one by then.
  LoseAnswers("POST /bucket/a/sst/1?uploadId", 1);
  bucket_.FailBefore([this](const BucketRequest& request, int) {
    if (request.call.starts_with("HEAD")) bucket_.ReplaceObject("/bucket/a/sst/1", "other");
    return std::optional<ScriptedAnswer>();
  });
  status = target_->PutFile("sst/1", path);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("NoSuchUpload"));
}

TEST_F(S3TargetTest, ACompletionMayFailWithStatus200) {
  const std::string path = MakeFile(kPart + 5);
  Fail("POST /bucket/a/sst/1?uploadId", 1, ErrorAnswer(200, "InternalError"));
  absl::Status status = target_->PutFile("sst/1", path);
  EXPECT_TRUE(status.ok()) << status;
  Fail("POST /bucket/a/sst/1?uploadId", 1, ErrorAnswer(200, "InvalidPart"));
  status = target_->PutFile("sst/1", path);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("InvalidPart: of InvalidPart"));
  EXPECT_EQ(bucket_.uploads(), 0U);
  Fail("POST /bucket/a/sst/1?uploadId", 1, ScriptedAnswer{.body = "<html/>"});
  status = target_->PutFile("sst/1", path);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(S3TargetTest, OldUploadsAreRemovedOnce) {
  const std::string path = MakeFile(kPart + 5);
  const ScriptedAnswer list = {
      .body =
          "<ListMultipartUploadsResult>"
          "<Upload><Key>a/sst/8</Key><UploadId>old</UploadId><Initiated>2020-01-01T00:00:00.000Z</"
          "Initiated></Upload>"
          "<Upload><Key>a/sst/9</Key><UploadId>new</UploadId><Initiated>2999-01-01T00:00:00.000Z</"
          "Initiated></Upload>"
          "<Upload><Key>ab/sst/8</Key><UploadId>else</"
          "UploadId><Initiated>2020-01-01T00:00:00.000Z</Initiated></Upload>"
          "</ListMultipartUploadsResult>"};
  Fail("GET /bucket?", 1, list);
  ASSERT_TRUE(target_->PutFile("sst/1", path).ok());
  ASSERT_TRUE(target_->PutFile("sst/2", path).ok());
  std::vector<std::string> seen;
  for (const std::string& call : bucket_.TakeCalls()) {
    if (!call.starts_with("PUT") && !call.starts_with("POST")) seen.push_back(call);
  }
  EXPECT_THAT(seen, ElementsAre("GET /bucket?encoding-type=url&prefix=a%2F&uploads=",
                                "DELETE /bucket/a/sst/8?uploadId=old"));
}

TEST_F(S3TargetTest, PartsAreAtMost10000) {
  EXPECT_EQ(PartBytesOf(kPart + 1), kPart);
  EXPECT_EQ(PartBytesOf(uint64_t{10'000} * kPart), kPart);
  EXPECT_EQ(PartBytesOf(uint64_t{10'000} * kPart + 1), kPart + (1 << 20));
  const uint64_t largest = uint64_t{5} << 40;
  EXPECT_LE(largest / PartBytesOf(largest), 10'000U);
}

TEST_F(S3TargetTest, ListsAllPages) {
  const auto page = [](const std::string& name, const std::string& next) {
    return ScriptedAnswer{.body = Concat("<ListBucketResult><Contents><Key>", name,
                                         "</Key><Size>1</Size></Contents><IsTruncated>",
                                         next.empty() ? "false" : "true",
                                         "</IsTruncated><NextContinuationToken>", next,
                                         "</NextContinuationToken></ListBucketResult>")};
  };
  bucket_.FailBefore([&](const BucketRequest& request, int) {
    const bool is_first = request.call.find("continuation-token") == std::string::npos;
    return std::optional(is_first ? page("a/log/2", "t+/") : page("a/log/3", ""));
  });
  const auto list = target_->List("log/", "log/1");
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ((*list)[1].name, "log/3");
  EXPECT_THAT(
      bucket_.TakeCalls(),
      ElementsAre(
          "GET /bucket?encoding-type=url&list-type=2&prefix=a%2Flog%2F&start-after=a%2Flog%2F1",
          "GET /bucket?continuation-token=t%2B%2F&encoding-type=url&list-type=2&prefix=a%2Flog%2F&"
          "start-after=a%2Flog%2F1"));
  // A server that gives one page again and again has no end.
  bucket_.FailBefore(
      [&](const BucketRequest&, int) { return std::optional(page("a/log/2", "again")); });
  EXPECT_EQ(target_->List("").status().code(), absl::StatusCode::kDataLoss);
  bucket_.FailBefore(
      [](const BucketRequest&, int) { return std::optional(ScriptedAnswer{.body = "<html/>"}); });
  EXPECT_EQ(target_->List("").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(S3TargetTest, ADeletionMayFailInPart) {
  const auto answer = [](const std::string& code) {
    return ScriptedAnswer{.body = Concat("<DeleteResult><Error><Key>a/log/2</Key><Code>", code,
                                         "</Code><Message>no</Message></Error></DeleteResult>")};
  };
  Fail("POST /bucket?delete=", 1, answer("AccessDenied"));
  const absl::Status status = target_->Delete({"log/1", "log/2"});
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_EQ(status.message(), "cannot delete log/2 in s3://bucket/a: AccessDenied: no");
  Fail("POST /bucket?delete=", 1, answer("InternalError"));
  EXPECT_EQ(target_->Delete({"log/1", "log/2"}).code(), absl::StatusCode::kUnavailable);
  Fail("POST /bucket?delete=", 1, answer("NoSuchKey"));
  EXPECT_TRUE(target_->Delete({"log/1", "log/2"}).ok());
  bucket_.TakeCalls();
  EXPECT_TRUE(target_->Delete({}).ok());
  EXPECT_TRUE(bucket_.TakeCalls().empty());
}

TEST_F(S3TargetTest, AnInterruptionEndsDelays) {
  Fail("PUT", 100, ErrorAnswer(503, "SlowDown"));
  std::thread interrupter([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    interrupted_ = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(target_->Put("log/1", "x").code(), absl::StatusCode::kUnavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  interrupter.join();
}

TEST(S3TargetAwayTest, AnInterruptionEndsTheWaitForASilentServer) {
  // The kernel accepts connections for it, and nobody answers.
  const testing::ListeningSocket socket;
  std::atomic<bool> interrupted = false;
  const auto target = OpenBucket(Concat("http://127.0.0.1:", socket.port()), &interrupted);
  std::thread interrupter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    interrupted = true;
  });
  const absl::Status status = target->Put("log/1", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_EQ(status.message(), "cannot write log/1 in s3://bucket/a: interrupted");
  interrupter.join();
}

TEST(S3TargetAwayTest, AServerThatIsAwayIsUnavailable) {
  std::string url;
  {
    const testing::ListeningSocket socket;
    url = Concat("http://127.0.0.1:", socket.port());
  }
  const auto target = OpenBucket(url);
  EXPECT_EQ(target->Put("log/1", "x").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(target->PutNew("log/1", "x").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(target->Get("log/1").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(target->List("").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(target->Delete({"log/1"}).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace dynolith::ship
