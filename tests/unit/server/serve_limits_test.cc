// What a server takes in containers of several sizes: one that counts on the whole machine is
// killed.
#include "tools/server/serve_limits.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/limits.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;

class ServeLimitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Write("proc/self/cgroup", "0::/dynolith\n");
    Write("proc/meminfo", "MemTotal: 16777216 kB\n");
  }
  void Write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void Memory(uint64_t megabytes) {
    Write("sys/fs/cgroup/dynolith/memory.max", std::to_string(megabytes << 20));
  }
  ServeLimits Find(const AskedLimits& options = {.has_folder = true}) const {
    return FindServeLimits(options, folder_.path()).value();
  }

  testing::ScratchFolder folder_;
};

TEST_F(ServeLimitsTest, WithoutAGroup) {
  const ServeLimits limits = Find();
  EXPECT_EQ(limits.memory_bytes, 16'384 * kMegabyte);
  EXPECT_EQ(limits.request_bytes, 1'024 * kMegabyte);
  EXPECT_EQ(limits.memory_budget_bytes, 0u);
  EXPECT_EQ(limits.waiting_workers, 256);
  EXPECT_GE(limits.loops, 1);
}

TEST_F(ServeLimitsTest, ASmallGroup) {
  Memory(400);
  EXPECT_EQ(Find().memory_bytes, 400 * kMegabyte);
  EXPECT_EQ(Find().memory_budget_bytes, 200 * kMegabyte);
  EXPECT_TRUE(Find().has_own_budget);
  EXPECT_EQ(Find().request_bytes, 25 * kMegabyte);
  // In memory the items are what they are.
  EXPECT_EQ(Find({}).memory_budget_bytes, 0u);
  EXPECT_EQ(Find({}).request_bytes, 50 * kMegabyte);
  Memory(20);
  EXPECT_EQ(Find().memory_budget_bytes, kMemoryBudgetBytesMin);
  EXPECT_EQ(Find().request_bytes, kRequestBytesMax + 2 * kMegabyte);
}

TEST_F(ServeLimitsTest, ALargeGroup) {
  Memory(2'048);
  EXPECT_EQ(Find().memory_budget_bytes, 0u);
  EXPECT_EQ(Find().request_bytes, 256 * kMegabyte);
}

TEST_F(ServeLimitsTest, WhatIsGivenStays) {
  Memory(400);
  const ServeLimits budget = Find({.has_folder = true, .memory_budget_bytes = 64 * kMegabyte});
  EXPECT_EQ(budget.memory_budget_bytes, 64 * kMegabyte);
  EXPECT_FALSE(budget.has_own_budget);
  EXPECT_EQ(Find({.has_folder = true, .cache_bytes = 300 * kMegabyte}).memory_budget_bytes, 0u);
  AskedLimits options{.has_folder = true, .memory_budget_bytes = 20 * kMegabyte};
  options.cache_bytes = 100 * kMegabyte;
  EXPECT_FALSE(FindServeLimits(options, folder_.path()).ok());
}

// Why: each one that is open takes memory of its own, so many of them would take many budgets.
TEST_F(ServeLimitsTest, DatabasesShareTheBudget) {
  AskedLimits asked{.has_folder = true, .memory_budget_bytes = 128 * kMegabyte};
  EXPECT_EQ(Find(asked).first_budget_bytes, 128 * kMegabyte);
  EXPECT_EQ(Find(asked).named_budget_bytes, 0u);
  asked.has_databases = true;
  EXPECT_EQ(Find(asked).first_budget_bytes, 64 * kMegabyte);
  EXPECT_EQ(Find(asked).databases_open, 4u);
  EXPECT_EQ(Find(asked).named_budget_bytes, 16 * kMegabyte);
  asked.databases_open = 2;
  EXPECT_EQ(Find(asked).databases_open, 2u);
  EXPECT_EQ(Find(asked).named_budget_bytes, 32 * kMegabyte);
  asked = {.has_folder = true, .has_databases = true};
  EXPECT_EQ(Find(asked).databases_open, 0u);
  Memory(400);
  EXPECT_EQ(Find(asked).databases_open, 6u);
  EXPECT_EQ(Find(asked).first_budget_bytes, 100 * kMegabyte);
  // So many with a default each would not fit.
  Memory(2'048);
  EXPECT_EQ(Find(asked).memory_budget_bytes, 1'024 * kMegabyte);
  EXPECT_EQ(Find(asked).databases_open, 32u);
  asked.databases_open = 2;
  EXPECT_EQ(Find(asked).memory_budget_bytes, 0u);
  Memory(400);
  asked.databases_open = 0;
  // As it is given.
  asked.cache_bytes = 10 * kMegabyte;
  EXPECT_EQ(Find(asked).named_budget_bytes, 0u);
}

TEST_F(ServeLimitsTest, FewThreads) {
  Write("sys/fs/cgroup/dynolith/pids.max", "50\n");
  Write("sys/fs/cgroup/dynolith/pids.current", "10\n");
  EXPECT_EQ(Find().waiting_workers, 20);
  EXPECT_LE(Find().loops, 5);
  Write("sys/fs/cgroup/dynolith/pids.current", "49\n");
  EXPECT_EQ(Find().waiting_workers, 1);
  EXPECT_EQ(Find().loops, 1);
  EXPECT_EQ(Find({.loops = 7}).loops, 7);
}

TEST_F(ServeLimitsTest, AQuotaOfProcessors) {
  Write("sys/fs/cgroup/dynolith/cpu.max", "100000 100000\n");
  EXPECT_EQ(Find().loops, 1);
}

}  // namespace
}  // namespace dynolith
