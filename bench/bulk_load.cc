// Many items into a new table on a disk, in no order: by puts, by BatchWriteItem of 25, and by
// ImportTable, whose rows go into sorted files; then a restore of that table from a backup, and an
// index more for it. Each once a turn; medians of turns. `ratio` is items a second over those of
// the puts.
//
//   bulk_load [ITEMS [INDEXES [TURNS]]]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/compactions.h"
#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/bulk_transfer.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

struct Load {
  int items = 1'000'000;
  int indexes = 0;
  int turns = 3;
};

// Every item once, in no order.
int Nth(const Load& load, int i) { return static_cast<int>(int64_t{i} * 7'919'777 % load.items); }

// Of 200 bytes that do not compress well. Its making is a part of every load, so it is cheap.
Item MakeItem(const Load& load, int i) {
  static const std::vector<std::string> captions = [] {
    std::mt19937_64 random(7);
    std::vector<std::string> made(1'000);
    for (std::string& caption : made) {
      while (caption.size() < 130) caption += std::to_string(random());
    }
    return made;
  }();
  Item item{{"pk", Value::S("user#" + std::to_string(1'000'000 + i / 10))},
            {"sk", Value::N(i % 10)},
            {"caption", Value::S(captions[static_cast<size_t>(i) % captions.size()])}};
  const auto set_place = [&](const std::string& attribute, int n) {
    const int64_t place = (int64_t{i} * 104'729 + n) % 100'000;
    item.Set(attribute, Value::S("place#" + std::to_string(place)));
  };
  set_place("late", load.indexes);
  for (int n = 0; n < load.indexes; ++n) set_place("g" + std::to_string(n), n);
  return item;
}

CreateTableRequest MakeTable(const Load& load, const std::string& name) {
  CreateTableRequest table{.table_name = name,
                           .attribute_definitions = {{{"pk"}, {"sk", Type::kNumber}}},
                           .key_schema = {{{"pk"}, {"sk", KeyType::kRange}}},
                           .billing_mode = BillingMode::kPayPerRequest};
  for (int n = 0; n < load.indexes; ++n) {
    const std::string attribute = "g" + std::to_string(n);
    table.attribute_definitions->push_back({attribute});
    if (n == 0) table.global_secondary_indexes.emplace();
    table.global_secondary_indexes->push_back({.index_name = "by-" + attribute,
                                               .key_schema = {{attribute}},
                                               .projection = {ProjectionType::kKeysOnly}});
  }
  return table;
}

// A bucket of the items.
class Bucket final : public BulkTransfer {
 public:
  explicit Bucket(const Load& load) : load_(load) {}

  absl::StatusOr<std::unique_ptr<ExportWriter>> BeginExport(const ExportDescription&) override {
    return absl::UnimplementedError("not asked for");
  }
  absl::Status Import(const ImportTableDescription&, ImportReceiver* receiver) override {
    for (int i = 0; i < load_.items; ++i) {
      const absl::Status status = receiver->Take(MakeItem(load_, Nth(load_, i)));
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  const Load load_;
};

bool PutAll(const Load& load, Database* database) {
  if (!database->CreateTable(MakeTable(load, "put")).ok()) return false;
  for (int i = 0; i < load.items; ++i) {
    if (!database->PutItem({.table_name = "put", .item = MakeItem(load, Nth(load, i))}).ok()) {
      return false;
    }
  }
  return true;
}

bool WriteBatches(const Load& load, Database* database) {
  if (!database->CreateTable(MakeTable(load, "batch")).ok()) return false;
  constexpr int kItemsOfBatch = 25;
  for (int begin = 0; begin < load.items; begin += kItemsOfBatch) {
    BatchWriteItemRequest request;
    std::vector<WriteRequest> writes;
    for (int i = begin; i < std::min(begin + kItemsOfBatch, load.items); ++i) {
      writes.push_back({.put = MakeItem(load, Nth(load, i))});
    }
    request.request_items.emplace_back("batch", std::move(writes));
    if (!database->BatchWriteItem(request).ok()) return false;
  }
  return true;
}

bool Import(const Load& load, Database* database) {
  return database
             ->ImportTable({.client_token = "token",
                            .s3_bucket_source = {.s3_bucket = "bucket"},
                            .table = MakeTable(load, "imported")})
             .ok() &&
         database->WaitForBackfills().ok();
}

bool Restore(Database* database, const std::string& backup) {
  return database->RestoreTableFromBackup({.target_table_name = "restored", .backup_arn = backup})
      .ok();
}

bool AddIndex(Database* database) {
  UpdateTableRequest request{.table_name = "imported", .attribute_definitions = {{{"late"}}}};
  request.global_secondary_index_updates = {
      {.create = SecondaryIndex{.index_name = "by-late",
                                .key_schema = {{"late"}},
                                .projection = {ProjectionType::kKeysOnly}}}};
  return database->UpdateTable(request).ok() && database->WaitForBackfills().ok();
}

int64_t ItemsIn(Database* database, const std::string& table,
                std::optional<std::string> index = std::nullopt) {
  int64_t items = 0;
  ScanRequest scan{.table_name = table, .index_name = std::move(index)};
  for (;;) {
    const auto page = database->Scan(scan, [&items](ItemView) { ++items; });
    Require(page.ok(), "Scan");
    if (!page->last_evaluated_key) return items;
    scan.exclusive_start_key = page->last_evaluated_key;
  }
}

double MeasureSeconds(const std::function<bool()>& load, const Database& database,
                      const char* what) {
  WaitForCompactions(database);
  const auto start = std::chrono::steady_clock::now();
  Require(load(), what);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Run(const Load& load) {
  const std::vector<std::string> tables = {"put", "batch", "imported", "restored"};
  std::vector<std::string> ways = tables;
  ways.emplace_back("index");
  std::vector<std::vector<double>> seconds(ways.size());
  for (int turn = 0; turn < load.turns; ++turn) {
    std::string folder = (std::filesystem::temp_directory_path() / "bulk_load-XXXXXX").string();
    Require(mkdtemp(folder.data()) != nullptr, "folder");
    Bucket bucket(load);
    auto opened = Database::Open({.path = folder + "/data", .transfers = &bucket});
    Require(opened.ok(), "Open");
    Database* const database = opened->get();
    seconds[0].push_back(
        MeasureSeconds([&] { return PutAll(load, database); }, *database, "PutItem"));
    seconds[1].push_back(
        MeasureSeconds([&] { return WriteBatches(load, database); }, *database, "BatchWriteItem"));
    seconds[2].push_back(
        MeasureSeconds([&] { return Import(load, database); }, *database, "ImportTable"));
    const auto backup =
        database->CreateBackup({.table_name = "imported", .backup_name = "all-of-it"});
    Require(backup.ok(), "CreateBackup");
    seconds[3].push_back(MeasureSeconds([&] { return Restore(database, backup->backup_arn); },
                                        *database, "RestoreTableFromBackup"));
    seconds[4].push_back(
        MeasureSeconds([&] { return AddIndex(database); }, *database, "UpdateTable"));
    Require(ItemsIn(database, "imported", "by-late") == load.items, "index");
    for (const std::string& table : tables) {
      Require(ItemsIn(database, table) == load.items, table.c_str());
    }
    opened->reset();
    std::filesystem::remove_all(folder);
  }
  std::printf("%d items, %d indexes\n", load.items, load.indexes);
  for (size_t i = 0; i < ways.size(); ++i) {
    const double median = Median(seconds[i]);
    std::printf("%-9s %8.0f items a second, %5.2f of the puts\n", ways[i].c_str(),
                load.items / median, Median(seconds[0]) / median);
  }
}

}  // namespace
}  // namespace dynolith

int main(int argc, char** argv) {
  dynolith::Load load;
  if (argc > 1) load.items = std::atoi(argv[1]);
  if (argc > 2) load.indexes = std::atoi(argv[2]);
  if (argc > 3) load.turns = std::atoi(argv[3]);
  dynolith::Run(load);
}
