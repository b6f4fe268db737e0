// A store with small limits must look like one without any: keys in their order, values whole.
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "engine/store/limits/limited_store.h"
#include "engine/store/transaction/run_transaction.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/hostile/hostile_store.h"

namespace dynolith::hostile {
namespace {

using ::testing::HasSubstr;

constexpr StoreLimits kTiny = {.key_bytes = 128,
                               .value_bytes = 32,
                               .batch_bytes = 1 << 20,
                               .transaction_time = absl::Seconds(60)};
// Of a row's key of its own, with these limits.
constexpr size_t kPlain = 54;

std::unique_ptr<SharedStore> OpenTiny(const std::shared_ptr<HostileRows>& rows) {
  return WithLongRows(OpenHostileStore(rows)).value();
}

using Model = std::map<std::string, std::string>;
using Rows = std::vector<std::pair<std::string, std::string>>;

Rows Walk(Cursor* cursor, size_t rows_max) {
  Rows rows;
  for (; cursor->Valid() && rows.size() < rows_max; cursor->Next()) {
    rows.emplace_back(cursor->key(), cursor->value());
  }
  EXPECT_TRUE(cursor->status().ok()) << cursor->status();
  return rows;
}

// What a cursor over the range would walk behind `after`.
Rows Expected(const Model& model, const std::string& begin, const std::string& end,
              Direction direction, const std::optional<std::string>& after, size_t rows_max) {
  Rows rows;
  for (const auto& [key, value] : model) {
    if (key < begin || (!end.empty() && key >= end)) continue;
    if (after && (direction == Direction::kForward ? key <= *after : key >= *after)) continue;
    rows.emplace_back(key, value);
  }
  if (direction == Direction::kBackward) std::reverse(rows.begin(), rows.end());
  rows.resize(std::min(rows.size(), rows_max));
  return rows;
}

class LongRowsModel {
 public:
  explicit LongRowsModel(uint64_t seed)
      : random_(seed),
        hostile_(MakeHostileRows(
            {.seed = seed, .aborted = 0.05, .lost = 0.05, .ended = 0.02, .limits = kTiny})),
        store_(OpenTiny(hostile_)) {}

  void Step() {
    switch (Draw(6)) {
      case 0:
      case 1:
        return Change();
      case 2:
        return CheckGet();
      case 3:
        return CheckMultiGet();
      case 4:
        return CheckScan();
      default:
        return CheckExpect();
    }
  }

  // Nothing may stay behind the last row.
  void DeleteAll() {
    while (!tables_.empty() || !log_.empty()) {
      WriteBatch batch;
      for (const Family family : {Family::kTables, Family::kLog}) {
        Model& model = ModelOf(family);
        for (int i = 0; i < 7 && !model.empty(); ++i) {
          const auto row = std::next(model.begin(), Draw(static_cast<int>(model.size())));
          batch.Delete(family, row->first);
          model.erase(row);
        }
      }
      ASSERT_EQ(store_->Commit(batch), absl::OkStatus());
    }
    const auto kept = OpenHostileStore(hostile_);
    for (const Family family : {Family::kTables, Family::kLog}) {
      Cursor cursor = kept->Scan(family, "", "", Direction::kForward);
      cursor.SeekToStart();
      EXPECT_EQ(Walk(&cursor, 10), Rows());
    }
  }

 private:
  int Draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  std::string Letters(size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += std::string_view("\0ab\xff", 4)[Draw(4)];
    return text;
  }
  // Many share their heads, at the first and at the second cut.
  std::string DrawKey() {
    std::string key(1, static_cast<char>('p' + Draw(2)));
    const size_t lengths[] = {3,      kPlain - 3,  kPlain - 2,  kPlain - 1,
                              kPlain, kPlain + 16, kPlain + 17, kPlain + 40};
    key += std::string(lengths[Draw(8)], Draw(2) == 0 ? '\0' : 'a');
    return key + Letters(Draw(3));
  }
  Model& ModelOf(Family family) { return family == Family::kTables ? tables_ : log_; }
  Family DrawFamily() { return Draw(2) == 0 ? Family::kTables : Family::kLog; }

  void Change() {
    WriteBatch batch;
    for (int i = Draw(5); i >= 0; --i) {
      const Family family = DrawFamily();
      Model& model = ModelOf(family);
      const std::string key = DrawKey();
      if (Draw(3) > 0) {
        const std::string value = Letters(Draw(3) == 0 ? Draw(120) : Draw(12));
        batch.Put(family, key, value);
        model[key] = value;
      } else if (family == Family::kLog && Draw(3) == 0) {
        const std::string other = DrawKey();
        const auto [begin, end] = std::minmax(key, other);
        batch.DeleteRange(family, begin, end);
        model.erase(model.lower_bound(begin), model.lower_bound(end));
      } else {
        batch.Delete(family, key);
        model.erase(key);
      }
    }
    ASSERT_EQ(store_->Commit(batch), absl::OkStatus());
  }

  void CheckGet() {
    const Family family = DrawFamily();
    const std::string key = DrawKey();
    Row row;
    const auto found = store_->Get(family, key, &row);
    ASSERT_TRUE(found.ok()) << found.status();
    const auto expected = ModelOf(family).find(key);
    ASSERT_EQ(*found, expected != ModelOf(family).end());
    EXPECT_EQ(row.value(), *found ? expected->second : "");
  }

  void CheckMultiGet() {
    std::vector<std::string> keys;
    for (int i = 0; i < 6; ++i) keys.push_back(DrawKey());
    std::vector<Row> rows(keys.size());
    std::vector<RowRead> reads;
    for (size_t i = 0; i < keys.size(); ++i) {
      reads.push_back({.family = DrawFamily(), .key = keys[i], .row = &rows[i]});
    }
    const absl::Status read = RunTransaction([&] {
      return Draw(2) == 0 ? store_->MultiGet(absl::MakeSpan(reads))
                          : store_->TakeSnapshot()->MultiGet(absl::MakeSpan(reads));
    });
    ASSERT_TRUE(read.ok()) << read;
    for (size_t i = 0; i < keys.size(); ++i) {
      const Model& model = ModelOf(reads[i].family);
      const auto expected = model.find(keys[i]);
      ASSERT_EQ(reads[i].found, expected != model.end());
      EXPECT_EQ(rows[i].value(), reads[i].found ? expected->second : "");
    }
  }

  void CheckScan() {
    const Family family = DrawFamily();
    const std::string begin = Draw(3) == 0 ? "" : DrawKey();
    const std::string end = Draw(3) == 0 ? "" : DrawKey();
    const Direction direction = Draw(2) == 0 ? Direction::kForward : Direction::kBackward;
    std::optional<std::string> after;
    if (Draw(2) == 0) after = Draw(9) == 0 ? "" : DrawKey();
    const auto rows_max = static_cast<size_t>(1 + Draw(30));
    const std::string with_key = DrawKey();
    Row with_row;
    RowRead with = {.family = family, .key = with_key, .row = &with_row};
    Cursor cursor = store_->ScanPage(family, begin, end, direction, {.rows = rows_max}, &with);
    after ? cursor.SeekAfter(*after) : cursor.SeekToStart();
    const Model& model = ModelOf(family);
    EXPECT_EQ(Walk(&cursor, rows_max), Expected(model, begin, end, direction, after, rows_max));
    if (!Expected(model, begin, end, direction, after, 1).empty()) {
      EXPECT_EQ(with.found, model.contains(with_key));
      EXPECT_EQ(with_row.value(), with.found ? model.at(with_key) : "");
    }
  }

  void CheckExpect() {
    const Family family = DrawFamily();
    const Model& model = ModelOf(family);
    const std::string key = DrawKey();
    const auto present = model.find(key);
    std::optional<std::string> value;
    if (Draw(2) == 0) {
      if (present != model.end()) value = present->second;
    } else if (Draw(2) == 0) {
      value = Letters(Draw(60));
    }
    const bool asks_presence = Draw(4) == 0;
    const bool is_so = asks_presence ? present != model.end()
                       : value       ? present != model.end() && present->second == *value
                                     : present == model.end();
    // It may be aborted for no reason, but not applied for none.
    bool is_applied = false;
    for (int i = 0; i < 20 && !is_applied; ++i) {
      const auto attempt = store_->Begin();
      if (asks_presence) {
        EXPECT_TRUE(attempt->ExpectPresent(family, key));
      } else {
        attempt->Expect(family, key, value);
      }
      is_applied = store_->CommitAttempt(attempt.get(), WriteBatch()).ok();
    }
    EXPECT_EQ(is_applied, is_so);
  }

  std::mt19937_64 random_;
  const std::shared_ptr<HostileRows> hostile_;
  const std::unique_ptr<SharedStore> store_;
  Model tables_;
  Model log_;
};

TEST(LongRowsTest, AgreesWithAMap) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(Concat("seed ", seed));
    LongRowsModel model(seed);
    for (int i = 0; i < 600 && !::testing::Test::HasFailure(); ++i) model.Step();
    if (!::testing::Test::HasFailure()) model.DeleteAll();
  }
}

TEST(LongRowsTest, ReadersSeeWholeValues) {
  const auto rows = MakeHostileRows({.seed = 9, .delayed = 0.3, .limits = kTiny});
  const std::string key = std::string(3 * kPlain, 'k');
  std::atomic<int> writing = 2;
  std::vector<std::thread> writers;
  for (int i = 0; i < 2; ++i) {
    writers.emplace_back([&, i] {
      const auto store = OpenTiny(rows);
      for (int n = 0; n < 150; ++n) {
        WriteBatch batch;
        batch.Put(Family::kTables, key,
                  std::string(40 + n % 90, static_cast<char>('a' + i + n % 8)));
        EXPECT_EQ(store->Commit(batch), absl::OkStatus());
      }
      --writing;
    });
  }
  const auto store = OpenTiny(rows);
  const auto is_of_one_write = [](std::string_view value) {
    return value.find_first_not_of(value[0]) == std::string_view::npos;
  };
  int reads = 0;
  for (bool last = false; !last; ++reads) {
    last = writing == 0;
    Row row;
    const auto found = store->Get(Family::kTables, key, &row);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_TRUE(!*found || is_of_one_write(row.value())) << row.value();
    Cursor cursor = store->Scan(Family::kTables, "", "", Direction::kForward);
    cursor.SeekToStart();
    EXPECT_TRUE(!cursor.Valid() || is_of_one_write(cursor.value())) << cursor.value();
    ASSERT_TRUE(cursor.status().ok()) << cursor.status();
  }
  for (std::thread& writer : writers) writer.join();
}

TEST(LongRowsTest, WhatIsTooMuchIsRefused) {
  StoreLimits limits = kTiny;
  limits.batch_bytes = 1000;
  const auto rows = MakeHostileRows({.limits = limits});
  const auto store = OpenTiny(rows);
  WriteBatch batch;
  batch.Put(Family::kTables, "k", std::string(900, 'x'));
  const absl::Status refused = store->Commit(batch);
  EXPECT_TRUE(IsBatchTooLarge(refused)) << refused;
  // What the store sends for each change counts, too.
  batch.Clear();
  for (int i = 0; i < 60; ++i) batch.Put(Family::kTables, Concat(10 + i), "12345678");
  ASSERT_GT(batch.bytes(), limits.batch_bytes);
  const absl::Status many = store->Commit(batch);
  EXPECT_TRUE(IsBatchTooLarge(many)) << many;
  limits.key_bytes = 100;
  const auto opened = WithLongRows(OpenHostileStore(MakeHostileRows({.limits = limits})));
  EXPECT_THAT(opened.status().message(), HasSubstr("at least 128 are needed"));
}

}  // namespace
}  // namespace dynolith::hostile
