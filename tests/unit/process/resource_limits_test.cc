// What a process in a container may take: a server that reckons with the whole machine is killed.
#include "engine/process/resource_limits.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

class ResourceLimitsTest : public ::testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::optional<uint64_t> Group() const { return GroupMemoryLimit(folder_.path()); }
  uint64_t Memory() const { return MemoryLimit(folder_.path()); }
  std::optional<uint64_t> Threads() const { return ThreadsLeft(folder_.path()); }

  testing::ScratchFolder folder_;
};

TEST_F(ResourceLimitsTest, WithoutGroups) {
  EXPECT_EQ(Group(), std::nullopt);
  EXPECT_EQ(Threads(), std::nullopt);
  EXPECT_EQ(Memory(), 0u);
  Write("proc/meminfo", "MemTotal:       24000000 kB\nMemFree: 1 kB\n");
  EXPECT_EQ(Memory(), uint64_t{24'000'000} << 10);
}

TEST_F(ResourceLimitsTest, SecondVersion) {
  Write("proc/self/cgroup", "0::/app.slice/dynolith\n");
  Write("proc/meminfo", "MemTotal:       1000000 kB\n");
  Write("sys/fs/cgroup/app.slice/dynolith/memory.max", "max\n");
  EXPECT_EQ(Group(), std::nullopt);
  Write("sys/fs/cgroup/app.slice/memory.max", "419430400\n");
  EXPECT_EQ(Group(), 419'430'400u);
  EXPECT_EQ(Memory(), 419'430'400u);
  Write("sys/fs/cgroup/app.slice/memory.max", "9000000000\n");
  EXPECT_EQ(Memory(), uint64_t{1'000'000} << 10);
  Write("sys/fs/cgroup/app.slice/dynolith/pids.max", "50\n");
  Write("sys/fs/cgroup/app.slice/dynolith/pids.current", "20\n");
  EXPECT_EQ(Threads(), 30u);
  Write("sys/fs/cgroup/app.slice/pids.max", "60\n");
  Write("sys/fs/cgroup/app.slice/pids.current", "59\n");
  EXPECT_EQ(Threads(), 1u);
  Write("sys/fs/cgroup/app.slice/pids.current", "70\n");
  EXPECT_EQ(Threads(), 0u);
}

TEST_F(ResourceLimitsTest, FirstVersion) {
  Write("proc/self/cgroup", "8:pids:/docker/5a\n4:memory:/docker/5a\n0::/\n");
  Write("sys/fs/cgroup/memory/docker/5a/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Group(), std::nullopt);
  Write("sys/fs/cgroup/memory/docker/5a/memory.limit_in_bytes", "268435456\n");
  EXPECT_EQ(Group(), 268'435'456u);
  Write("sys/fs/cgroup/pids/docker/5a/pids.max", "100\n");
  EXPECT_EQ(Threads(), 100u);
}

// A container sees its group as the root, of either version.
TEST_F(ResourceLimitsTest, AtTheRoot) {
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/memory.max", "1000000\n");
  Write("sys/fs/cgroup/pids.max", "max\n");
  EXPECT_EQ(Group(), 1'000'000u);
  EXPECT_EQ(Threads(), std::nullopt);
}

TEST_F(ResourceLimitsTest, OfThisProcess) {
  const uint64_t before = OwnMemoryBytes();
  EXPECT_GT(before, 1u << 16);
  std::string large(64 << 20, 'x');
  EXPECT_GT(OwnMemoryBytes(), before + (32 << 20));
  EXPECT_EQ(large.back(), 'x');
}

}  // namespace
}  // namespace dynolith
