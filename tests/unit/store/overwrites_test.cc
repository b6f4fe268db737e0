// Rows in memory that are overwritten where they are, beside all who read them: no reader sees half
// of a value, a reader sees a row's values in their order, and a snapshot, a cursor or a fork shows
// one moment of all rows, for good.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/store/local_store.h"

namespace dynolith {
namespace {

constexpr uint64_t kRounds = 4'000;
constexpr int kRows = 200;

// The number many times over, so that a torn value shows; sizes differ, but suit one place.
std::string MakeValue(uint64_t number) {
  std::string value;
  for (uint64_t i = 0; i < 24 + number % 5; ++i) {
    value.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return value;
}

uint64_t ParseNumber(std::string_view value) {
  uint64_t number = 0;
  EXPECT_GE(value.size(), sizeof number);
  std::memcpy(&number, value.data(), sizeof number);
  EXPECT_EQ(value, MakeValue(number));
  return number;
}

// The rows of `kind` of one writer.
std::string MakeKey(char kind, int row) {
  return std::string(1, kind) + std::to_string(1000 + row);
}

class OverwritesTest : public ::testing::Test {
 protected:
  OverwritesTest() : store_(LocalStore::Open({.in_memory = true}).value()) {
    for (int row = 0; row < kRows; ++row) {
      for (const char kind : {'a', 'b', 'p', 'q'}) Put(store_.get(), MakeKey(kind, row), 0);
    }
  }

  static void Put(Store* store, std::string_view key, uint64_t number) {
    WriteBatch batch;
    batch.Put(Family::kTables, key, MakeValue(number));
    ASSERT_TRUE(store->Commit(batch).ok());
  }

  static uint64_t Get(const Store& store, std::string_view key) {
    Row row;
    EXPECT_TRUE(*store.Get(Family::kTables, key, &row));
    return ParseNumber(row.value());
  }

  // In each round of `write` one row after the other; the readers go on until it is over.
  void RunBeside(const std::function<void(uint64_t round)>& write,
                 const std::vector<std::function<void()>>& readers) {
    std::atomic<bool> is_over = false;
    std::vector<std::thread> threads;
    for (const auto& read : readers) {
      threads.emplace_back([&is_over, &read] {
        do read();
        while (!is_over);
      });
    }
    for (uint64_t round = 1; round <= kRounds; ++round) write(round);
    is_over = true;
    for (std::thread& thread : threads) thread.join();
  }

  // 'a' is written before 'b', each alone, in rounds over all rows: so in one moment there is a
  // number of which some first 'a' are, and their 'b' but for the last; others have the one before.
  static void WriteInTurn(Store* store, uint64_t round) {
    const auto row = static_cast<int>((round - 1) % kRows);
    const uint64_t number = 1 + (round - 1) / kRows;
    Put(store, MakeKey('a', row), number);
    Put(store, MakeKey('b', row), number);
  }

  // The rows in the order in which they are written, from one moment: never a newer one behind an
  // older one.
  static void ExpectOneMoment(const std::function<uint64_t(const std::string& key)>& get) {
    uint64_t before = get(MakeKey('a', 0));
    const uint64_t first = before;
    for (int row = 0; row < kRows; ++row) {
      for (const char kind : {'a', 'b'}) {
        const uint64_t number = get(MakeKey(kind, row));
        EXPECT_LE(number, before) << kind << row;
        EXPECT_GE(number + 1, first) << kind << row;
        before = number;
      }
    }
  }

  std::unique_ptr<LocalStore> store_;
};

TEST_F(OverwritesTest, AReaderSeesWholeValuesInTheirOrder) {
  const auto read = [this, last = std::vector<uint64_t>(kRows), row = 0]() mutable {
    row = (row + 7) % kRows;
    const auto at = static_cast<size_t>(row);
    const uint64_t number = Get(*store_, MakeKey('a', row));
    EXPECT_GE(number, last[at]);
    last[at] = number;
  };
  RunBeside([this](uint64_t round) { WriteInTurn(store_.get(), round); }, {read, read});
}

TEST_F(OverwritesTest, ASnapshotShowsOneMoment) {
  const auto read = [this] {
    const auto snapshot = store_->TakeSnapshot();
    const auto get = [&](const std::string& key) {
      Row row;
      EXPECT_TRUE(*snapshot->Get(Family::kTables, key, &row));
      return ParseNumber(row.value());
    };
    ExpectOneMoment(get);
  };
  RunBeside([this](uint64_t round) { WriteInTurn(store_.get(), round); }, {read, read});
}

TEST_F(OverwritesTest, ACursorShowsOneMoment) {
  const auto read = [this] {
    Cursor cursor = store_->Scan(Family::kTables, "a", "c", Direction::kForward);
    std::vector<uint64_t> numbers;
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      numbers.push_back(ParseNumber(cursor.value()));
    }
    ASSERT_EQ(numbers.size(), size_t{2} * kRows);
    ExpectOneMoment([&](const std::string& key) {
      const auto row = static_cast<size_t>(std::stoi(key.substr(1)) - 1000);
      return numbers[key[0] == 'a' ? row : kRows + row];
    });
  };
  RunBeside([this](uint64_t round) { WriteInTurn(store_.get(), round); }, {read, read});
}

TEST_F(OverwritesTest, AForkAndWhatItCameFromDoNotSeeEachOther) {
  const auto read = [this] {
    const std::unique_ptr<LocalStore> fork = store_->Fork().value();
    // Nodes and rows of both are shared, copied and let go of while the store goes on.
    for (int row = 0; row < kRows; row += 17) Put(fork.get(), MakeKey('p', row), 1);
    const std::unique_ptr<LocalStore> second = fork->Fork().value();
    ExpectOneMoment([&](const std::string& key) {
      const uint64_t number = Get(*fork, key);
      EXPECT_EQ(number, Get(*second, key));
      return number;
    });
    for (int row = 0; row < kRows; ++row) {
      EXPECT_EQ(Get(*fork, MakeKey('p', row)), row % 17 == 0 ? 1 : 0);
    }
  };
  RunBeside([this](uint64_t round) { WriteInTurn(store_.get(), round); }, {read, read});
  for (int row = 0; row < kRows; ++row) EXPECT_EQ(Get(*store_, MakeKey('p', row)), 0u);
}

TEST_F(OverwritesTest, WritersOfOneRowAndOfBatchesMeet) {
  // Each adds to a row of its own under a lock of its rows, as callers do, while others add rows,
  // remove them and write two rows at once.
  const auto add_pairs = [this, round = uint64_t{0}]() mutable {
    ++round;
    WriteBatch batch;
    const auto row = static_cast<int>(round % kRows);
    batch.Put(Family::kTables, MakeKey('p', row), MakeValue(round));
    batch.Put(Family::kTables, MakeKey('q', row), MakeValue(round));
    const std::string other = MakeKey('a', row) + "x" + std::to_string(round % 7);
    if (round % 2 == 0) {
      batch.Put(Family::kTables, other, "");
    } else {
      batch.Delete(Family::kTables, other);
    }
    ASSERT_TRUE(store_->Commit(batch).ok());
  };
  const auto read_pairs = [this, row = 0]() mutable {
    row = (row + 1) % kRows;
    const auto snapshot = store_->TakeSnapshot();
    Row p, q;
    EXPECT_TRUE(*snapshot->Get(Family::kTables, MakeKey('p', row), &p));
    EXPECT_TRUE(*snapshot->Get(Family::kTables, MakeKey('q', row), &q));
    EXPECT_EQ(p.value(), q.value());
  };
  std::atomic<uint64_t> b = 0;
  const auto count_up = [&] {
    ++b;
    Put(store_.get(), "b", b);
    EXPECT_EQ(Get(*store_, "b"), b);
  };
  const auto write = [this](uint64_t round) {
    Put(store_.get(), "a", round);
    EXPECT_EQ(Get(*store_, "a"), round);
  };
  RunBeside(write, {add_pairs, read_pairs, count_up});
  EXPECT_EQ(Get(*store_, "a"), kRounds);
  EXPECT_EQ(Get(*store_, "b"), b);
}

}  // namespace
}  // namespace dynolith
