// A status is the only thing that a failed operation returns: its kind must come out as it went in,
// and whoever prints it must see what has happened.
#include "engine/base/errors.h"

#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace dynolith {
namespace {

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

}  // namespace
}  // namespace dynolith
