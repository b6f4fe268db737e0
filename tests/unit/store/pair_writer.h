// Commits pairs of rows in two families and knows which were acknowledged.
#ifndef DYNOLITH_TESTS_UNIT_STORE_PAIR_WRITER_H_
#define DYNOLITH_TESTS_UNIT_STORE_PAIR_WRITER_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/store.h"
#include "tests/unit/store/noise.h"

namespace dynolith::testing {

class PairWriter {
 public:
  // With a value of so many bytes.
  absl::Status Commit(Store* store, size_t bytes) {
    const int i = static_cast<int>(pairs_.size());
    WriteBatch batch;
    batch.Put(Family::kTables, Key(i), Value(i, bytes));
    batch.Put(Family::kGlobalIndexes, Key(i), Key(i));
    absl::Status status = store->Commit(batch);
    pairs_.push_back({bytes, status.ok()});
    if (status.ok()) ++acknowledgements_;
    return status;
  }
  // As if the last commit had not been acknowledged.
  void ForgetLastAcknowledgement() { pairs_.back().is_acknowledged = false; }
  int acknowledgements() const { return acknowledgements_; }

  enum class Refused { kAreGone, kMayBeThere };
  // What was acknowledged is there; nothing is half there.
  void Check(const Store& store, Refused refused) const {
    Row row;
    for (int i = 0; i < static_cast<int>(pairs_.size()); ++i) {
      const Pair& pair = pairs_[static_cast<size_t>(i)];
      const auto is_there = store.Get(Family::kTables, Key(i), &row);
      ASSERT_TRUE(is_there.ok()) << is_there.status();
      if (*is_there) {
        ASSERT_EQ(row.value(), Value(i, pair.bytes)) << i;
      }
      ASSERT_EQ(*store.Get(Family::kGlobalIndexes, Key(i), &row), *is_there) << "half of " << i;
      if (pair.is_acknowledged || refused == Refused::kAreGone) {
        ASSERT_EQ(*is_there, pair.is_acknowledged) << i;
      }
    }
  }

 private:
  struct Pair {
    size_t bytes;
    bool is_acknowledged;
  };

  static std::string Key(int i) { return "key" + std::to_string(100'000 + i); }
  static std::string Value(int i, size_t bytes) {
    return MakeNoise(static_cast<uint64_t>(i), bytes);
  }

  std::vector<Pair> pairs_;
  int acknowledgements_ = 0;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_PAIR_WRITER_H_
