// Why: a server in a container that may use one of sixty-four processors and starts sixty-four
// threads stops for most of each period.
#include "engine/process/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

class ProcessorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    own_ = CPU_COUNT(&set);
  }
  void Write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  int Usable() const { return UsableProcessors(folder_.path()); }

  testing::ScratchFolder folder_;
  int own_ = 0;
};

TEST_F(ProcessorsTest, WithoutGroupsThoseOfTheAffinity) {
  EXPECT_EQ(Usable(), own_);
  EXPECT_GE(UsableProcessors(), 1);
  EXPECT_LE(UsableProcessors(), own_);
}

TEST_F(ProcessorsTest, OneOfTheAffinity) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(Usable(), 1);
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST_F(ProcessorsTest, TheQuotaOfAGroup) {
  Write("proc/self/cgroup", "0::/app.slice/dynolith\n");
  Write("sys/fs/cgroup/app.slice/dynolith/cpu.max", "max 100000\n");
  EXPECT_EQ(Usable(), own_);
  Write("sys/fs/cgroup/app.slice/dynolith/cpu.max", "50000 100000\n");
  EXPECT_EQ(Usable(), 1);
  Write("sys/fs/cgroup/app.slice/dynolith/cpu.max", "100001 100000\n");
  EXPECT_EQ(Usable(), std::min(own_, 2));
  Write("sys/fs/cgroup/app.slice/dynolith/cpu.max", "rubbish\n");
  EXPECT_EQ(Usable(), own_);
}

TEST_F(ProcessorsTest, TheQuotaOfAGroupAroundIt) {
  Write("proc/self/cgroup", "0::/app.slice/dynolith\n");
  Write("sys/fs/cgroup/app.slice/dynolith/cpu.max", "max 100000\n");
  Write("sys/fs/cgroup/app.slice/cpu.max", "100000 100000\n");
  EXPECT_EQ(Usable(), 1);
}

TEST_F(ProcessorsTest, AContainerSeesItsGroupAsTheRoot) {
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(Usable(), 1);
}

TEST_F(ProcessorsTest, FirstVersion) {
  Write("proc/self/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/docker/5a\n0::/\n");
  Write("sys/fs/cgroup/cpu/docker/5a/cpu.cfs_quota_us", "-1\n");
  Write("sys/fs/cgroup/cpu/docker/5a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Usable(), own_);
  Write("sys/fs/cgroup/cpu/docker/5a/cpu.cfs_quota_us", "70000\n");
  EXPECT_EQ(Usable(), 1);
}

TEST_F(ProcessorsTest, RubbishIsNoGroup) {
  Write("proc/self/cgroup", "\n:\n::\nno colon\n1:cpu\n");
  EXPECT_EQ(Usable(), own_);
}

}  // namespace
}  // namespace dynolith
