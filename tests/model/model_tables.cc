// Tables, indexes and backups of the model, which come and go at once.
#include "tests/model/key_rules.h"
#include "tests/model/model.h"

namespace dynolith::model {
namespace {

// Of a label that no backup has had. No exception of the service: it is not asked.
const char* const kNoSuchLabel = "no such label";

}  // namespace

std::map<std::string, std::string> Model::BackupTables() const {
  std::map<std::string, std::string> tables;
  for (const auto& [label, state] : backups_) {
    if (state) tables[label] = state->schema.name;
  }
  return tables;
}

Outcome Model::CreateTable(const CreateTableOp& op) {
  if (Find(op.table.name)) return Error("ResourceInUseException");
  tables_[op.table.name].schema = op.table;
  return {};
}

Outcome Model::DeleteTable(const DeleteTableOp& op) {
  return tables_.erase(op.table) > 0 ? Outcome() : Error(kResourceNotFound);
}

Outcome Model::CreateIndex(const CreateIndexOp& op) {
  State* state = Find(op.table);
  if (!state) return Error(kResourceNotFound);
  if (FindIndex(state->schema, op.index.name)) return Error(kValidation);
  state->schema.indexes.push_back(op.index);
  return {};
}

Outcome Model::DeleteIndex(const DeleteIndexOp& op) {
  State* state = Find(op.table);
  if (!state) return Error(kResourceNotFound);
  const size_t erased = std::erase_if(state->schema.indexes,
                                      [&](const Index& index) { return index.name == op.index; });
  return erased > 0 ? Outcome() : Error(kResourceNotFound);
}

Outcome Model::ShardIndex(const ShardIndexOp& op) const {
  const State* state = Find(op.table);
  if (!state) return Error(kResourceNotFound);
  const Index* index = FindIndex(state->schema, op.index);
  const bool is_other_kind = index && (index->local || index->vector);
  return is_other_kind ? Error(kValidation) : Outcome();
}

Outcome Model::CreateBackup(const CreateBackupOp& op) {
  const State* state = Find(op.table);
  if (!state) return Error("TableNotFoundException");
  backups_[op.label] = *state;
  return {};
}

Outcome Model::Restore(const RestoreOp& op) {
  const auto backup = backups_.find(op.label);
  if (backup == backups_.end()) return Error(kNoSuchLabel);
  if (!backup->second) return Error("BackupNotFoundException");
  if (Find(op.table)) return Error("TableAlreadyExistsException");
  State& state = tables_[op.table];
  state = *backup->second;
  state.schema.name = op.table;
  return {};
}

Outcome Model::DeleteBackup(const DeleteBackupOp& op) {
  const auto backup = backups_.find(op.label);
  if (backup == backups_.end()) return Error(kNoSuchLabel);
  if (!backup->second) return Error("BackupNotFoundException");
  backup->second.reset();
  return {};
}

Outcome Model::Verify() const {
  Outcome outcome;
  for (const auto& [name, state] : tables_) {
    outcome.groups.emplace_back();
    for (const auto& [key, item] : state.items) outcome.groups.back().push_back(item);
  }
  return outcome;
}

}  // namespace dynolith::model
