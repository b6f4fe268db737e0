// A store in a folder while the process's address space ends: commits and reads are refused,
// RocksDB's threads go on, and so do commits when there is memory again. Nothing that was
// acknowledged is missing.
#include "engine/process/memory_reserve.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "engine/store/local_store.h"
#include "tests/unit/store/process_limit.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kAllocatorEndsProcess = true;
#else
constexpr bool kAllocatorEndsProcess = false;
#endif

rlim_t UsedAddressSpace() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

std::string NumberedKey(int number) { return "key " + std::to_string(number); }

// Of a put of some kilobytes.
absl::Status PutNumber(int number, Store* store) {
  try {
    WriteBatch batch;
    batch.Put(Family::kTables, NumberedKey(number), std::string(20'000, 'v'));
    return store->Commit(batch);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("");
  }
}

void RunOutAndGoOn() {
  const testing::ScratchFolder folder;
  StoreOptions options;
  options.path = folder.path();
  options.write_buffer_bytes = 64 << 20;
  int acknowledged = 0;
  {
    const std::unique_ptr<LocalStore> store = LocalStore::Open(options).value();
    ASSERT_TRUE(MemoryReserve::IsThere());
    {
      const testing::ProcessLimit limit(RLIMIT_AS, UsedAddressSpace() + (rlim_t{40} << 20));
      absl::Status put;
      while (put.ok()) {
        put = PutNumber(acknowledged, store.get());
        if (put.ok()) ++acknowledged;
        ASSERT_LT(acknowledged, 20'000) << "twice as much as there is memory for";
      }
      EXPECT_EQ(put.code(), absl::StatusCode::kResourceExhausted) << put;
      if (!MemoryReserve::IsThere()) {
        Cursor cursor = store->Scan(Family::kTables, "", "", Direction::kForward);
        cursor.SeekToStart();
        EXPECT_FALSE(cursor.Valid());
        EXPECT_EQ(cursor.status().code(), absl::StatusCode::kResourceExhausted);
      }
      // By RocksDB's own threads.
      EXPECT_TRUE(store->Flush().ok());
    }
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(PutNumber(acknowledged, store.get()).ok());
      ++acknowledged;
    }
  }
  const std::unique_ptr<LocalStore> store = LocalStore::Open(options).value();
  Row row;
  for (int i = 0; i < acknowledged; ++i) {
    EXPECT_TRUE(store->Get(Family::kTables, NumberedKey(i), &row).value_or(false)) << i;
  }
  EXPECT_GT(acknowledged, 500);
}

// In a process of its own: what earlier tests have freed is memory that no limit takes away.
TEST(MemoryReserveDeathTest, AStoreWithoutMemoryRefusesAndGoesOn) {
  if (kAllocatorEndsProcess) GTEST_SKIP();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    RunOutAndGoOn();
    fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dynolith
