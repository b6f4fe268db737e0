#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/unit/store/scratch_folder.h"
#include "tools/doctor/machine_checks.h"

namespace dynolith::doctor {
namespace {

class MemoryLimitTest : public ::testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::optional<uint64_t> Limit() const { return MemoryLimit(folder_.path()); }

  testing::ScratchFolder folder_;
};

TEST_F(MemoryLimitTest, TheSmallestOfAllGroupsAround) {
  EXPECT_EQ(Limit(), std::nullopt);
  Write("proc/self/cgroup", "0::/app.slice/dynolith\n");
  Write("sys/fs/cgroup/app.slice/dynolith/memory.max", "max\n");
  EXPECT_EQ(Limit(), std::nullopt);
  Write("sys/fs/cgroup/app.slice/memory.max", "134217728\n");
  EXPECT_EQ(Limit(), 134'217'728);
  Write("sys/fs/cgroup/app.slice/dynolith/memory.max", "67108864\n");
  EXPECT_EQ(Limit(), 67'108'864);
}

TEST_F(MemoryLimitTest, OfTheFirstVersion) {
  Write("proc/self/cgroup", "9:memory:/docker/5a\n4:cpu,cpuacct:/docker/5a\n");
  Write("sys/fs/cgroup/memory/docker/5a/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Limit(), std::nullopt);
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728\n");
  EXPECT_EQ(Limit(), 134'217'728);
}

}  // namespace
}  // namespace dynolith::doctor
