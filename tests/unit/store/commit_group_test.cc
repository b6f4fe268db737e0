// Commits of several callers that are written together: each is written once, in the order of its
// caller, and answered with its own status.
#include "engine/store/commit_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/store/local_store.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

std::string MakeKey(const WriteBatch& batch) {
  std::string key;
  batch.ForEach([&key](const WriteBatch::Change& change) { key = change.key; });
  return key;
}

void RunThreads(int count, const std::function<void(int thread)>& run) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(CommitGroupTest, EachIsWrittenOnceAndManyTogether) {
  constexpr int kThreads = 8;
  constexpr int kCommits = 50;
  CommitGroup group;
  // Only ever one writes: no lock.
  std::vector<std::string> written;
  std::map<char, int> written_of;  // by the thread's digit
  int writes = 0;
  std::atomic<size_t> begun = 0;
  // All who have something left have called, or will in the next moment.
  const auto all_have_called = [&] {
    const auto is_done = [](const auto& of_thread) { return of_thread.second == kCommits; };
    const auto done = std::count_if(written_of.begin(), written_of.end(), is_done);
    return begun == written.size() + static_cast<size_t>(kThreads - done);
  };
  RunThreads(kThreads, [&](int thread) {
    for (int i = 0; i < kCommits; ++i) {
      ++begun;
      WriteBatch batch;
      batch.Put(Family::kTables, std::to_string(thread) + "." + std::to_string(100 + i), "");
      const auto write = [&](const CommitGroup::Members& members) {
        ++writes;
        while (!all_have_called()) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        for (const CommitGroup::Member* member : members) {
          written.push_back(MakeKey(*member->batch));
          ++written_of[written.back()[0]];
        }
      };
      EXPECT_TRUE(group.Commit(batch, write).ok());
    }
  });
  ASSERT_EQ(written.size(), static_cast<size_t>(kThreads * kCommits));
  std::stable_sort(written.begin(), written.end(),
                   [](const auto& left, const auto& right) { return left[0] < right[0]; });
  EXPECT_TRUE(std::is_sorted(written.begin(), written.end())) << "a caller's are in their order";
  EXPECT_EQ(std::adjacent_find(written.begin(), written.end()), written.end());
  // With all who call in each it would be 50; some are late by more than that moment.
  EXPECT_LT(writes, 200);
}

TEST(CommitGroupTest, EachGetsItsOwnStatus) {
  CommitGroup group;
  RunThreads(6, [&](int thread) {
    const bool fails = thread % 2 == 0;
    WriteBatch batch;
    batch.Put(Family::kTables, fails ? "bad" : "good", "");
    const auto write = [](const CommitGroup::Members& members) {
      for (CommitGroup::Member* member : members) {
        if (MakeKey(*member->batch) == "bad") member->status = rocksdb::Status::IOError("bad");
      }
    };
    for (int i = 0; i < 100; ++i) EXPECT_EQ(group.Commit(batch, write).ok(), !fails);
  });
}

// Why: the others of its group, and all later ones, waited for ever.
TEST(CommitGroupTest, AWriterWithoutMemoryFailsItsGroupAndNoOther) {
  CommitGroup group;
  int groups = 0;  // only ever one writes: no lock
  std::atomic<int> failed = 0;
  RunThreads(6, [&](int) {
    WriteBatch batch;
    batch.Put(Family::kTables, "key", "");
    const auto write = [&](const CommitGroup::Members& /*members*/) {
      if (++groups % 2 == 0) throw std::bad_alloc();
    };
    for (int i = 0; i < 50; ++i) {
      const rocksdb::Status status = group.Commit(batch, write);
      EXPECT_TRUE(status.ok() || status.IsMemoryLimit());
      if (!status.ok()) ++failed;
    }
  });
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed, 300);
}

// A large one does not keep the others' from being written.
TEST(CommitGroupTest, AGroupIsBounded) {
  CommitGroup group;
  RunThreads(6, [&](int) {
    WriteBatch batch;
    batch.Put(Family::kTables, "key", std::string(700'000, 'x'));
    const auto write = [](const CommitGroup::Members& members) {
      EXPECT_EQ(members.size(), 1u);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(group.Commit(batch, write).ok());
  });
}

// Groups for which there is no room are left over again and again, callers come late, and nobody
// sleeps for good.
TEST(CommitGroupTest, LargeAndSmallOnesOfManyMeet) {
  constexpr int kThreads = 12;
  constexpr int kCommits = 150;
  CommitGroup group;
  int written = 0;  // only ever one writes: no lock
  RunThreads(kThreads, [&](int thread) {
    std::minstd_rand random(static_cast<unsigned>(thread) + 1);
    const auto write = [&](const CommitGroup::Members& members) {
      written += static_cast<int>(members.size());
      if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    };
    for (int i = 0; i < kCommits; ++i) {
      WriteBatch batch;
      batch.Put(Family::kTables, "key", std::string(random() % 3 == 0 ? 400'000 : 10, 'x'));
      EXPECT_TRUE(group.Commit(batch, write).ok());
      if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  EXPECT_EQ(written, kThreads * kCommits);
}

TEST(CommitGroupTest, WhatSeveralCommitWithSyncsIsThere) {
  constexpr int kThreads = 6;
  constexpr int kCommits = 100;
  testing::ScratchFolder folder;
  StoreOptions options;
  options.path = folder / "store";
  options.sync_commits = true;
  {
    const auto store = LocalStore::Open(options).value();
    RunThreads(kThreads, [&](int thread) {
      for (int i = 0; i < kCommits; ++i) {
        WriteBatch batch;
        batch.Put(Family::kTables, std::to_string(thread) + "." + std::to_string(i), "1");
        batch.Put(Family::kLog, std::to_string(thread), std::to_string(i));
        EXPECT_TRUE(store->Commit(batch).ok());
        Row row;
        EXPECT_TRUE(*store->Get(Family::kLog, std::to_string(thread), &row));
        EXPECT_EQ(row.value(), std::to_string(i));
      }
    });
  }
  const auto store = LocalStore::Open(options).value();
  Cursor cursor = store->Scan(Family::kTables, "", "", Direction::kForward);
  int rows = 0;
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) ++rows;
  EXPECT_EQ(rows, kThreads * kCommits);
}

}  // namespace
}  // namespace dynolith
