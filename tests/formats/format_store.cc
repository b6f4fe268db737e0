// Makes, shows and uses the stores that are kept as test data (README.md).
//
//   format_store make <every_row.txt> <folder> closed|killed
//   format_store show <folder>     ; all that can be read, as text
//   format_store use <folder>      ; writes, opens again, checks
//   format_store salvage <from> <to>
//
// A killed one ends itself by SIGKILL.
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/dispatch.h"
#include "engine/store/local_store.h"
#include "engine/store/salvage/salvage.h"
#include "index/check_all.h"
#include "tests/datadriven/json_text.h"
#include "tests/formats/every_row.h"

namespace dynolith::formats {
namespace {

void Require(const absl::Status& status, std::string_view what) {
  if (status.ok()) return;
  std::cerr << what << ": " << status << "\n";
  std::exit(1);
}

template <typename Result>
Result Take(absl::StatusOr<Result> result, std::string_view what) {
  Require(result.status(), what);
  return *std::move(result);
}

void RequireThat(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << what << "\n";
  std::exit(1);
}

std::unique_ptr<DatabaseImpl> Open(const std::string& folder, ManualClock* clock) {
  const DatabaseOptions options = MakeOptions(clock);
  return Take(
      DatabaseImpl::Make(
          options, Take(LocalStore::Open(
                            {.path = folder, .write_buffer_bytes = *options.write_buffer_bytes}),
                        folder)),
      folder);
}

void Check(DatabaseImpl* database) {
  uint64_t disagreements = 0;
  const auto report = [&disagreements](const std::string& line) {
    ++disagreements;
    std::cerr << line << "\n";
  };
  const CheckAllSummary summary =
      Take(CheckAll(database->store(), *database->catalog(), report), "check");
  RequireThat(disagreements == 0 && summary.disagreements() == 0, "the check disagrees");
}

// --- Making ---

// Items that fill a write buffer each, so that the families' last changes lie in several logs.
void PutLargeItems(Database* database) {
  CreateTableRequest create{.table_name = "large"};
  create.attribute_definitions = {{"pk", Type::kString}};
  create.key_schema = {{"pk", KeyType::kHash}};
  create.billing_mode = BillingMode::kPayPerRequest;
  Require(database->CreateTable(create).status(), "large");
  for (int i = 0; i < 5; ++i) {
    const std::string text(40'000, static_cast<char>('a' + i));
    Require(database
                ->PutItem({.table_name = "large",
                           .item = {{"pk", Value::S(std::to_string(i))}, {"text", Value::S(text)}}})
                .status(),
            "large");
  }
}

void Make(const std::string& calls, const std::string& folder, bool is_killed) {
  ManualClock clock(kStart);
  const std::unique_ptr<DatabaseImpl> database = Open(folder, &clock);
  MakeEveryRow(calls, database.get(), &clock);
  Require(database->local_store()->Flush(), "flush");
  PutLargeItems(database.get());
  const auto put = database->PutItem(
      {.table_name = "full",
       .item = {{"pk", Value::S("last")}, {"sk", Value::N(1)}, {"g", Value::N(7)}}});
  Require(put.status(), "last");
  if (is_killed) raise(SIGKILL);
}

// --- Showing ---

// The text with "a*40000" for so many a in a row.
std::string WithoutRuns(std::string_view text) {
  constexpr size_t kRunBytes = 100;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_not_of(text[at], at), text.size());
    out.append(end - at < kRunBytes ? std::string(text.substr(at, end - at))
                                    : Concat(text.substr(at, 1), "*", end - at));
    at = end;
  }
  return out;
}

class Shower {
 public:
  explicit Shower(DatabaseImpl* database) : database_(*database), dispatcher_(database, {}) {}

  void ShowAll() {
    for (const std::string& table : Take(database_.ListTables({}), "tables").table_names) {
      ShowTable(table);
    }
    for (const auto& backup : Take(database_.ListBackups({}), "backups").backup_summaries) {
      Show("DescribeBackup", Named("BackupArn", backup.backup_arn));
    }
    for (const auto& made : Take(database_.ListExports({}), "exports").export_summaries) {
      Show("DescribeExport", Named("ExportArn", made.export_arn));
    }
    for (const auto& made : Take(database_.ListImports({}), "imports").import_summary_list) {
      Show("DescribeImport", Named("ImportArn", made.import_arn));
    }
    for (const auto& stream : Take(database_.ListStreams({}), "streams").streams) {
      ShowStream(stream.stream_arn);
    }
  }

 private:
  static std::string Member(std::string_view name, std::string_view value) {
    return Concat("\"", name, "\": \"", value, "\"");
  }
  static std::string Named(std::string_view name, std::string_view value) {
    return Concat("{", Member(name, value), "}");
  }

  void ShowTable(const std::string& table) {
    const std::string name = Named("TableName", table);
    const std::string arn =
        Named("ResourceArn", Concat("arn:aws:dynamodb:us-east-1:000000000000:table/", table));
    for (const char* operation :
         {"DescribeTable", "DescribeTimeToLive", "DescribeContinuousBackups",
          "DescribeContributorInsights", "DescribeKinesisStreamingDestination",
          "DescribeTableReplicaAutoScaling", "Scan"}) {
      Show(operation, name);
    }
    for (const char* operation : {"ListTagsOfResource", "GetResourcePolicy"}) Show(operation, arn);
    for (const IndexSchema& index : database_.catalog()->Find(table)->meta()->schema.indexes) {
      if (index.kind != IndexKind::kVector) {
        Show("Scan",
             Concat("{", Member("TableName", table), ", ", Member("IndexName", index.name), "}"));
      } else {
        Show(
            "SearchVectors",
            Concat(
                "{", Member("TableName", table), ", ", Member("IndexName", index.name),
                R"(, "SearchVector": [{"N": "1"}, {"N": "1"}, {"N": "1"}], "TopK": 10, )"
                R"("SearchConditionExpression": "h = :h", "ExpressionAttributeValues": {":h": {"S": "a"}}})"));
      }
    }
  }

  void ShowStream(const std::string& arn) {
    Show("DescribeStream", Named("StreamArn", arn));
    const DescribeStreamRequest request = {.stream_arn = arn};
    const auto stream = Take(database_.DescribeStream(request), arn);
    for (const ShardDescription& shard : stream.stream_description.shards) {
      const auto iterator = Take(
          database_.GetShardIterator({arn, shard.shard_id, ShardIteratorType::kTrimHorizon}), arn);
      std::cout << "GetRecords " << shard.shard_id << "\n";
      Print(dispatcher_.Handle("GetRecords", Named("ShardIterator", iterator.shard_iterator)));
    }
  }

  void Show(const std::string& operation, const std::string& body) {
    std::cout << operation << " " << body << "\n";
    Print(dispatcher_.Handle(operation, body));
  }

  // Without the iterators, whose form is for fifteen minutes.
  static void Print(const JsonResponse& answer) {
    auto members = datadriven::Members(answer.body);
    RequireThat(members.has_value(), answer.body);
    members->erase("NextShardIterator");
    std::cout << answer.http_status << "\n";
    for (const auto& [name, value] : *members) {
      std::cout << name << ": " << WithoutRuns(value) << "\n";
    }
    std::cout << "\n";
  }

  DatabaseImpl& database_;
  const Dispatcher dispatcher_;
};

// --- Using ---

absl::StatusOr<TransactWriteItemsOutput> SameTransaction(Database* database) {
  TransactWriteItem put;
  put.put.emplace();
  put.put->table_name = "full";
  put.put->item = {{"pk", Value::S(std::string("artist\0", 7))},
                   {"sk", Value::N(100)},
                   {"title", Value::S("in a transaction")}};
  TransactWriteItem update;
  update.update.emplace();
  update.update->table_name = "full";
  update.update->item = {{"pk", Value::S(std::string("artist\0", 7))}, {"sk", Value::N(1)}};
  update.update->update_expression = "ADD plays :one";
  update.update->expression_attribute_values = Item{{":one", Value::N(1)}};
  return database->TransactWriteItems(
      {.transact_items = {put, update}, .client_request_token = "transaction-token"});
}

int64_t PlaysOfFirst(Database* database) {
  const Item key{{"pk", Value::S(std::string("artist\0", 7))}, {"sk", Value::N(1)}};
  const auto output = Take(database->GetItem({.table_name = "full", .key = key}), "plays");
  RequireThat(output.item.has_value(), "an item is missing");
  return Take(output.item->Get<int64_t>("plays"), "plays");
}

int64_t CountItems(Database* database, const std::string& table) {
  return Take(database->Scan({.table_name = table, .select = Select::kCount}), table).count;
}

void WriteAndRestore(DatabaseImpl* database) {
  Require(SameTransaction(database).status(), "token");
  RequireThat(PlaysOfFirst(database) == 1, "the token was forgotten");
  const int64_t before = CountItems(database, "full");
  for (int i = 0; i < 20; ++i) {
    const Item item{{"pk", Value::S("new")}, {"sk", Value::N(i)}, {"g", Value::N(i)}};
    Require(database->PutItem({.table_name = "full", .item = item}).status(), "put");
  }
  RequireThat(CountItems(database, "full") == before + 20, "items are missing");
  for (const auto& backup : Take(database->ListBackups({}), "backups").backup_summaries) {
    const std::string target = Concat("from-", backup.table_name);
    Require(
        database
            ->RestoreTableFromBackup({.target_table_name = target, .backup_arn = backup.backup_arn})
            .status(),
        target);
    Require(database->WaitForBackfills(), target);
    RequireThat(CountItems(database, target) > 0, "nothing was restored");
  }
}

void Use(const std::string& folder) {
  int64_t count = 0;
  {
    ManualClock clock(kStart);
    const std::unique_ptr<DatabaseImpl> database = Open(folder, &clock);
    WriteAndRestore(database.get());
    count = CountItems(database.get(), "full");
    // What was to be filled is filled, old shards go, what is due is done.
    clock.Advance(absl::Hours(30));
    Require(database->TakeBackgroundFailure(), "housekeeping");
    Require(database->local_store()->CompactAll(), "compaction");
    Check(database.get());
  }
  ManualClock clock(kStart);
  const std::unique_ptr<DatabaseImpl> database = Open(folder, &clock);
  RequireThat(CountItems(database.get(), "full") == count, "items have gone");
  Check(database.get());
}

int Run(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "make" && arguments.size() == 4) {
    Make(arguments[1], arguments[2], arguments[3] == "killed");
  } else if (command == "show" && arguments.size() == 2) {
    ManualClock clock(kStart);
    const std::unique_ptr<DatabaseImpl> database = Open(arguments[1], &clock);
    Shower(database.get()).ShowAll();
    Check(database.get());
  } else if (command == "use" && arguments.size() == 2) {
    Use(arguments[1]);
  } else if (command == "salvage" && arguments.size() == 3) {
    const auto report = [](const std::string& line) { std::cerr << line << "\n"; };
    Require(Salvage(arguments[1], arguments[2], report).status(), arguments[1]);
  } else {
    std::cerr << "format_store make|show|use|salvage: see format_store.cc\n";
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace dynolith::formats

int main(int argc, char** argv) {
  return dynolith::formats::Run(std::vector<std::string>(argv + 1, argv + argc));
}
