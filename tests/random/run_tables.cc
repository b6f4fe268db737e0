// Tables, indexes and backups on the engine.
#include <string>
#include <utility>
#include <vector>

#include "tests/random/engine_runner.h"
#include "tests/random/request_parts.h"

namespace dynolith::random {

using model::Outcome;

namespace {

template <typename Output>
Outcome Done(const absl::StatusOr<Output>& output) {
  return output.ok() ? Outcome() : Failed(output.status());
}

// What the model says of a backup that never was.
Outcome NoSuchLabel() {
  Outcome outcome;
  outcome.error = "no such label";
  return outcome;
}

// How a text test names the ARN that a label stands for.
std::string Captured(const std::string& label) { return "${" + label + "}"; }

}  // namespace

Outcome EngineRunner::CreateTable(const model::CreateTableOp& op) {
  const CreateTableRequest request = ToEngine(op.table);
  Record("CreateTable", request);
  const Outcome outcome = Done(database_->CreateTable(request));
  if (outcome.error.empty() && configuration_.followed) FollowWrites(op.table.name);
  return outcome;
}

void EngineRunner::FollowWrites(const std::string& table) {
  const StreamSpecification stream = {.stream_enabled = true,
                                      .stream_view_type = StreamViewType::kNewAndOldImages};
  const UpdateTableRequest streaming{.table_name = table, .stream_specification = stream};
  const UpdateTimeToLiveRequest expiring{
      .table_name = table, .time_to_live_specification = {.enabled = true, .attribute_name = "n"}};
  const UpdateContinuousBackupsRequest recovering{
      .table_name = table,
      .point_in_time_recovery_specification = {.point_in_time_recovery_enabled = true}};
  Record("UpdateTable", streaming);
  Require(database_->UpdateTable(streaming).status(), "stream " + table);
  Record("UpdateTimeToLive", expiring);
  Require(database_->UpdateTimeToLive(expiring).status(), "expire " + table);
  Record("UpdateContinuousBackups", recovering);
  Require(database_->UpdateContinuousBackups(recovering).status(), "recover " + table);
}

std::vector<std::string> EngineRunner::TableNames() {
  const auto output = database_->ListTables({});
  Require(output.status(), "tables");
  return output->table_names;
}

Outcome EngineRunner::DeleteTable(const model::DeleteTableOp& op) {
  const DeleteTableRequest request{.table_name = op.table};
  Record("DeleteTable", request);
  return Done(database_->DeleteTable(request));
}

Outcome EngineRunner::CreateIndex(const model::CreateIndexOp& op) {
  const UpdateTableRequest request = ToCreation(op);
  Record("UpdateTable", request);
  const Outcome outcome = Done(database_->UpdateTable(request));
  filling_ = true;
  if (op.awaited) Settle();
  return outcome;
}

Outcome EngineRunner::DeleteIndex(const model::DeleteIndexOp& op) {
  const UpdateTableRequest request{
      .table_name = op.table,
      .global_secondary_index_updates = {{{.delete_index_name = op.index}}}};
  Record("UpdateTable", request);
  return Done(database_->UpdateTable(request));
}

Outcome EngineRunner::ShardIndex(const model::ShardIndexOp& op) {
  const TagResourceRequest request{
      .resource_arn = "arn:aws:dynamodb:us-east-1:000000000000:table/" + op.table,
      .tags = {{"dynolith:shards:" + op.index, std::to_string(op.shards)}}};
  Record("TagResource", request);
  const absl::Status status = database_->TagResource(request);
  filling_ = true;
  if (op.awaited) Settle();
  return status.ok() ? Outcome() : Failed(status);
}

Outcome EngineRunner::CreateBackup(const model::CreateBackupOp& op) {
  const CreateBackupRequest request{.table_name = op.table, .backup_name = op.label};
  Record("CreateBackup", request);
  const auto output = database_->CreateBackup(request);
  if (output.ok()) backup_arns_[op.label] = output->backup_arn;
  return Done(output);
}

Outcome EngineRunner::Restore(const model::RestoreOp& op) {
  const auto arn = backup_arns_.find(op.label);
  if (arn == backup_arns_.end()) return NoSuchLabel();
  RestoreTableFromBackupRequest request{.target_table_name = op.table,
                                        .backup_arn = Captured(op.label)};
  Record("RestoreTableFromBackup", request);
  request.backup_arn = arn->second;
  const Outcome outcome = Done(database_->RestoreTableFromBackup(request));
  if (outcome.error.empty() && configuration_.followed) FollowWrites(op.table);
  return outcome;
}

Outcome EngineRunner::DeleteBackup(const model::DeleteBackupOp& op) {
  const auto arn = backup_arns_.find(op.label);
  if (arn == backup_arns_.end()) return NoSuchLabel();
  DeleteBackupRequest request{.backup_arn = Captured(op.label)};
  Record("DeleteBackup", request);
  request.backup_arn = arn->second;
  return Done(database_->DeleteBackup(request));
}

}  // namespace dynolith::random
