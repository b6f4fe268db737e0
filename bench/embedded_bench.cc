// GetItem, PutItem and Query in process beside SQLite and LMDB, which keep the same bytes under the
// same keys, in turns: `ratio` is Dynolith's median turn over theirs. All are on disk and wait for
// no sync; SQLite has a prepared statement and a write-ahead log, LMDB a transaction for each call.
#include <benchmark/benchmark.h>
#include <lmdb.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 1'000 : 100'000;
const int kTurn = kAsTest ? 10 : 500;
const int kHot = 100;
constexpr int kCollection = 100;
constexpr int kPage = 10;

std::string KeyText(int i) { return "user#" + std::to_string(i); }
Item MakeKey(int i) { return {{"pk", Value::S(KeyText(i))}}; }
// Collections of kCollection items, one after the other. The others' keys are `pk` NUL `sk`.
std::string Collection(int i) { return KeyText(i / kCollection); }
std::string SortKey(int i) { return absl::StrFormat("photo#%04d", i % kCollection); }
std::string PageKey(int i) { return Collection(i) + '\0' + SortKey(i); }

Item MakeItem(int i, int turn) {
  std::string caption = std::to_string(turn);
  caption.resize(150, 'x');
  Item item = MakeKey(i);
  item.Set("caption", Value::S(caption));
  return item;
}

Item MakePageItem(int i) {
  Item item = MakeItem(i, 0);
  item.Set("pk", Value::S(Collection(i)));
  item.Set("sk", Value::S(SortKey(i)));
  return item;
}

// What the benchmarks ask of each side. Calls check that they did what was asked.
class Side {
 public:
  virtual ~Side() = default;
  virtual void Get(int i) = 0;
  virtual void Put(int i, int turn) = 0;
  // The first kPage items of the collection that MakePageItem(i) is in.
  virtual void PutIntoPage(int i) = 0;
  virtual void GetPage(int i) = 0;
};

class OurSide final : public Side {
 public:
  explicit OurSide(const std::string& folder) : database_(*Database::Open({.path = folder})) {
    Require(database_
                ->CreateTable({.table_name = "bench",
                               .attribute_definitions = {{{"pk"}}},
                               .key_schema = {{{"pk"}}},
                               .billing_mode = BillingMode::kPayPerRequest})
                .ok(),
            "table");
    Require(database_
                ->CreateTable({.table_name = "pages",
                               .attribute_definitions = {{{"pk"}, {"sk"}}},
                               .key_schema = {{{"pk"}, {"sk", KeyType::kRange}}},
                               .billing_mode = BillingMode::kPayPerRequest})
                .ok(),
            "table of pages");
  }
  void Get(int i) override {
    size_t bytes = 0;
    const auto got = database_->GetItem({.table_name = "bench", .key = MakeKey(i)},
                                        [&](ItemView item) { bytes = item.bytes().size(); });
    Require(got.ok() && bytes > 150, "GetItem");
  }
  void Put(int i, int turn) override {
    Require(database_->PutItem({.table_name = "bench", .item = MakeItem(i, turn)}).ok(), "PutItem");
  }
  void PutIntoPage(int i) override {
    Require(database_->PutItem({.table_name = "pages", .item = MakePageItem(i)}).ok(), "PutItem");
  }
  void GetPage(int i) override {
    size_t bytes = 0;
    const auto page =
        database_->Query({.table_name = "pages",
                          .limit = kPage,
                          .key_condition_expression = "pk = :pk",
                          .expression_attribute_values = {{{":pk", Value::S(Collection(i))}}}},
                         [&](ItemView item) { bytes += item.bytes().size(); });
    Require(page.ok() && page->count == kPage && bytes > 150 * kPage, "Query");
  }

 private:
  std::unique_ptr<Database> database_;
};

class SqliteSide final : public Side {
 public:
  explicit SqliteSide(const std::string& folder) {
    Require(sqlite3_open((folder + ".sqlite").c_str(), &db_) == SQLITE_OK, "SQLite");
    for (const char* statement :
         {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL",
          "CREATE TABLE bench (k BLOB PRIMARY KEY, v BLOB) WITHOUT ROWID",
          "CREATE TABLE pages (pk BLOB, sk BLOB, v BLOB, PRIMARY KEY (pk, sk)) WITHOUT ROWID"}) {
      Require(sqlite3_exec(db_, statement, nullptr, nullptr, nullptr) == SQLITE_OK, statement);
    }
    Prepare("SELECT v FROM bench WHERE k = ?", &get_);
    Prepare("INSERT OR REPLACE INTO bench VALUES (?, ?)", &put_);
    Prepare("SELECT v FROM pages WHERE pk = ? ORDER BY sk LIMIT ?", &get_page_);
    Prepare("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", &put_into_page_);
  }
  ~SqliteSide() override {
    sqlite3_finalize(get_);
    sqlite3_finalize(put_);
    sqlite3_finalize(get_page_);
    sqlite3_finalize(put_into_page_);
    sqlite3_close(db_);
  }
  void Get(int i) override {
    const std::string key = KeyText(i);
    Bind(get_, 1, key);
    Require(sqlite3_step(get_) == SQLITE_ROW && sqlite3_column_bytes(get_, 0) > 150, "SELECT");
    sqlite3_reset(get_);
  }
  void Put(int i, int turn) override {
    const std::string key = KeyText(i);
    const Item item = MakeItem(i, turn);
    Bind(put_, 1, key);
    Bind(put_, 2, item.bytes());
    Require(sqlite3_step(put_) == SQLITE_DONE, "INSERT");
    sqlite3_reset(put_);
  }
  void PutIntoPage(int i) override {
    const std::string collection = Collection(i);
    const std::string sort_key = SortKey(i);
    const Item item = MakePageItem(i);
    Bind(put_into_page_, 1, collection);
    Bind(put_into_page_, 2, sort_key);
    Bind(put_into_page_, 3, item.bytes());
    Require(sqlite3_step(put_into_page_) == SQLITE_DONE, "INSERT");
    sqlite3_reset(put_into_page_);
  }
  void GetPage(int i) override {
    const std::string collection = Collection(i);
    Bind(get_page_, 1, collection);
    sqlite3_bind_int(get_page_, 2, kPage);
    int rows = 0;
    while (sqlite3_step(get_page_) == SQLITE_ROW && sqlite3_column_bytes(get_page_, 0) > 150)
      ++rows;
    Require(rows == kPage, "SELECT");
    sqlite3_reset(get_page_);
  }

 private:
  void Prepare(const char* text, sqlite3_stmt** statement) {
    Require(sqlite3_prepare_v2(db_, text, -1, statement, nullptr) == SQLITE_OK, text);
  }
  static void Bind(sqlite3_stmt* statement, int place, std::string_view bytes) {
    sqlite3_bind_blob(statement, place, bytes.data(), static_cast<int>(bytes.size()),
                      SQLITE_STATIC);
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt* get_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  sqlite3_stmt* get_page_ = nullptr;
  sqlite3_stmt* put_into_page_ = nullptr;
};

class LmdbSide final : public Side {
 public:
  explicit LmdbSide(const std::string& folder) {
    std::filesystem::create_directories(folder + ".lmdb");
    Require(mdb_env_create(&environment_) == 0, "LMDB");
    mdb_env_set_mapsize(environment_, size_t{1} << 30);
    Require(mdb_env_open(environment_, (folder + ".lmdb").c_str(), MDB_NOSYNC, 0644) == 0, "LMDB");
    MDB_txn* transaction = nullptr;
    mdb_txn_begin(environment_, nullptr, 0, &transaction);
    Require(mdb_dbi_open(transaction, nullptr, 0, &database_) == 0, "LMDB");
    mdb_txn_commit(transaction);
  }
  ~LmdbSide() override { mdb_env_close(environment_); }
  void Get(int i) override {
    const std::string text = KeyText(i);
    MDB_val key = Of(text);
    MDB_val value = {};
    MDB_txn* transaction = nullptr;
    mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction);
    Require(mdb_get(transaction, database_, &key, &value) == 0 && value.mv_size > 150, "mdb_get");
    mdb_txn_abort(transaction);
  }
  void Put(int i, int turn) override { Put(KeyText(i), MakeItem(i, turn)); }
  void PutIntoPage(int i) override { Put(PageKey(i), MakePageItem(i)); }
  void GetPage(int i) override {
    const std::string text = Collection(i) + '\0';
    MDB_val key = Of(text);
    MDB_val value = {};
    MDB_txn* transaction = nullptr;
    MDB_cursor* cursor = nullptr;
    mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction);
    Require(mdb_cursor_open(transaction, database_, &cursor) == 0, "mdb_cursor_open");
    int rows = 0;
    for (MDB_cursor_op step = MDB_SET_RANGE;
         rows < kPage && mdb_cursor_get(cursor, &key, &value, step) == 0 &&
         std::string_view(static_cast<const char*>(key.mv_data), key.mv_size).starts_with(text) &&
         value.mv_size > 150;
         step = MDB_NEXT) {
      ++rows;
    }
    Require(rows == kPage, "mdb_cursor_get");
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
  }

 private:
  void Put(const std::string& text, const Item& item) {
    MDB_val key = Of(text);
    MDB_val value = Of(item.bytes());
    MDB_txn* transaction = nullptr;
    mdb_txn_begin(environment_, nullptr, 0, &transaction);
    Require(mdb_put(transaction, database_, &key, &value, 0) == 0, "mdb_put");
    Require(mdb_txn_commit(transaction) == 0, "mdb_txn_commit");
  }
  static MDB_val Of(std::string_view bytes) {
    return {bytes.size(), const_cast<char*>(bytes.data())};
  }

  MDB_env* environment_ = nullptr;
  MDB_dbi database_ = 0;
};

template <typename Other, typename Fill, typename Call>
void CompareWith(benchmark::State& state, int keys, Fill fill, Call call) {
  const testing::ScratchFolder folder;
  OurSide ours(folder / "data");
  Other other(folder / "data");
  Side* const sides[] = {&other, &ours};
  for (Side* const side : sides) {
    for (int i = 0; i < kItems; ++i) fill(side, i);
  }
  std::mt19937_64 random(1);
  std::vector<double> times[2];
  int turn = 0;
  const auto run = [&] {
    ++turn;
    std::vector<int> picks;
    for (int i = 0; i < kTurn; ++i) {
      picks.push_back(static_cast<int>(random() % static_cast<uint64_t>(keys)) * (kItems / keys));
    }
    for (int side = 0; side < 2; ++side) {
      const auto start = std::chrono::steady_clock::now();
      for (const int i : picks) call(sides[side], i, turn);
      times[side].push_back(
          std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
              .count() /
          kTurn);
    }
  };
  for (int i = 0; i < (kAsTest ? 1 : 20); ++i) run();
  for (std::vector<double>& each : times) each.clear();
  for (auto _ : state) run();
  state.counters["ours_ns"] = Median(times[1]);
  state.counters["theirs_ns"] = Median(times[0]);
  state.counters["ratio"] = Median(times[1]) / Median(times[0]);
}

void FillWithItems(Side* side, int i) { side->Put(i, 0); }
void FillWithPages(Side* side, int i) { side->PutIntoPage(i); }

template <typename Other>
void GetItemHot(benchmark::State& state) {
  CompareWith<Other>(state, kHot, FillWithItems, [](Side* side, int i, int) { side->Get(i); });
}

template <typename Other>
void GetItemUniform(benchmark::State& state) {
  CompareWith<Other>(state, kItems, FillWithItems, [](Side* side, int i, int) { side->Get(i); });
}

template <typename Other>
void PutItemUniform(benchmark::State& state) {
  CompareWith<Other>(state, kItems, FillWithItems,
                     [](Side* side, int i, int turn) { side->Put(i, turn); });
}

template <typename Other>
void QueryHot(benchmark::State& state) {
  CompareWith<Other>(state, kHot, FillWithPages, [](Side* side, int i, int) { side->GetPage(i); });
}

template <typename Other>
void QueryUniform(benchmark::State& state) {
  CompareWith<Other>(state, kItems, FillWithPages,
                     [](Side* side, int i, int) { side->GetPage(i); });
}

BENCHMARK_TEMPLATE(GetItemHot, SqliteSide);
BENCHMARK_TEMPLATE(GetItemHot, LmdbSide);
BENCHMARK_TEMPLATE(GetItemUniform, SqliteSide);
BENCHMARK_TEMPLATE(GetItemUniform, LmdbSide);
BENCHMARK_TEMPLATE(PutItemUniform, SqliteSide);
BENCHMARK_TEMPLATE(PutItemUniform, LmdbSide);
BENCHMARK_TEMPLATE(QueryHot, SqliteSide);
BENCHMARK_TEMPLATE(QueryHot, LmdbSide);
BENCHMARK_TEMPLATE(QueryUniform, SqliteSide);
BENCHMARK_TEMPLATE(QueryUniform, LmdbSide);

}  // namespace
}  // namespace dynolith
