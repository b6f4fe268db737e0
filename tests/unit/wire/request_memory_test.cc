// A large body is answered only where there is memory for what it becomes.
#include "tools/server/wire/request_memory.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/process/resource_limits.h"

namespace dynolith::http {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;

std::string Values(size_t count) {
  std::string body;
  for (size_t i = 0; i < count; ++i) body += "{},";
  return body;
}

TEST(RequestMemory, WithoutALimitEverythingFits) {
  RequestMemory memory(0);
  EXPECT_TRUE(memory.Reserve(Values(1'000'000)).is_granted());
}

TEST(RequestMemory, SmallOnesAlwaysFit) {
  RequestMemory memory(1);
  EXPECT_TRUE(memory.Reserve(Values(100)).is_granted());
  EXPECT_FALSE(memory.Reserve(Values(1'000'000)).is_granted());
}

// Each takes some 76 MB by its values, a text of the same length 12 MB.
TEST(RequestMemory, AsManyAsFit) {
  const std::string body = Values(1'000'000);
  RequestMemory memory((OwnMemoryBytes() + 100 * kMegabyte) * 5 / 4);
  {
    const RequestMemory::Reservation first = memory.Reserve(body);
    EXPECT_TRUE(first.is_granted());
    EXPECT_FALSE(memory.Reserve(body).is_granted());
    EXPECT_TRUE(memory.Reserve(std::string(3 * kMegabyte, 'x')).is_granted());
  }
  EXPECT_TRUE(memory.Reserve(body).is_granted());
}

}  // namespace
}  // namespace dynolith::http
