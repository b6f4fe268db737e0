#include "tests/random/engine_runner.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "api/database/database_impl.h"
#include "engine/base/errors.h"
#include "engine/store/limits/limited_store.h"
#include "engine/value/attachments.h"
#include "index/graph/vector_graphs.h"
#include "tests/hostile/given_store.h"
#include "tests/random/request_parts.h"

namespace dynolith::random {

using model::Outcome;

namespace {

// Steps between two states that are remembered.
constexpr int kRememberEvery = 100;

// Whether the operation cannot go on while an index is being filled: it reads one, or changes the
// table as a whole.
bool NeedsFilledIndexes(const model::Operation& operation) {
  if (const auto* read = std::get_if<model::ReadOp>(&operation)) return !read->index.empty();
  if (const auto* statement = std::get_if<model::StatementOp>(&operation)) {
    const auto* read = std::get_if<model::ReadOp>(&statement->sentence);
    return read && !read->index.empty();
  }
  return std::holds_alternative<model::SearchOp>(operation) ||
         std::holds_alternative<model::CreateTableOp>(operation) ||
         std::holds_alternative<model::DeleteTableOp>(operation) ||
         std::holds_alternative<model::CreateIndexOp>(operation) ||
         std::holds_alternative<model::DeleteIndexOp>(operation) ||
         std::holds_alternative<model::CreateBackupOp>(operation) ||
         std::holds_alternative<model::RestoreOp>(operation) ||
         std::holds_alternative<model::VerifyOp>(operation);
}

bool ChangesTables(const model::Operation& operation) {
  return std::holds_alternative<model::CreateTableOp>(operation) ||
         std::holds_alternative<model::DeleteTableOp>(operation) ||
         std::holds_alternative<model::CreateIndexOp>(operation) ||
         std::holds_alternative<model::DeleteIndexOp>(operation) ||
         std::holds_alternative<model::ShardIndexOp>(operation) ||
         std::holds_alternative<model::CreateBackupOp>(operation) ||
         std::holds_alternative<model::RestoreOp>(operation) ||
         std::holds_alternative<model::DeleteBackupOp>(operation);
}

// Backups need snapshots that stay, and items are as large as they may be.
hostile::HostileOptions HostileOptionsFor() {
  return {.ended = 0,
          .limits = {.key_bytes = 16 << 10,
                     .value_bytes = 1 << 20,
                     .batch_bytes = 64 << 20,
                     .transaction_time = absl::Minutes(1)}};
}

}  // namespace

void Require(const absl::Status& status, const std::string& what) {
  if (status.ok()) return;
  std::cerr << what << ": " << status << "\n";
  std::abort();
}

Outcome Failed(const absl::Status& status) {
  Outcome outcome;
  outcome.error = std::string(InfoOf(KindOf(status)).exception_name);
  // A fault of ours says what it is.
  if (KindOf(status) == ErrorKind::kInternalServerError) outcome.error += " " + status.ToString();
  if (const auto item = AttachedItem(status)) outcome.attributes = ToModel(item->view());
  for (const CancellationReason& reason : AttachedReasons(status)) {
    Outcome& part = outcome.parts.emplace_back();
    part.error = reason.code;
    if (reason.item) part.attributes = ToModel(reason.item->view());
  }
  return outcome;
}

EngineRunner::EngineRunner(Configuration configuration, const std::string& scratch,
                           std::vector<RecordedCall>* record)
    : configuration_(std::move(configuration)),
      folder_(scratch + "/" + configuration_.name),
      record_(record) {
  std::filesystem::remove_all(folder_);
  if (!configuration_.store_url.empty()) hostile::EmptyGivenStore(configuration_.store_url);
  Open();
}

EngineRunner::~EngineRunner() {
  other_.reset();
  database_.reset();
  std::filesystem::remove_all(folder_);
}

void EngineRunner::Open() {
  earlier_graph_searches_ = graph_searches();
  database_.reset();
  DatabaseOptions options = {.path = folder_,
                             .in_memory = configuration_.in_memory,
                             .memory_budget_bytes = configuration_.memory_budget_bytes,
                             .count_use = TellsUnits()};
  if (options.memory_budget_bytes == 0) {
    options.write_buffer_bytes = configuration_.write_buffer_bytes;
    options.item_cache_bytes = configuration_.item_cache_bytes;
  }
  if (configuration_.graph_entries > 0) {
    options.vector_search = VectorSearch::kApproximate;
    options.vector_graph_entries = configuration_.graph_entries;
  }
  if (configuration_.hostile) {
    auto database = DatabaseImpl::Make(options, OpenSharedStore());
    Require(database.status(), "open a store of two databases");
    database_ = std::move(*database);
    return;
  }
  auto database = Database::Open(options);
  Require(database.status(), "open " + folder_);
  database_ = std::move(*database);
}

std::unique_ptr<SharedStore> EngineRunner::OpenSharedStore() {
  if (!configuration_.store_url.empty()) return hostile::OpenGivenStore(configuration_.store_url);
  if (hostile_rows_ == nullptr) hostile_rows_ = hostile::MakeHostileRows(HostileOptionsFor());
  return WithLongRows(hostile::OpenHostileStore(hostile_rows_)).value();
}

void EngineRunner::ChangeDatabases() {
  if (!configuration_.hostile) return;
  std::swap(database_, other_);
  if (database_ == nullptr) Open();
}

void EngineRunner::AwaitTables(const model::Operation& operation) {
  if (!configuration_.hostile || !ChangesTables(operation)) return;
  Require(database_->WaitForBackfills(), "backfill");
  filling_ = false;
}

VectorGraphs* EngineRunner::graphs() const {
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  return impl == nullptr ? nullptr : impl->vector_graphs();
}

int64_t EngineRunner::graph_searches() const {
  return earlier_graph_searches_ + (graphs() == nullptr ? 0 : graphs()->searches());
}

void EngineRunner::Settle() {
  if (!filling_) return;
  RecordCommand("!wait");
  Require(database_->WaitForBackfills(), "backfill");
  filling_ = false;
}

void EngineRunner::RecordRequest(const char* operation, const void* request) {
  if (!record_) return;
  record_->push_back({operation, WriteBody(operation, request)});
}

void EngineRunner::RecordCommand(const char* command) {
  if (record_) record_->push_back({command, ""});
}

std::optional<KeyNames> EngineRunner::FindKeyNames(const std::string& table) const {
  const auto description = database_->DescribeTable({.table_name = table});
  if (!description.ok()) return std::nullopt;
  KeyNames names = {.hash = description->key_schema[0].attribute_name,
                    .has_range = description->key_schema.size() > 1,
                    .wide_indexes = {},
                    .local_indexes = {}};
  constexpr size_t kKeyAttributesMax = 2;
  for (const auto& index : description->global_secondary_indexes) {
    if (index.key_schema.size() > kKeyAttributesMax) names.wide_indexes.insert(index.index_name);
  }
  for (const auto& index : description->local_secondary_indexes) {
    names.local_indexes.insert(index.index_name);
  }
  return names;
}

Outcome EngineRunner::Run(const model::Operation& operation) {
  ++steps_;
  units_.clear();
  ChangeDatabases();
  if (configuration_.followed && steps_ % kRememberEvery == 0) Remember();
  if (NeedsFilledIndexes(operation)) Settle();
  std::optional<model::Operation> spoken;
  if (configuration_.speaks) {
    spoken =
        AsStatements(operation, [this](const std::string& table) { return FindKeyNames(table); });
  }
  spoken_ += spoken ? 1 : 0;
  Outcome outcome = spoken ? OfCalls(operation, Perform(*spoken)) : Perform(operation);
  outcome.units = units_;
  AwaitTables(operation);
  return outcome;
}

Outcome EngineRunner::Perform(const model::Operation& operation) {
  struct Visitor {
    EngineRunner& runner;
    Outcome operator()(const model::PutOp& op) { return runner.Put(op); }
    Outcome operator()(const model::DeleteOp& op) { return runner.Delete(op); }
    Outcome operator()(const model::UpdateOp& op) { return runner.Update(op); }
    Outcome operator()(const model::GetOp& op) { return runner.Get(op); }
    Outcome operator()(const model::BatchWriteOp& op) { return runner.BatchWrite(op); }
    Outcome operator()(const model::BatchGetOp& op) { return runner.BatchGet(op); }
    Outcome operator()(const model::ReadOp& op) { return runner.Read(op); }
    Outcome operator()(const model::StatementOp& op) { return runner.Say(op); }
    Outcome operator()(const model::BatchStatementOp& op) { return runner.SayAll(op); }
    Outcome operator()(const model::TransactOp& op) { return runner.Transact(op); }
    Outcome operator()(const model::SearchOp& op) { return runner.Search(op); }
    Outcome operator()(const model::CreateTableOp& op) { return runner.CreateTable(op); }
    Outcome operator()(const model::DeleteTableOp& op) { return runner.DeleteTable(op); }
    Outcome operator()(const model::CreateIndexOp& op) { return runner.CreateIndex(op); }
    Outcome operator()(const model::DeleteIndexOp& op) { return runner.DeleteIndex(op); }
    Outcome operator()(const model::ShardIndexOp& op) { return runner.ShardIndex(op); }
    Outcome operator()(const model::CreateBackupOp& op) { return runner.CreateBackup(op); }
    Outcome operator()(const model::RestoreOp& op) { return runner.Restore(op); }
    Outcome operator()(const model::DeleteBackupOp& op) { return runner.DeleteBackup(op); }
    Outcome operator()(const model::ReopenOp&) {
      if (!runner.configuration_.reopens) return {};
      runner.RecordCommand("!reopen");
      runner.Open();
      return {};
    }
    Outcome operator()(const model::VerifyOp&) { return runner.Verify(); }
  };
  return std::visit(Visitor{*this}, operation);
}

}  // namespace dynolith::random
