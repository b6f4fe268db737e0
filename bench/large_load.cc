// Loads as many items as are wanted into a table with two indexes, in no order, and takes down each
// second how fast it goes; then reads items beside raw RocksDB on the same files.
//
//   large_load ITEMS FOLDER CSV [THREADS]      FOLDER must not be there, and stays
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/compactions.h"
#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "engine/key/key_codec.h"
#include "engine/store/rocks_types.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kItemsOfUser = 100;
constexpr int kQueryRows = 10;
constexpr int kTurns = 100;
constexpr int kTurn = 200;
constexpr double kMegabyte = 1 << 20;
constexpr std::string_view kTables = "tables";

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Numbers of the same length, so that the order of sort keys is theirs.
Value UserName(int64_t i) {
  return Value::S("user#" + std::to_string(1'000'000 + i / kItemsOfUser));
}
Value PhotoName(int64_t i) { return Value::S("photo#" + std::to_string(100 + i % kItemsOfUser)); }
Item MakeKey(int64_t i) { return {{"pk", UserName(i)}, {"sk", PhotoName(i)}}; }

// Of 200 bytes that do not compress.
Item MakeItem(int64_t i) {
  std::mt19937_64 random(static_cast<uint64_t>(i));
  std::string caption;
  while (caption.size() < 112) {
    const uint64_t bits = random();
    for (int shift = 0; shift < 64; shift += 8) {
      caption.push_back(static_cast<char>(' ' + (bits >> shift) % 95));
    }
  }
  Item item = MakeKey(i);
  item.Set("place", Value::S("place#" + std::to_string(random() % 100'000)));
  item.Set("day", Value::N(static_cast<int64_t>(random() % 10'000)));
  item.Set("caption", Value::S(caption));
  return item;
}

// Visits each of [0, items) once, far from the one before.
int64_t Shuffled(int64_t i, int64_t items) {
  static const int64_t stride = [items] {
    int64_t stride = items * 5 / 8 + 1;
    while (std::gcd(stride, items) != 1) ++stride;
    return stride;
  }();
  return static_cast<int64_t>(static_cast<__int128>(i) * stride % items);
}

std::unique_ptr<Database> MakeDatabase(const std::string& folder) {
  auto database = Database::Open({.path = folder});
  Require(database.ok(), "database");
  CreateTableRequest table{.table_name = "photos"};
  table.billing_mode = BillingMode::kPayPerRequest;
  table.key_schema = {{{"pk", KeyType::kHash}, {"sk", KeyType::kRange}}};
  table.attribute_definitions = {{{"pk", Type::kString},
                                  {"sk", Type::kString},
                                  {"place", Type::kString},
                                  {"day", Type::kNumber}}};
  table.global_secondary_indexes.emplace();
  for (const char* attribute : {"place", "day"}) {
    table.global_secondary_indexes->push_back({.index_name = std::string("by-") + attribute,
                                               .key_schema = {{attribute, KeyType::kHash}},
                                               .projection = {ProjectionType::kKeysOnly}});
  }
  Require((*database)->CreateTable(table).ok(), "table");
  return *std::move(database);
}

// What the process has given the operating system to write, in bytes.
uint64_t WrittenBytes() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  uint64_t bytes = 0;
  while (counts >> name >> bytes) {
    if (name == "wchar:") return bytes;
  }
  return 0;
}

uint64_t FolderBytes(const std::string& folder) {
  uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) bytes += file.file_size();
  return bytes;
}

// Writes a line each second until all items are there.
class Progress {
 public:
  Progress(const Database* database, const std::string& file, std::atomic<int64_t>* done)
      : database_(database), done_(done), csv_(std::fopen(file.c_str(), "w")) {
    Require(csv_ != nullptr, "csv");
    std::fputs("seconds,items,items_a_second,stalled_ms,files_mb,memtables_mb,compaction_due_mb\n",
               csv_);
  }
  ~Progress() { std::fclose(csv_); }

  void Follow(int64_t items) {
    double last_seconds = 0;
    int64_t last_items = 0;
    uint64_t last_stall = 0;
    while (last_items < items) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      const int64_t now = done_->load();
      const double seconds = SecondsSince(start_);
      const StoreStatistics store = database_->TakeStatistics().store;
      const double rate = static_cast<double>(now - last_items) / (seconds - last_seconds);
      std::fprintf(csv_, "%.1f,%ld,%.0f,%.0f,%.0f,%.0f,%.0f\n", seconds, static_cast<long>(now),
                   rate, static_cast<double>(store.write_stall_microseconds - last_stall) / 1e3,
                   static_cast<double>(store.table_file_bytes) / kMegabyte,
                   static_cast<double>(store.memtable_bytes) / kMegabyte,
                   static_cast<double>(store.pending_compaction_bytes) / kMegabyte);
      std::fflush(csv_);
      if (now < items) rates_.push_back(rate);
      last_items = now;
      last_seconds = seconds;
      last_stall = store.write_stall_microseconds;
    }
  }

  // Items a second, of whole seconds.
  std::vector<double> rates() const { return rates_; }

 private:
  const Database* const database_;
  std::atomic<int64_t>* const done_;
  std::FILE* const csv_;
  const Clock::time_point start_ = Clock::now();
  std::vector<double> rates_;
};

void Put(Database* database, int64_t items, int thread, int threads, std::atomic<int64_t>* done) {
  for (int64_t i = thread; i < items; i += threads) {
    Require(database->PutItem({.table_name = "photos", .item = MakeItem(Shuffled(i, items))}).ok(),
            "put");
    done->fetch_add(1, std::memory_order_relaxed);
  }
}

void Load(int64_t items, const std::string& folder, const std::string& csv, int threads) {
  const std::unique_ptr<Database> database = MakeDatabase(folder);
  const auto start = Clock::now();
  std::atomic<int64_t> done = 0;
  Progress progress(database.get(), csv, &done);
  std::vector<std::thread> writers;
  for (int i = 0; i < threads; ++i) {
    writers.emplace_back([&, i] { Put(database.get(), items, i, threads, &done); });
  }
  progress.Follow(items);
  for (std::thread& writer : writers) writer.join();
  const double seconds = SecondsSince(start);
  WaitForCompactions(*database);
  const StoreStatistics store = database->TakeStatistics().store;
  std::printf("loaded %ld items in %.0f s: %.0f a second, writers stalled %.1f s of them\n",
              static_cast<long>(items), seconds, static_cast<double>(items) / seconds,
              static_cast<double>(store.write_stall_microseconds) / 1e6);
  std::vector<double> rates = progress.rates();
  if (!rates.empty()) {
    const double middle = Median(rates);
    std::sort(rates.begin(), rates.end());
    std::printf("of all seconds: median %.0f items, 5th percentile %.0f, slowest %.0f\n", middle,
                rates[rates.size() / 20], rates.front());
  }
  std::printf("compactions went on for %.0f s\n", SecondsSince(start) - seconds);
}

rocksdb::ColumnFamilyOptions RawFamily() {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.block_size = 8 << 10;
  table.block_cache = rocksdb::NewLRUCache(128 << 20);
  rocksdb::ColumnFamilyOptions family;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return family;
}

// The same files, read only.
class Raw {
 public:
  explicit Raw(const std::string& folder) {
    rocksdb::DBOptions options;
    options.max_open_files = -1;
    std::vector<std::string> names;
    Require(rocksdb::DB::ListColumnFamilies(options, folder, &names).ok(), "families");
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    const rocksdb::ColumnFamilyOptions family = RawFamily();
    for (const std::string& name : names) families.emplace_back(name, family);
    OpenedDatabase db{};
    Require(rocksdb::DB::OpenForReadOnly(options, folder, families, &handles_, &db).ok(), "raw");
    db_ = std::unique_ptr<rocksdb::DB>(std::move(db));
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == kTables) tables_ = handles_[i];
    }
    const auto first = Rows();
    first->SeekToFirst();
    Require(first->Valid(), "rows");
    prefix_ = first->key().ToString().substr(0, kRowIdBytes);
  }
  ~Raw() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      Require(db_->DestroyColumnFamilyHandle(handle).ok(), "handle");
    }
  }

  std::string MakeKey(const Item& key) const {
    std::string row_key;
    AppendRowKey(1, schema_, key.view(), &row_key);
    return row_key.replace(0, kRowIdBytes, prefix_);
  }
  void Get(const std::string& key) {
    value_.Reset();
    Require(db_->Get({}, tables_, key, &value_).ok(), "raw get");
  }
  void Query(const std::string& key) const {
    const auto rows = Rows();
    size_t bytes = 0;
    rows->Seek(key);
    for (int i = 0; i < kQueryRows && rows->Valid(); ++i, rows->Next()) {
      bytes += rows->value().size();
    }
    Require(bytes > 0, "raw query");
  }

  // Of keys and values of every family.
  uint64_t RowBytes() const {
    uint64_t bytes = 0;
    rocksdb::ReadOptions reading;
    reading.fill_cache = false;
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator(reading, handle));
      for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
        bytes += rows->key().size() + rows->value().size();
      }
      Require(rows->status().ok(), "rows");
    }
    return bytes;
  }

 private:
  static constexpr size_t kRowIdBytes = sizeof(uint32_t);
  std::unique_ptr<rocksdb::Iterator> Rows() const {
    return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator({}, tables_));
  }

  const KeySchema schema_{{{"pk", Type::kString}}, {{"sk", Type::kString}}};
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  rocksdb::ColumnFamilyHandle* tables_ = nullptr;
  std::string prefix_;
  rocksdb::PinnableSlice value_;
};

// An item as each side asks for it.
struct Wanted {
  Item key;
  Item values;  // of the query that begins there
  std::string raw_key;
};

// Both sides in turns, for the same items.
template <typename Ours, typename Theirs>
void Compare(const char* name, int64_t items, const Raw& raw, Ours ours, Theirs theirs) {
  std::mt19937_64 random(1);
  std::vector<double> times[2];
  for (int turn = 0; turn < kTurns; ++turn) {
    std::vector<Wanted> wanted;
    for (int i = 0; i < kTurn; ++i) {
      const auto any = static_cast<int64_t>(random() % static_cast<uint64_t>(items));
      // Ten items follow each.
      const int64_t pick = any - any % kItemsOfUser + any % (kItemsOfUser - kQueryRows);
      const Item key = MakeKey(pick);
      wanted.push_back(
          {key, {{":pk", UserName(pick)}, {":sk", PhotoName(pick)}}, raw.MakeKey(key)});
    }
    // Who comes second finds the files' pages in memory: each is first in half of the turns.
    for (const bool is_ours : {turn % 2 == 0, turn % 2 != 0}) {
      const auto start = Clock::now();
      for (const Wanted& each : wanted) is_ours ? ours(each) : theirs(each.raw_key);
      times[is_ours].push_back(SecondsSince(start) * 1e6 / kTurn);
    }
  }
  std::printf("%s: %.2f us, raw RocksDB %.2f, ratio %.2f\n", name, Median(times[1]),
              Median(times[0]), Median(times[1]) / Median(times[0]));
}

void Read(int64_t items, const std::string& folder, uint64_t written) {
  auto opened = Database::Open({.path = folder, .read_only = true});
  Require(opened.ok(), "reader");
  const std::unique_ptr<Database> database = *std::move(opened);
  Raw raw(folder);
  const auto row_bytes = static_cast<double>(raw.RowBytes());
  std::printf("rows of %.0f MB: folder %.2f times that, written %.2f times\n",
              row_bytes / kMegabyte, static_cast<double>(FolderBytes(folder)) / row_bytes,
              static_cast<double>(written) / row_bytes);
  Compare(
      "GetItem", items, raw,
      [&](const Wanted& wanted) {
        const auto got =
            database->GetItem({.table_name = "photos", .key = wanted.key}, [](ItemView) {});
        Require(got.ok(), "get");
      },
      [&](const std::string& key) { raw.Get(key); });
  QueryRequest query{.table_name = "photos", .limit = kQueryRows};
  query.key_condition_expression = "pk = :pk AND sk >= :sk";
  Compare(
      "Query of 10", items, raw,
      [&](const Wanted& wanted) {
        query.expression_attribute_values = wanted.values;
        const auto page = database->Query(query, [](ItemView) {});
        Require(page.ok() && page->count == kQueryRows, "query");
      },
      [&](const std::string& key) { raw.Query(key); });
}

}  // namespace
}  // namespace dynolith

int main(int argc, char** argv) {
  dynolith::Require(argc >= 4, "large_load ITEMS FOLDER CSV [THREADS]");
  const int64_t items = std::atoll(argv[1]) / dynolith::kItemsOfUser * dynolith::kItemsOfUser;
  const std::string folder = argv[2];
  dynolith::Require(items > 0, "ITEMS: 100 or more");
  dynolith::Require(!std::filesystem::exists(folder), "FOLDER is there already");
  const uint64_t before = dynolith::WrittenBytes();
  dynolith::Load(items, folder, argv[3], argc > 4 ? std::atoi(argv[4]) : 2);
  dynolith::Read(items, folder, dynolith::WrittenBytes() - before);
}
