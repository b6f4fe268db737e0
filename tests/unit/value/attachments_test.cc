// A failed status is the only thing that a failed operation returns: what it carries must come out
// as it went in, and whoever prints it must be able to read it.
#include "engine/value/attachments.h"

#include <sstream>
#include <string>

#include "absl/strings/cord.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dynolith {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Item kOld = {
    {"pk", Value::S("a")}, {"n", Value::N(1)}, {"b", Value::B(std::string("\0\xff", 2))}};

std::string Printed(const absl::Status& status) {
  std::ostringstream out;
  out << status;
  return out.str();
}

absl::Status ConditionFailed() {
  absl::Status status = MakeError(ErrorKind::kConditionalCheckFailed, "failed");
  AttachItem(kOld.view(), &status);
  return status;
}

TEST(Attachments, ItemComesBackAndIsReadable) {
  EXPECT_EQ(AttachedItem(MakeError(ErrorKind::kConditionalCheckFailed, "failed")), std::nullopt);
  const absl::Status status = ConditionFailed();
  EXPECT_EQ(AttachedItem(status), kOld);
  // Abseil prints the payloads in any order.
  EXPECT_THAT(
      Printed(status),
      AllOf(
          StartsWith("FAILED_PRECONDITION: failed "),
          HasSubstr("[dynolith/kind='ConditionalCheckFailedException']"),
          HasSubstr(
              R"([dynolith/item='{\"b\":{\"B\":\"AP8=\"},\"n\":{\"N\":\"1\"},\"pk\":{\"S\":\"a\"}}'])")));
  EXPECT_EQ(AttachedJson(status, Attachment::kItem),
            R"({"b":{"B":"AP8="},"n":{"N":"1"},"pk":{"S":"a"}})");
}

TEST(Attachments, ReasonsComeBackAndAreReadable) {
  absl::Status status = MakeError(ErrorKind::kTransactionCanceled, "cancelled");
  EXPECT_TRUE(AttachedReasons(status).empty());
  EXPECT_EQ(AttachedJson(status, Attachment::kReasons), "");
  AttachReasons({"None", "ConditionalCheckFailed", "ValidationError"},
                {absl::OkStatus(), ConditionFailed(), ValidationError("\"a\", b")}, &status);
  const std::vector<CancellationReason> reasons = AttachedReasons(status);
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_EQ(reasons[0].code, "None");
  EXPECT_EQ(reasons[0].message, "");
  EXPECT_EQ(reasons[0].item, std::nullopt);
  EXPECT_EQ(reasons[1].code, "ConditionalCheckFailed");
  EXPECT_EQ(reasons[1].message, "failed");
  EXPECT_EQ(reasons[1].item, kOld);
  EXPECT_EQ(reasons[2].message, "\"a\", b");
  EXPECT_EQ(reasons[2].item, std::nullopt);

  absl::Status without_items = MakeError(ErrorKind::kTransactionCanceled, "cancelled");
  AttachReasons({"None", "ThrottlingError"},
                {absl::OkStatus(), MakeError(ErrorKind::kThrottling, "slow")}, &without_items);
  EXPECT_THAT(
      Printed(without_items),
      AllOf(
          StartsWith("ABORTED: cancelled "),
          HasSubstr("[dynolith/kind='TransactionCanceledException']"),
          HasSubstr(
              R"([dynolith/reasons='[{\"Code\":\"None\"},{\"Code\":\"ThrottlingError\",\"Message\":\"slow\"}]'])")));
}

TEST(Attachments, TheDeepestItemOfAReasonComesBack) {
  Value value = Value::NS({Number::FromInt64(1)});
  for (int i = 0; i < kNestingDepthMax; ++i) value = Value::L({value});
  const Item deep = {{"k", value}};
  absl::Status action = MakeError(ErrorKind::kConditionalCheckFailed, "failed");
  AttachItem(deep.view(), &action);
  absl::Status status = MakeError(ErrorKind::kTransactionCanceled, "cancelled");
  AttachReasons({"ConditionalCheckFailed"}, {action}, &status);
  ASSERT_EQ(AttachedReasons(status).size(), 1u);
  EXPECT_EQ(AttachedReasons(status)[0].item, deep);
}

TEST(Attachments, ThrottlingComesBackAndIsReadable) {
  absl::Status status = MakeError(ErrorKind::kThrottling, "slow");
  EXPECT_TRUE(AttachedThrottling(status).empty());
  AttachThrottling({{"TableWriteKeyRangeThroughputExceeded", "arn:x"}, {"b", ""}}, &status);
  const std::vector<ThrottlingReason> reasons = AttachedThrottling(status);
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].reason, "TableWriteKeyRangeThroughputExceeded");
  EXPECT_EQ(reasons[0].resource, "arn:x");
  EXPECT_EQ(reasons[1].reason, "b");
  EXPECT_EQ(AttachedJson(status, Attachment::kThrottling),
            R"([{"reason":"TableWriteKeyRangeThroughputExceeded","resource":"arn:x"},)"
            R"({"reason":"b","resource":""}])");
  EXPECT_THAT(Printed(status), HasSubstr(R"(\"resource\":\"arn:x\")"));
}

// A program may have made the status.
TEST(Attachments, ForeignPayloadsReadAsNothing) {
  absl::Status status = MakeError(ErrorKind::kConditionalCheckFailed, "failed");
  for (const absl::string_view text : {"", "{", "7", "[7]", "{\"a\":{\"S\":7}}"}) {
    status.SetPayload("dynolith/item", absl::Cord(text));
    EXPECT_EQ(AttachedItem(status), std::nullopt) << text;
    status.SetPayload("dynolith/reasons", absl::Cord(text));
    for (const CancellationReason& reason : AttachedReasons(status)) EXPECT_EQ(reason.code, "");
  }
}

}  // namespace
}  // namespace dynolith
