#include "api/table/backup_lookup.h"

#include <utility>

#include "api/request/arn.h"
#include "api/request/uuid.h"
#include "api/table/messages.h"
#include "api/table/shown_schema.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/expired_backups.h"

namespace dynolith {
namespace {

constexpr std::string_view kBackup = "/backup/";

void ShowIndex(const TableMeta& table, size_t i, SourceTableFeatureDetails* features) {
  const IndexSchema& schema = table.schema.indexes[i];
  if (schema.kind == IndexKind::kVector) {
    ShowVectorSchema(schema, &features->vector_indexes.emplace_back());
    return;
  }
  const bool is_global = schema.kind == IndexKind::kGlobal;
  auto& indexes =
      is_global ? features->global_secondary_indexes : features->local_secondary_indexes;
  IndexInfo& index = indexes.emplace_back();
  ShowIndexSchema(schema, &index);
  if (!is_global) return;
  index.provisioned_throughput = ShownUnits(table.index_states[i].throughput);
  index.on_demand_throughput = table.index_states[i].on_demand;
}

// The table's at that time: no change of it is under way.
SourceTableFeatureDetails MakeSourceTableFeatures(const TableMeta& table) {
  SourceTableFeatureDetails features;
  for (size_t i = 0; i < table.schema.indexes.size(); ++i) ShowIndex(table, i, &features);
  if (table.stream.enabled) features.stream_description = ShownStream(table.stream);
  if (table.time_to_live.enabled) {
    features.time_to_live_description = {.time_to_live_status = TimeToLiveStatus::kEnabled,
                                         .attribute_name = table.time_to_live.attribute_name};
  }
  if (table.encryption && table.encryption->enabled) {
    features.sse_description = DescribeEncryption(table.encryption, SseStatus::kEnabled);
  }
  return features;
}

}  // namespace

absl::StatusOr<BackupName> ParseBackupArn(const OperationContext& context, std::string_view arn) {
  const absl::Status invalid = ValidationError(messages::InvalidBackupArn());
  if (!arn.starts_with("arn:")) return invalid;
  const ArnParts parts = SplitArn(arn);
  const std::string_view resource = parts.resource;
  if (parts.partition != "aws" || parts.service != "dynamodb") return invalid;
  if (!resource.starts_with(kTableResource)) return invalid;
  const size_t backup = resource.find(kBackup);
  if (backup == std::string_view::npos) return invalid;
  BackupName name = {
      std::string(resource.substr(kTableResource.size(), backup - kTableResource.size())),
      std::string(resource.substr(backup + kBackup.size()))};
  if (name.table_name.empty() || name.id.empty()) return invalid;
  if (name.table_name.find('/') != std::string::npos || name.id.find('/') != std::string::npos) {
    return invalid;
  }
  if (parts.region != context.region || parts.account != context.account_id) {
    return BackupNotFound(arn);
  }
  return name;
}

absl::StatusOr<std::shared_ptr<const BackupMeta>> FindBackup(const OperationContext& context,
                                                             std::string_view arn) {
  DYNOLITH_ASSIGN_OR_RETURN(const BackupName name, ParseBackupArn(context, arn));
  std::shared_ptr<const BackupMeta> backup = context.catalog->FindBackup(name.table_name, name.id);
  if (backup == nullptr || HasExpired(*backup, context.clock->Now())) return BackupNotFound(arn);
  return backup;
}

BackupStatus BackupStatusAt(const BackupMeta& backup, absl::Time now) {
  const bool is_busy = backup.status_until && now < *backup.status_until;
  return is_busy ? BackupStatus::kCreating : BackupStatus::kAvailable;
}

std::string MakeBackupArn(const OperationContext& context, const BackupMeta& backup) {
  return BackupArn(TableArn(context, backup.table.schema.name), backup.id);
}

BackupDetails MakeBackupDetails(const OperationContext& context, const BackupMeta& backup) {
  return {.backup_arn = MakeBackupArn(context, backup),
          .backup_name = backup.name,
          .backup_size_bytes = backup.size_bytes,
          .backup_status = BackupStatusAt(backup, context.clock->Now()),
          .backup_type = backup.type,
          .backup_creation_date_time = backup.created,
          .backup_expiry_date_time = backup.expires};
}

BackupSummary MakeBackupSummary(const OperationContext& context, const BackupMeta& backup) {
  const BackupDetails details = MakeBackupDetails(context, backup);
  return {.table_name = backup.table.schema.name,
          .table_id = backup.table.uuid,
          .table_arn = TableArn(context, backup.table.schema.name),
          .backup_arn = details.backup_arn,
          .backup_name = details.backup_name,
          .backup_creation_date_time = details.backup_creation_date_time,
          .backup_expiry_date_time = details.backup_expiry_date_time,
          .backup_status = details.backup_status,
          .backup_type = details.backup_type,
          .backup_size_bytes = details.backup_size_bytes};
}

BackupDescription MakeBackupDescription(const OperationContext& context, const BackupMeta& backup) {
  const TableMeta& table = backup.table;
  BackupDescription description;
  description.backup_details = MakeBackupDetails(context, backup);
  description.source_table_details = {.table_name = table.schema.name,
                                      .table_id = table.uuid,
                                      .table_arn = TableArn(context, table.schema.name),
                                      .table_size_bytes = backup.size_bytes,
                                      .key_schema = ShownKeySchema(table.schema.key),
                                      .table_creation_date_time = table.created,
                                      .provisioned_throughput = ShownUnits(table.throughput),
                                      .on_demand_throughput = table.on_demand,
                                      .item_count = backup.item_count,
                                      .billing_mode = table.billing_mode};
  description.source_table_feature_details = MakeSourceTableFeatures(table);
  return description;
}

BackupMeta NewBackup(const OperationContext& context, const TableMeta& table, std::string name) {
  BackupMeta backup;
  backup.created = context.clock->Now();
  backup.id = NewTimedId(backup.created);
  backup.name = std::move(name);
  backup.table = table;
  return backup;
}

absl::Status BackupNotFound(std::string_view arn) {
  return MakeError(ErrorKind::kBackupNotFound, messages::BackupNotFound(arn));
}

}  // namespace dynolith
