// A status is the only thing that a failed operation returns: its kind and attachments must come
// out as they went in, and whoever prints it must see what has happened.
#include "engine/base/errors.h"

#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace dynolith {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Printed(const absl::Status& status) {
  std::ostringstream out;
  out << status;
  return out.str();
}

TEST(ErrorsTest, EveryKindComesBack) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::kInternalServerError); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    const absl::Status status = MakeError(kind, "text");
    EXPECT_EQ(KindOf(status), kind) << status;
    EXPECT_EQ(MessageOf(status), "text");
    EXPECT_EQ(status.code(), InfoOf(kind).code);
  }
  EXPECT_EQ(KindOf(absl::DataLossError("damaged")), ErrorKind::kInternalServerError);
}

TEST(ErrorsTest, KindIsReadableWhenPrinted) {
  EXPECT_EQ(
      Printed(MakeError(ErrorKind::kConditionalCheckFailed, "The conditional request failed")),
      "FAILED_PRECONDITION: The conditional request failed "
      "[dynolith/kind='ConditionalCheckFailedException']");
}

TEST(ErrorsTest, ItemComesBack) {
  absl::Status status = MakeError(ErrorKind::kConditionalCheckFailed, "failed");
  EXPECT_EQ(AttachedItem(status), std::nullopt);
  const std::string bytes("\0,1:\xff", 5);
  AttachItem(bytes, &status);
  EXPECT_EQ(AttachedItem(status), bytes);
}

TEST(ErrorsTest, ReasonsComeBackAndAreReadable) {
  absl::Status status = MakeError(ErrorKind::kTransactionCanceled, "cancelled");
  EXPECT_TRUE(AttachedReasons(status).empty());
  AttachReasons({{"None", "", std::nullopt},
                 {"ConditionalCheckFailed", "a, b: 3:", std::string("\0\1,", 3)},
                 {"ValidationError", "wrong", ""}},
                &status);
  const std::vector<CancellationReason> reasons = AttachedReasons(status);
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_EQ(reasons[0].code, "None");
  EXPECT_EQ(reasons[0].message, "");
  EXPECT_EQ(reasons[0].item_bytes, std::nullopt);
  EXPECT_EQ(reasons[1].code, "ConditionalCheckFailed");
  EXPECT_EQ(reasons[1].message, "a, b: 3:");
  EXPECT_EQ(reasons[1].item_bytes, std::string("\0\1,", 3));
  EXPECT_EQ(reasons[2].item_bytes, "");

  absl::Status without_items = MakeError(ErrorKind::kTransactionCanceled, "cancelled");
  AttachReasons({{"None", "", std::nullopt}, {"ThrottlingError", "slow", std::nullopt}},
                &without_items);
  // Abseil prints the payloads in any order.
  EXPECT_THAT(Printed(without_items),
              AllOf(StartsWith("ABORTED: cancelled "),
                    HasSubstr("[dynolith/kind='TransactionCanceledException']"),
                    HasSubstr("[dynolith/reasons='4:None,0:,15:ThrottlingError,4:slow,']")));
}

TEST(ErrorsTest, ThrottlingComesBackAndIsReadable) {
  absl::Status status = MakeError(ErrorKind::kThrottling, "slow");
  AttachThrottling({{"TableWriteKeyRangeThroughputExceeded", "arn:x"}, {"b", ""}}, &status);
  const std::vector<ThrottlingReason> reasons = AttachedThrottling(status);
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].reason, "TableWriteKeyRangeThroughputExceeded");
  EXPECT_EQ(reasons[0].resource, "arn:x");
  EXPECT_EQ(reasons[1].reason, "b");
  EXPECT_THAT(
      Printed(status),
      AllOf(
          StartsWith("RESOURCE_EXHAUSTED: slow "),
          HasSubstr("[dynolith/kind='ThrottlingException']"),
          HasSubstr(
              "[dynolith/throttling='36:TableWriteKeyRangeThroughputExceeded,5:arn:x,1:b,0:,']")));
}

}  // namespace
}  // namespace dynolith
