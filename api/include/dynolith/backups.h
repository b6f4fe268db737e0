// Requests and outputs of backups, point-in-time recovery and restores, with DynamoDB's member
// names in snake_case.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_BACKUPS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_BACKUPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "dynolith/requests.h"
#include "engine/catalog/backup_meta.h"

namespace dynolith {

// --- Backups on demand ---

struct CreateBackupRequest {
  std::string table_name;
  std::string backup_name;
};

enum class BackupStatus : uint8_t { kCreating, kDeleted, kAvailable };

// Of CreateBackup, DescribeBackup and DeleteBackup; one summary of ListBackups.
struct BackupDescription {
  BackupMeta meta;
  BackupStatus status = BackupStatus::kAvailable;
  std::string backup_arn;
  std::string table_arn;
};

struct DescribeBackupRequest {
  std::string backup_arn;
};

struct DeleteBackupRequest {
  std::string backup_arn;
};

enum class BackupTypeFilter : uint8_t { kUser, kSystem, kAwsBackup, kAll };

struct ListBackupsRequest {
  std::optional<std::string> table_name;
  std::optional<int64_t> limit;
  std::optional<absl::Time> time_range_lower_bound;  // inclusive
  std::optional<absl::Time> time_range_upper_bound;  // exclusive
  std::optional<std::string> exclusive_start_backup_arn;
  std::optional<BackupTypeFilter> backup_type;
};

struct ListBackupsOutput {
  std::vector<BackupDescription> backup_summaries;
  std::optional<std::string> last_evaluated_backup_arn;
};

// --- Point-in-time recovery ---

struct DescribeContinuousBackupsRequest {
  std::string table_name;
};

struct UpdateContinuousBackupsRequest {
  std::string table_name;
  bool point_in_time_recovery_enabled = false;
  std::optional<int64_t> recovery_period_in_days;
};

// Of both.
struct ContinuousBackupsDescription {
  // ContinuousBackupsStatus: not before the table is ACTIVE.
  bool enabled = false;
  struct PointInTimeRecoveryDescription {
    int64_t recovery_period_in_days = 0;
    absl::Time earliest_restorable;
    absl::Time latest_restorable;
  };
  // While it is enabled.
  std::optional<PointInTimeRecoveryDescription> point_in_time_recovery;
};

// --- Restores ---

// What the restored table has instead of the source's.
struct RestoreOverrides {
  std::optional<BillingMode> billing_mode;
  std::optional<std::vector<SecondaryIndex>> global_secondary_indexes;
  std::optional<std::vector<SecondaryIndex>> local_secondary_indexes;
  std::optional<ProvisionedThroughput> provisioned_throughput;
  std::optional<OnDemandThroughput> on_demand_throughput;
  std::optional<SseSpecification> sse_specification;
  std::optional<std::vector<VectorIndex>> vector_indexes;
};

struct RestoreTableFromBackupRequest {
  std::string target_table_name;
  std::string backup_arn;
  RestoreOverrides overrides;
};

struct RestoreTableToPointInTimeRequest {
  // One of the two.
  std::optional<std::string> source_table_arn;
  std::optional<std::string> source_table_name;
  std::string target_table_name;
  std::optional<bool> use_latest_restorable_time;
  std::optional<absl::Time> restore_date_time;
  RestoreOverrides overrides;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_BACKUPS_H_
