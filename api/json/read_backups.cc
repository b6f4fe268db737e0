#include "api/json/read_backups.h"

#include <utility>

#include "api/json/members.h"
#include "api/json/read_tables.h"
#include "api/json/request_parts.h"

namespace dynolith {
namespace {

constexpr std::pair<std::string_view, BackupTypeFilter> kTypeFilters[] = {
    {"USER", BackupTypeFilter::kUser},
    {"SYSTEM", BackupTypeFilter::kSystem},
    {"AWS_BACKUP", BackupTypeFilter::kAwsBackup},
    {"ALL", BackupTypeFilter::kAll}};

}  // namespace

absl::Status ReadRequest(const Fields& fields, CreateBackupRequest* request) {
  namespace in = members::CreateBackupInput;
  request->table_name = std::string(fields.Text(in::kTableName));
  request->backup_name = std::string(fields.Text(in::kBackupName));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DescribeBackupRequest* request) {
  request->backup_arn = std::string(fields.Text(members::DescribeBackupInput::kBackupArn));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DeleteBackupRequest* request) {
  request->backup_arn = std::string(fields.Text(members::DeleteBackupInput::kBackupArn));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, ListBackupsRequest* request) {
  namespace in = members::ListBackupsInput;
  request->table_name = fields.String(in::kTableName);
  request->limit = fields.Integer(in::kLimit);
  request->time_range_lower_bound = fields.Time(in::kTimeRangeLowerBound);
  request->time_range_upper_bound = fields.Time(in::kTimeRangeUpperBound);
  request->exclusive_start_backup_arn = fields.String(in::kExclusiveStartBackupArn);
  request->backup_type = ReadEnum(fields, in::kBackupType, absl::MakeConstSpan(kTypeFilters));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, RestoreTableFromBackupRequest* request) {
  namespace in = members::RestoreTableFromBackupInput;
  request->target_table_name = std::string(fields.Text(in::kTargetTableName));
  request->backup_arn = std::string(fields.Text(in::kBackupArn));
  request->overrides = ReadOverrides(fields, in::kBillingModeOverride);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, RestoreTableToPointInTimeRequest* request) {
  namespace in = members::RestoreTableToPointInTimeInput;
  request->source_table_arn = fields.String(in::kSourceTableArn);
  request->source_table_name = fields.String(in::kSourceTableName);
  request->target_table_name = std::string(fields.Text(in::kTargetTableName));
  request->use_latest_restorable_time = fields.Boolean(in::kUseLatestRestorableTime);
  request->restore_date_time = fields.Time(in::kRestoreDateTime);
  request->overrides = ReadOverrides(fields, in::kBillingModeOverride);
  return absl::OkStatus();
}

}  // namespace dynolith
