#include "api/json/write_backups.h"

#include <optional>
#include <string_view>

#include "api/json/write_members.h"
#include "api/json/write_table_parts.h"

namespace dynolith {
namespace {

std::string_view Word(BackupStatus status) {
  switch (status) {
    case BackupStatus::kCreating:
      return "CREATING";
    case BackupStatus::kDeleted:
      return "DELETED";
    case BackupStatus::kAvailable:
      break;
  }
  return "AVAILABLE";
}

std::string_view Word(BackupType type) {
  switch (type) {
    case BackupType::kSystem:
      return "SYSTEM";
    case BackupType::kAwsBackup:
      return "AWS_BACKUP";
    case BackupType::kUser:
      break;
  }
  return "USER";
}

// What BackupDetails and BackupSummary share.
void WriteBasics(const BackupDescription& backup, JsonWriter* writer) {
  Text("BackupArn", backup.backup_arn, writer);
  Text("BackupName", backup.meta.name, writer);
  Integer("BackupSizeBytes", backup.meta.size_bytes, writer);
  Text("BackupStatus", Word(backup.status), writer);
  Text("BackupType", Word(backup.meta.type), writer);
  Time("BackupCreationDateTime", backup.meta.created, writer);
  Time("BackupExpiryDateTime", backup.meta.expires, writer);
}

void WriteDetails(const BackupDescription& backup, JsonWriter* writer) {
  writer->Key("BackupDetails");
  writer->BeginObject();
  WriteBasics(backup, writer);
  writer->EndObject();
}

void WriteSourceTable(const BackupDescription& backup, JsonWriter* writer) {
  const TableMeta& table = backup.meta.table;
  writer->Key("SourceTableDetails");
  writer->BeginObject();
  Text("TableName", table.schema.name, writer);
  Text("TableId", table.uuid, writer);
  Text("TableArn", backup.table_arn, writer);
  Integer("TableSizeBytes", backup.meta.size_bytes, writer);
  WriteKeySchema(table.schema.key, writer);
  Time("TableCreationDateTime", table.created, writer);
  WriteUnits(table.throughput, writer);
  WriteOnDemand(table.on_demand, writer);
  Integer("ItemCount", backup.meta.item_count, writer);
  Text("BillingMode", BillingModeWord(table.billing_mode), writer);
  writer->EndObject();
}

void WriteIndexes(std::string_view key, IndexKind kind, const TableMeta& table,
                  JsonWriter* writer) {
  bool open = false;
  for (size_t i = 0; i < table.schema.indexes.size(); ++i) {
    const IndexSchema& index = table.schema.indexes[i];
    if (index.kind != kind) continue;
    if (!open) {
      writer->Key(key);
      writer->BeginArray();
      open = true;
    }
    writer->BeginObject();
    WriteIndexSchema(index, writer);
    if (kind == IndexKind::kGlobal) {
      WriteUnits(table.index_states[i].throughput, writer);
      WriteOnDemand(table.index_states[i].on_demand, writer);
    }
    writer->EndObject();
  }
  if (open) writer->EndArray();
}

void WriteTimeToLive(const TimeToLiveState& time_to_live, JsonWriter* writer) {
  if (!time_to_live.enabled) return;
  writer->Key("TimeToLiveDescription");
  writer->BeginObject();
  Text("TimeToLiveStatus", "ENABLED", writer);
  Text("AttributeName", time_to_live.attribute_name, writer);
  writer->EndObject();
}

// The table's at that time: no change of it is under way.
void WriteEncryption(const std::optional<ServerSideEncryption>& encryption, JsonWriter* writer) {
  if (!encryption || !encryption->enabled) return;
  writer->Key("SSEDescription");
  writer->BeginObject();
  Text("Status", "ENABLED", writer);
  Text("SSEType", "KMS", writer);
  if (!encryption->kms_key_arn.empty()) Text("KMSMasterKeyArn", encryption->kms_key_arn, writer);
  writer->EndObject();
}

void WriteSourceFeatures(const TableMeta& table, JsonWriter* writer) {
  writer->Key("SourceTableFeatureDetails");
  writer->BeginObject();
  WriteIndexes("LocalSecondaryIndexes", IndexKind::kLocal, table, writer);
  WriteIndexes("GlobalSecondaryIndexes", IndexKind::kGlobal, table, writer);
  if (table.stream.enabled) WriteStreamSpecification("StreamDescription", table.stream, writer);
  WriteTimeToLive(table.time_to_live, writer);
  WriteEncryption(table.encryption, writer);
  WriteIndexes("VectorIndexes", IndexKind::kVector, table, writer);
  writer->EndObject();
}

void WriteSummary(const BackupDescription& backup, JsonWriter* writer) {
  writer->BeginObject();
  Text("TableName", backup.meta.table.schema.name, writer);
  Text("TableId", backup.meta.table.uuid, writer);
  Text("TableArn", backup.table_arn, writer);
  WriteBasics(backup, writer);
  writer->EndObject();
}

}  // namespace

void WriteBackupDetailsJson(const BackupDescription& backup, JsonWriter* writer) {
  writer->BeginObject();
  WriteDetails(backup, writer);
  writer->EndObject();
}

void WriteBackupJson(const BackupDescription& backup, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("BackupDescription");
  writer->BeginObject();
  WriteDetails(backup, writer);
  WriteSourceTable(backup, writer);
  WriteSourceFeatures(backup.meta.table, writer);
  writer->EndObject();
  writer->EndObject();
}

void WriteOutputJson(const ListBackupsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("BackupSummaries");
  writer->BeginArray();
  for (const BackupDescription& backup : output.backup_summaries) WriteSummary(backup, writer);
  writer->EndArray();
  if (output.last_evaluated_backup_arn) {
    Text("LastEvaluatedBackupArn", *output.last_evaluated_backup_arn, writer);
  }
  writer->EndObject();
}

}  // namespace dynolith
