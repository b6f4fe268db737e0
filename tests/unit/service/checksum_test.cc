// Clients compare x-amz-crc32 with what they compute, so the reference values of api/facts/wire.md
// §2 and §5 must come out.
#include "api/service/checksum.h"

#include <gtest/gtest.h>

namespace dynolith {
namespace {

TEST(Crc32, ReferenceValues) {
  EXPECT_EQ(Crc32(""), 0u);
  EXPECT_EQ(Crc32("{}"), 2745614147u);
  EXPECT_EQ(Crc32(R"({"__type":"com.amazon.coral.service#SerializationException"})"), 3948637019u);
  EXPECT_EQ(Crc32(R"({"__type":"com.amazon.coral.service#UnknownOperationException"})"),
            1368724161u);
  EXPECT_EQ(Crc32("<UnknownOperationException/>\n"), 3552371480u);
  EXPECT_EQ(Crc32("healthy: dynamodb.us-east-1.amazonaws.com "), 3128867991u);
}

}  // namespace
}  // namespace dynolith
