// Whole operations beside the same work on raw RocksDB, interleaved in one run: each benchmark
// reports both times and their ratio. `ratio` is Dynolith's time over RocksDB's; raw RocksDB gets
// the same options, keys and value bytes. One operation is measured beside itself in another table.
#include <benchmark/benchmark.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/require.h"
#include "dynolith/database.h"
#include "dynolith/shards.h"
#include "engine/key/key_codec.h"
#include "engine/store/rocks_types.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

// DYNOLITH_BENCH_SIZE shrinks everything for the run as a test; a whole user's photos must be left.
const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 2'000 : 100'000;
const int kBatch = kAsTest ? 1 : 100;  // operations between two changes of side

std::unique_ptr<rocksdb::DB> OpenRaw(const std::string& path) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.block_size = 8 << 10;
  table.block_cache = rocksdb::NewLRUCache(128 << 20);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 16 << 20;
  options.max_open_files = -1;
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  OpenedDatabase db{};
  Require(rocksdb::DB::Open(options, path, &db).ok(), "raw RocksDB");
  return std::unique_ptr<rocksdb::DB>(std::move(db));
}

// "user#00042": 100 photos a user.
std::string PartitionKey(int i) {
  char text[24];
  std::snprintf(text, sizeof text, "user#%06d", i / 100);
  return text;
}
std::string SortKey(int i) {
  char text[24];
  std::snprintf(text, sizeof text, "photo#%04d", i % 100);
  return text;
}

// An item of about 200 bytes. `moved`: how far its index keys are from those of the item at first.
Item MakeItem(int i, int version = 0, int moved = 0) {
  const int at = i + moved;
  return Item{{"pk", Value::S(PartitionKey(i))},
              {"sk", Value::S(SortKey(i))},
              {"g0", Value::S("g" + std::to_string(at % 997))},
              {"g1", Value::N(at % 991)},
              {"g2", Value::S("h" + std::to_string(at % 983))},
              {"g3", Value::N(at % 977)},
              {"g4", Value::S("k" + std::to_string(at % 971))},
              {"likes", Value::N(version)},
              {"caption", Value::S(std::string(90, static_cast<char>('a' + i % 26)))}};
}

// A database and a raw RocksDB with the same rows.
class Pair {
 public:
  explicit Pair(int global_indexes) : raw_(OpenRaw(folder_.path() + "/raw")) {
    // Without a cache of items, which raw RocksDB has not, either: see item_cache_bench.
    auto database = Database::Open({.path = folder_.path() + "/dynolith", .item_cache_bytes = 0});
    Require(database.ok(), "database");
    database_ = *std::move(database);
    CreateTableRequest table{.table_name = "bench"};
    table.billing_mode = BillingMode::kPayPerRequest;
    using KeyType = KeyType;
    table.key_schema = {{{"pk", KeyType::kHash}, {"sk", KeyType::kRange}}};
    table.attribute_definitions = {{{"pk", Type::kString}, {"sk", Type::kString}}};
    for (int i = 0; i < global_indexes; ++i) {
      const std::string attribute = "g" + std::to_string(i);
      table.attribute_definitions->push_back(
          {attribute, i % 2 == 0 ? Type::kString : Type::kNumber});
      if (!table.global_secondary_indexes) table.global_secondary_indexes.emplace();
      table.global_secondary_indexes->push_back({.index_name = "index" + std::to_string(i),
                                                 .key_schema = {{attribute, KeyType::kHash}},
                                                 .projection = {ProjectionType::kAll}});
    }
    Require(database_->CreateTable(table).ok(), "table");
    for (int i = 0; i < kItems; ++i) {
      const Item item = MakeItem(i);
      Require(database_->PutItem({.table_name = "bench", .item = item}).ok(), "put");
      Require(raw_->Put({}, RawKey(i), item.bytes()).ok(), "raw put");
    }
  }

  Database& database() { return *database_; }
  rocksdb::DB& raw() { return *raw_; }

  std::string RawKey(int i) const {
    std::string key;
    const Item item = Key(i);
    AppendRowKey(1, schema_, item.view(), &key);
    return key;
  }
  static Item Key(int i) {
    return Item{{"pk", Value::S(PartitionKey(i))}, {"sk", Value::S(SortKey(i))}};
  }

 private:
  const KeySchema schema_{{{"pk", Type::kString}}, {{"sk", Type::kString}}};
  testing::ScratchFolder folder_;
  std::unique_ptr<rocksdb::DB> raw_;
  std::unique_ptr<Database> database_;
};

// Rows of which a query may want a thousand: `likes` is 7 in one of a hundred.
constexpr int kWideRows = 1'000;
const int kWideKeys = kAsTest ? 2 : 50;

Item WideItem(int i) {
  return Item{{"pk", Value::S("wide#" + std::to_string(i / kWideRows))},
              {"sk", Value::N(i % kWideRows)},
              {"likes", Value::N(i % 100)},
              {"caption", Value::S(std::string(120, static_cast<char>('a' + i % 26)))}};
}

// By number of global indexes; emptied before main ends, while RocksDB's own statics are alive.
std::unique_ptr<Pair> pairs[6];

Pair& SharedPair(int global_indexes) {
  std::unique_ptr<Pair>& pair = pairs[global_indexes];
  if (pair == nullptr) pair = std::make_unique<Pair>(global_indexes);
  return *pair;
}

// Runs batches of both sides in turns and reports nanoseconds per operation and their ratio.
template <typename Ours, typename Raw>
void RunInTurns(benchmark::State& state, Ours&& ours, Raw&& raw, int batch = kBatch,
                const char* raw_counter = "rocksdb_ns") {
  using Clock = std::chrono::steady_clock;
  std::mt19937 random(42);
  std::vector<int> picks(static_cast<size_t>(batch));
  double ours_seconds = 0;
  double raw_seconds = 0;
  for (auto _ : state) {
    for (int& pick : picks) pick = static_cast<int>(random() % kItems);
    const auto start = Clock::now();
    for (const int pick : picks) ours(pick);
    const auto middle = Clock::now();
    for (const int pick : picks) raw(pick);
    const auto end = Clock::now();
    const double seconds = std::chrono::duration<double>(middle - start).count();
    state.SetIterationTime(seconds);
    ours_seconds += seconds;
    raw_seconds += std::chrono::duration<double>(end - middle).count();
  }
  const double operations = static_cast<double>(state.iterations()) * batch;
  state.counters["dynolith_ns"] = ours_seconds / operations * 1e9;
  state.counters[raw_counter] = raw_seconds / operations * 1e9;
  state.counters["ratio"] = ours_seconds / raw_seconds;
}

void GetItem(benchmark::State& state) {
  Pair& pair = SharedPair(0);
  rocksdb::PinnableSlice value;
  GetItemRequest request{.table_name = "bench"};
  RunInTurns(
      state,
      [&](int i) {
        request.key = Pair::Key(i);
        size_t bytes = 0;
        const auto output = pair.database().GetItem(
            request, [&bytes](ItemView item) { bytes = item.bytes().size(); });
        benchmark::DoNotOptimize(bytes);
        Require(output.ok() && bytes > 0, "get");
      },
      [&](int i) {
        value.Reset();
        Require(pair.raw().Get({}, pair.raw().DefaultColumnFamily(), pair.RawKey(i), &value).ok(),
                "raw get");
      });
}
BENCHMARK(GetItem)->UseManualTime();

// Into an item of the caller's own; raw RocksDB fills a string.
void GetItemOwned(benchmark::State& state) {
  Pair& pair = SharedPair(0);
  GetItemRequest request{.table_name = "bench"};
  RunInTurns(
      state,
      [&](int i) {
        request.key = Pair::Key(i);
        const auto output = pair.database().GetItem(request);
        Require(output.ok() && output->item.has_value(), "get");
      },
      [&](int i) {
        std::string value;
        Require(pair.raw().Get({}, pair.RawKey(i), &value).ok(), "raw get");
      });
}
BENCHMARK(GetItemOwned)->UseManualTime();

// Of 25 items; raw RocksDB has them copied into strings, too. Beside its MultiGet, and beside as
// many Gets.
void BatchGetItem(benchmark::State& state) {
  const bool is_multi_get = state.range(0) == 1;
  constexpr int kKeys = 25;
  Pair& pair = SharedPair(0);
  const auto nth = [](int i, int n) { return (i + n * 7919) % kItems; };
  RunInTurns(
      state,
      [&](int i) {
        BatchGetItemRequest request;
        auto& [table, part] = request.request_items.emplace_back("bench", KeysAndAttributes());
        for (int n = 0; n < kKeys; ++n) part.keys.push_back(Pair::Key(nth(i, n)));
        const auto output = pair.database().BatchGetItem(request);
        Require(output.ok() && output->responses[0].second.size() == kKeys, "batch get");
      },
      [&](int i) {
        std::vector<std::string> keys;
        for (int n = 0; n < kKeys; ++n) keys.push_back(pair.RawKey(nth(i, n)));
        std::vector<std::string> values(kKeys);
        if (!is_multi_get) {
          for (int n = 0; n < kKeys; ++n) {
            Require(pair.raw().Get({}, keys[n], &values[n]).ok(), "raw get");
          }
          return;
        }
        const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
        std::vector<rocksdb::PinnableSlice> pinned(kKeys);
        std::vector<rocksdb::Status> statuses(kKeys);
        pair.raw().MultiGet({}, pair.raw().DefaultColumnFamily(), kKeys, slices.data(),
                            pinned.data(), statuses.data());
        for (int n = 0; n < kKeys; ++n) {
          Require(statuses[n].ok(), "raw multi get");
          values[n] = pinned[n].ToString();
        }
      });
}
BENCHMARK(BatchGetItem)->ArgName("multi_get")->Arg(1)->Arg(0)->UseManualTime();

// Arg: global secondary indexes; raw RocksDB reads the old row when there are any, and writes 1 + n
// keys in one batch.
void PutItem(benchmark::State& state) {
  const int indexes = static_cast<int>(state.range(0));
  Pair& pair = SharedPair(indexes);
  int version = 0;
  rocksdb::PinnableSlice old;
  RunInTurns(
      state,
      [&](int i) {
        Require(
            pair.database().PutItem({.table_name = "bench", .item = MakeItem(i, ++version)}).ok(),
            "put");
      },
      [&](int i) {
        const std::string key = pair.RawKey(i);
        const Item item = MakeItem(i, ++version);
        rocksdb::WriteBatch batch;
        batch.Put(key, item.bytes());
        if (indexes > 0) {
          old.Reset();
          Require(pair.raw().Get({}, pair.raw().DefaultColumnFamily(), key, &old).ok(), "raw get");
        }
        for (int n = 0; n < indexes; ++n) {
          batch.Put(std::string("~index") + static_cast<char>('0' + n) + key, item.bytes());
        }
        Require(pair.raw().Write({}, &batch).ok(), "raw put");
      });
}
BENCHMARK(PutItem)->Arg(0)->Arg(1)->Arg(5)->UseManualTime();

// The same with an index key that changes each time: raw RocksDB deletes a key of each index and
// writes another one.
void PutItemThatMoves(benchmark::State& state) {
  const int indexes = static_cast<int>(state.range(0));
  Pair& pair = SharedPair(indexes);
  int version = 0;
  rocksdb::PinnableSlice old;
  RunInTurns(
      state,
      [&](int i) {
        ++version;
        const Item item = MakeItem(i, version, version);
        Require(pair.database().PutItem({.table_name = "bench", .item = item}).ok(), "put");
      },
      [&](int i) {
        const std::string key = pair.RawKey(i);
        ++version;
        const Item item = MakeItem(i, version, version);
        rocksdb::WriteBatch batch;
        batch.Put(key, item.bytes());
        old.Reset();
        Require(pair.raw().Get({}, pair.raw().DefaultColumnFamily(), key, &old).ok(), "raw get");
        for (int n = 0; n < indexes; ++n) {
          const std::string index = std::string("~index") + static_cast<char>('0' + n);
          batch.Delete(index + std::to_string(version % 997) + key);
          batch.Put(index + std::to_string((version + 1) % 997) + key, item.bytes());
        }
        Require(pair.raw().Write({}, &batch).ok(), "raw put");
      });
}
BENCHMARK(PutItemThatMoves)->Arg(1)->Arg(5)->UseManualTime();

// Puts of ten items; raw RocksDB writes as many in a batch.
void TransactWriteItems(benchmark::State& state) {
  constexpr int kPuts = 10;
  Pair& pair = SharedPair(0);
  int version = 0;
  const auto nth = [](int i, int n) { return (i + n * 7919) % kItems; };
  RunInTurns(
      state,
      [&](int i) {
        TransactWriteItemsRequest request;
        for (int n = 0; n < kPuts; ++n) {
          TransactAction put{.table_name = "bench", .item = MakeItem(nth(i, n), ++version)};
          request.transact_items.push_back({.put = std::move(put)});
        }
        Require(pair.database().TransactWriteItems(request).ok(), "transaction");
      },
      [&](int i) {
        rocksdb::WriteBatch batch;
        for (int n = 0; n < kPuts; ++n) {
          const int item = nth(i, n);
          batch.Put(pair.RawKey(item), MakeItem(item, ++version).bytes());
        }
        Require(pair.raw().Write({}, &batch).ok(), "raw batch");
      });
}
BENCHMARK(TransactWriteItems)->UseManualTime();

// PutItem into a table with point-in-time recovery, which reads the old item and keeps it, beside
// the same into a table without.
void PutItemWithRecovery(benchmark::State& state) {
  Database& database = SharedPair(0).database();
  static const bool kMade = [&database] {
    using KeyType = KeyType;
    CreateTableRequest table{.table_name = "recovered"};
    table.billing_mode = BillingMode::kPayPerRequest;
    table.key_schema = {{{"pk", KeyType::kHash}, {"sk", KeyType::kRange}}};
    table.attribute_definitions = {{{"pk", Type::kString}, {"sk", Type::kString}}};
    Require(database.CreateTable(table).ok(), "table");
    for (int i = 0; i < kItems; ++i) {
      Require(database.PutItem({.table_name = "recovered", .item = MakeItem(i)}).ok(), "put");
    }
    return database
        .UpdateContinuousBackups(
            {.table_name = "recovered",
             .point_in_time_recovery_specification = {.point_in_time_recovery_enabled = true}})
        .ok();
  }();
  Require(kMade, "recovery");
  int version = 0;
  const auto put = [&](const char* table, int i) {
    Require(database.PutItem({.table_name = table, .item = MakeItem(i, ++version)}).ok(), "put");
  };
  RunInTurns(
      state, [&](int i) { put("recovered", i); }, [&](int i) { put("bench", i); }, kBatch,
      "without_ns");
}
BENCHMARK(PutItemWithRecovery)->UseManualTime();

// A condition and a counter; raw RocksDB does the Get and the Put that this needs.
void UpdateItem(benchmark::State& state) {
  Pair& pair = SharedPair(0);
  rocksdb::PinnableSlice old;
  UpdateItemRequest request{.table_name = "bench"};
  request.update_expression = "SET likes = likes + :one";
  request.condition_expression = "attribute_exists(pk) AND likes >= :zero";
  request.expression_attribute_values = Item{{":one", Value::N(1)}, {":zero", Value::N(0)}};
  RunInTurns(
      state,
      [&](int i) {
        request.key = Pair::Key(i);
        Require(pair.database().UpdateItem(request).ok(), "update");
      },
      [&](int i) {
        const std::string key = pair.RawKey(i);
        old.Reset();
        Require(pair.raw().Get({}, pair.raw().DefaultColumnFamily(), key, &old).ok(), "raw get");
        Require(pair.raw().Put({}, key, old).ok(), "raw put");
      });
}
BENCHMARK(UpdateItem)->UseManualTime();

// Arg: items of one partition key; raw RocksDB seeks and steps over the same rows.
void Query(benchmark::State& state) {
  const int64_t limit = state.range(0);
  Pair& pair = SharedPair(0);
  QueryRequest request{.table_name = "bench", .limit = limit};
  request.key_condition_expression = "pk = :pk";
  RunInTurns(
      state,
      [&](int i) {
        request.expression_attribute_values = Item{{":pk", Value::S(PartitionKey(i))}};
        size_t bytes = 0;
        const auto page = pair.database().Query(
            request, [&bytes](ItemView item) { bytes += item.bytes().size(); });
        Require(page.ok() && page->count == limit && bytes > 0, "query");
      },
      [&](int i) {
        const std::string key = pair.RawKey(i - i % 100);
        const std::unique_ptr<rocksdb::Iterator> it(pair.raw().NewIterator({}));
        size_t bytes = 0;
        int64_t rows = 0;
        for (it->Seek(key); it->Valid() && rows < limit; it->Next(), ++rows) {
          bytes += it->value().size();
        }
        benchmark::DoNotOptimize(bytes);
      });
}
BENCHMARK(Query)->Arg(10)->Arg(100)->UseManualTime();

// A thousand items of one partition key, of which a filter keeps one of a hundred; raw RocksDB
// seeks and steps over as many rows, without looking into them.
void QueryWithFilter(benchmark::State& state) {
  Pair& pair = SharedPair(0);
  static const bool kMade = [&pair] {
    CreateTableRequest table{.table_name = "wide"};
    table.billing_mode = BillingMode::kPayPerRequest;
    table.key_schema = {{{"pk", KeyType::kHash}, {"sk", KeyType::kRange}}};
    table.attribute_definitions = {{{"pk", Type::kString}, {"sk", Type::kNumber}}};
    bool made = pair.database().CreateTable(table).ok();
    for (int i = 0; i < kWideKeys * kWideRows; ++i) {
      const Item item = WideItem(i);
      made = made && pair.database().PutItem({.table_name = "wide", .item = item}).ok();
      char key[32];
      std::snprintf(key, sizeof key, "~wide#%03d#%04d", i / kWideRows, i % kWideRows);
      made = made && pair.raw().Put({}, key, item.bytes()).ok();
    }
    return made;
  }();
  Require(kMade, "wide rows");
  QueryRequest request{.table_name = "wide"};
  request.key_condition_expression = "pk = :pk";
  request.filter_expression = "likes = :likes";
  RunInTurns(
      state,
      [&](int i) {
        const std::string pk = "wide#" + std::to_string(i % kWideKeys);
        request.expression_attribute_values = Item{{":pk", Value::S(pk)}, {":likes", Value::N(7)}};
        const auto page = pair.database().Query(request, [](ItemView) {});
        Require(page.ok() && page->scanned_count == kWideRows && page->count == kWideRows / 100,
                "query");
      },
      [&](int i) {
        char key[32];
        std::snprintf(key, sizeof key, "~wide#%03d#", i % kWideKeys);
        const std::unique_ptr<rocksdb::Iterator> it(pair.raw().NewIterator({}));
        size_t bytes = 0;
        int rows = 0;
        for (it->Seek(key); it->Valid() && rows < kWideRows; it->Next(), ++rows) {
          bytes += it->value().size();
        }
        benchmark::DoNotOptimize(bytes);
      },
      kAsTest ? 1 : 10);
}
BENCHMARK(QueryWithFilter)->UseManualTime();

// A page of ten items of one logical key that is spread over ten; raw RocksDB seeks and steps ten
// times as far.
void QueryTogetherOfTen(benchmark::State& state) {
  constexpr int kKeys = 10;
  constexpr int kRows = 10;
  Pair& pair = SharedPair(0);
  const auto nth = [](int i, int n) { return (i + n * 100) % kItems; };
  RunInTurns(
      state,
      [&](int i) {
        TogetherRequest request{.query = {.table_name = "bench", .limit = kRows}};
        request.query.key_condition_expression = "pk = :key";
        for (int n = 0; n < kKeys; ++n) request.keys.push_back(PartitionKey(nth(i, n)));
        const auto page = QueryTogether(&pair.database(), request);
        Require(page.ok() && page->items.size() == kRows, "query together");
      },
      [&](int i) {
        size_t bytes = 0;
        for (int n = 0; n < kKeys; ++n) {
          const int first = nth(i, n);
          const std::unique_ptr<rocksdb::Iterator> it(pair.raw().NewIterator({}));
          it->Seek(pair.RawKey(first - first % 100));
          for (int row = 0; it->Valid() && row < kRows; it->Next(), ++row) {
            bytes += it->value().size();
          }
        }
        benchmark::DoNotOptimize(bytes);
      },
      kAsTest ? 1 : 20);
}
BENCHMARK(QueryTogetherOfTen)->UseManualTime();

// One page of 1,000 items; raw RocksDB walks as many rows.
void Scan(benchmark::State& state) {
  Pair& pair = SharedPair(0);
  const ScanRequest request{.table_name = "bench", .limit = 1000};
  RunInTurns(
      state,
      [&](int) {
        size_t bytes = 0;
        const auto page = pair.database().Scan(
            request, [&bytes](ItemView item) { bytes += item.bytes().size(); });
        Require(page.ok() && page->count == 1000 && bytes > 0, "scan");
      },
      [&](int) {
        const std::unique_ptr<rocksdb::Iterator> it(pair.raw().NewIterator({}));
        size_t bytes = 0;
        int rows = 0;
        for (it->SeekToFirst(); it->Valid() && rows < 1000; it->Next(), ++rows) {
          bytes += it->value().size();
        }
        benchmark::DoNotOptimize(bytes);
      });
}
BENCHMARK(Scan)->UseManualTime();

// Copies all rows of the raw side in batches of a megabyte, each so many times.
void CopyRaw(rocksdb::DB* db, int copies) {
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator({}));
  rocksdb::WriteBatch batch;
  // Behind the rows, so that the iterator does not meet them.
  std::string key = "~0";
  int rows = 0;
  for (it->SeekToFirst(); it->Valid() && it->key()[0] != '~'; it->Next(), ++rows) {
    for (int copy = 0; copy < copies; ++copy) {
      key.resize(1);
      key.push_back(static_cast<char>('0' + copy));
      key.append(it->key().data(), it->key().size());
      Require(batch.Put(key, it->value()).ok(), "raw batch");
    }
    if (batch.GetDataSize() < 1 << 20) continue;
    Require(db->Write({}, &batch).ok(), "raw write");
    batch.Clear();
  }
  Require(db->Write({}, &batch).ok() && rows == kItems, "raw write");
}

// The whole table; raw RocksDB reads and writes as many rows.
void CreateBackup(benchmark::State& state) {
  Pair& pair = SharedPair(0);
  RunInTurns(
      state,
      [&](int) {
        const auto backup = pair.database().CreateBackup({"bench", "backup"});
        Require(backup.ok() && backup->backup_size_bytes > 0, "backup");
        Require(pair.database().DeleteBackup({backup->backup_arn}).ok(), "no backup");
      },
      [&](int) { CopyRaw(&pair.raw(), 1); }, 1);
}
BENCHMARK(CreateBackup)->UseManualTime();

// Arg: global secondary indexes; raw RocksDB reads all rows and writes 1 + n times as many.
void RestoreTableFromBackup(benchmark::State& state) {
  const auto indexes = static_cast<int>(state.range(0));
  Pair& pair = SharedPair(indexes);
  const auto backup = pair.database().CreateBackup({"bench", "backup"});
  Require(backup.ok(), "backup");
  RunInTurns(
      state,
      [&](int) {
        Require(pair.database().RestoreTableFromBackup({"restored", backup->backup_arn, {}}).ok(),
                "restore");
        Require(pair.database().DeleteTable({.table_name = "restored"}).ok(), "no table");
      },
      [&](int) { CopyRaw(&pair.raw(), 1 + indexes); }, 1);
  Require(pair.database().DeleteBackup({backup->backup_arn}).ok(), "no backup");
}
BENCHMARK(RestoreTableFromBackup)->Arg(0)->Arg(1)->Arg(5)->UseManualTime();

}  // namespace
}  // namespace dynolith

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  for (auto& pair : dynolith::pairs) pair.reset();
  return 0;
}
