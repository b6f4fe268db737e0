// The parts of a memory budget: their sum is the budget, and what is given by itself comes first.
#include "engine/process/memory_budget.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/base/limits.h"

namespace dynolith {
namespace {

constexpr size_t kMegabyte = 1 << 20;

TEST(MemoryBudgetTest, EachHasItsEighths) {
  const auto shares = DivideMemory(256 * kMegabyte, {});
  ASSERT_TRUE(shares.ok()) << shares.status();
  EXPECT_EQ(shares->memtables_bytes, 64 * kMegabyte);
  EXPECT_EQ(shares->write_buffer_bytes, 8 * kMegabyte);
  EXPECT_EQ(shares->block_cache_bytes, 96 * kMegabyte);
  EXPECT_EQ(shares->item_cache_bytes, 32 * kMegabyte);
  EXPECT_EQ(shares->request_bytes, 32 * kMegabyte);
}

TEST(MemoryBudgetTest, ALittleOneStillTakesTheLargestRequest) {
  const auto shares = DivideMemory(kMemoryBudgetBytesMin, {});
  ASSERT_TRUE(shares.ok()) << shares.status();
  EXPECT_EQ(shares->write_buffer_bytes, kMegabyte);
  EXPECT_EQ(shares->request_bytes, kRequestBytesMax + 2 * kMegabyte);
}

TEST(MemoryBudgetTest, WhatIsGivenIsTakenFromTheBlocks) {
  const auto shares =
      DivideMemory(256 * kMegabyte, {.write_buffer_bytes = 40 * kMegabyte, .item_cache_bytes = 0});
  ASSERT_TRUE(shares.ok()) << shares.status();
  EXPECT_EQ(shares->write_buffer_bytes, 40 * kMegabyte);
  EXPECT_EQ(shares->memtables_bytes, 80 * kMegabyte);
  EXPECT_EQ(shares->item_cache_bytes, 0u);
  EXPECT_EQ(shares->block_cache_bytes, 112 * kMegabyte);
}

TEST(MemoryBudgetTest, BlocksThatAreGivenLeaveTheRestFree) {
  const auto shares = DivideMemory(256 * kMegabyte, {.block_cache_bytes = kMegabyte});
  ASSERT_TRUE(shares.ok()) << shares.status();
  EXPECT_EQ(shares->block_cache_bytes, kMegabyte);
  EXPECT_EQ(shares->item_cache_bytes, 32 * kMegabyte);
}

// The budget that the refusal of `parts` names.
size_t Needed(const MemoryParts& parts) {
  const absl::Status refused = DivideMemory(kMegabyte, parts).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  const std::string text(refused.message());
  return std::stoul(text.substr(text.find("at least ") + 9)) * kMegabyte;
}

TEST(MemoryBudgetTest, TheRefusalNamesTheLeastThatDoes) {
  const MemoryParts some[] = {
      {},
      {.write_buffer_bytes = 64 * kMegabyte},
      {.block_cache_bytes = 300 * kMegabyte},
      {.item_cache_bytes = 100 * kMegabyte},
      {.block_cache_bytes = 32 * kMegabyte, .item_cache_bytes = 32 * kMegabyte},
      {.write_buffer_bytes = kMegabyte,
       .block_cache_bytes = 50 * kMegabyte,
       .item_cache_bytes = 7 * kMegabyte},
  };
  for (const MemoryParts& parts : some) {
    const size_t needed = Needed(parts);
    EXPECT_FALSE(DivideMemory(needed - kMegabyte, parts).ok()) << needed;
    const auto shares = DivideMemory(needed, parts);
    ASSERT_TRUE(shares.ok()) << shares.status();
    const size_t eighth = needed / 8;
    EXPECT_LE(
        shares->memtables_bytes + shares->block_cache_bytes + shares->item_cache_bytes + 2 * eighth,
        needed);
    EXPECT_GE(shares->block_cache_bytes, parts.block_cache_bytes.value_or(eighth));
  }
}

}  // namespace
}  // namespace dynolith
