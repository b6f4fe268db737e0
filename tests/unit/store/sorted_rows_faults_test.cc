// A disk that is full or fails, at the n-th operation of a kind, while rows are taken in as sorted
// files: they are all there or none of them, an acknowledged one is there when the store is opened
// again, what was committed before stays, and the error names the folder. A few n by default;
// DYNOLITH_FAULT_EVERY=1 tries every one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>

#include "engine/store/local_store.h"
#include "engine/store/store_on_file_system.h"
#include "tests/unit/store/faulty_file_system.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/test_key.h"

namespace dynolith {
namespace {

using testing::DiskFault;
using testing::DiskOperation;
using testing::FaultyFileSystem;
using testing::kDiskOperations;
using testing::ScratchFolder;

class SortedRowsFaultsTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 3'000;

  StoreOptions Options() const {
    StoreOptions options;
    options.path = folder_ / "data";
    options.encryption_key = testing::TestKey();
    // Some ten files, which are merged, as the rows come in no order.
    options.memtables_bytes = 512 << 10;
    // Which also fail on threads of their own.
    options.sorting_threads = 3;
    return options;
  }
  static std::string Key(int i) { return "row" + std::to_string(10'000 + i); }

  static absl::Status TakeIn(LocalStore* store) {
    const auto rows = store->NewSortedRows();
    for (int i = 0; i < kRows; ++i) {
      const std::string key = Key(i * 7919 % kRows);
      if (absl::Status put = rows->Put(Family::kTables, key, std::string(300, 'x')); !put.ok()) {
        return put;
      }
      absl::Status put = rows->Put(Family::kGlobalIndexes, "entry of " + key, std::string(90, 'y'));
      if (!put.ok()) return put;
    }
    return rows->Commit();
  }
  static int ReadRows(const Store& store, Family family) {
    int rows = 0;
    Cursor cursor = store.Scan(family, "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++rows;
    EXPECT_TRUE(cursor.status().ok()) << cursor.status();
    return rows;
  }
  static absl::Status PutOne(Store* store, const std::string& key) {
    WriteBatch batch;
    batch.Put(Family::kMeta, key, "1");
    return store->Commit(batch);
  }

  // The fault is one of those while rows are taken in. Returns whether they were refused.
  void Try(DiskFault fault, int before) {
    SCOPED_TRACE(std::string(kDiskOperations[static_cast<size_t>(*fault.operation)]) + " " +
                 std::to_string(fault.at) + (fault.is_full ? ", full" : ", broken") +
                 (fault.stays ? ", from then on" : ", once"));
    std::filesystem::remove_all(Options().path);
    const auto disk = std::make_shared<FaultyFileSystem>();
    bool is_there = false;
    {
      const auto store = OpenStoreOn(Options(), disk);
      ASSERT_TRUE(store.ok() && PutOne(store->get(), "before").ok()) << store.status();
      fault.at += before;
      disk->Set(fault);
      const absl::Status taken = TakeIn(store->get());
      is_there = taken.ok();
      if (!taken.ok()) {
        ++refused_;
        // Of a sync that finds no room RocksDB keeps only the text.
        const bool is_sync = fault.operation == DiskOperation::kSync ||
                             fault.operation == DiskOperation::kSyncFolder;
        const bool says_full =
            absl::IsResourceExhausted(taken) ||
            (is_sync && taken.message().find("No space left") != absl::string_view::npos);
        EXPECT_TRUE(says_full || !fault.is_full) << taken;
        EXPECT_NE(taken.message().find(Options().path), absl::string_view::npos) << taken;
      }
      disk->Heal();
      if (is_there) ExpectRows(**store, /*is_there=*/true);
    }
    const auto store = LocalStore::Open(Options());
    ASSERT_TRUE(store.ok()) << store.status();
    ExpectRows(**store, is_there);
    Row row;
    const auto found = (*store)->Get(Family::kMeta, "before", &row);
    EXPECT_TRUE(found.ok() && *found);
    EXPECT_TRUE(PutOne(store->get(), "behind").ok());
    EXPECT_TRUE((*store)->VerifyChecksums().ok());
    EXPECT_FALSE(std::filesystem::exists(Options().path + "/sorted"));
  }
  // All or none.
  static void ExpectRows(const Store& store, bool is_there) {
    const int rows = ReadRows(store, Family::kTables);
    EXPECT_EQ(ReadRows(store, Family::kGlobalIndexes), rows);
    EXPECT_TRUE(rows == kRows || (rows == 0 && !is_there)) << rows;
  }

  int refused_ = 0;
  ScratchFolder folder_;
};

TEST_F(SortedRowsFaultsTest, AllOrNoneAreThere) {
  const auto sound = std::make_shared<FaultyFileSystem>();
  int before[std::size(kDiskOperations)] = {};
  {
    const auto store = OpenStoreOn(Options(), sound);
    ASSERT_TRUE(store.ok() && PutOne(store->get(), "before").ok());
    for (size_t i = 0; i < std::size(before); ++i) {
      before[i] = sound->count(static_cast<DiskOperation>(i));
    }
    ASSERT_TRUE(TakeIn(store->get()).ok());
  }
  const char* const every = std::getenv("DYNOLITH_FAULT_EVERY");
  int tried = 0;
  for (size_t kind = 0; kind < std::size(kDiskOperations); ++kind) {
    DiskFault fault{.operation = static_cast<DiskOperation>(kind)};
    const int count = sound->count(*fault.operation) - before[kind];
    const int stride = every != nullptr ? std::max(1, std::atoi(every)) : 1 + count / 3;
    for (int at = 0; at < count; at += stride) {
      for (const int variant : {0, 1, 2, 3}) {
        fault.at = at;
        fault.is_full = (variant & 1) != 0;
        fault.stays = (variant & 2) != 0;
        fault.written_bytes = static_cast<size_t>(at) * 37 % 500;
        Try(fault, before[kind]);
        if (HasFailure()) return;
        ++tried;
      }
    }
    RecordProperty(std::string(kDiskOperations[kind]), count);
  }
  RecordProperty("tried", tried);
  EXPECT_GT(refused_, tried / 4);
}

}  // namespace
}  // namespace dynolith
