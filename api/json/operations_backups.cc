// Backups and restores, from the members of a call to the text of its output.
#include "api/json/operations.h"
#include "api/json/read_backups.h"
#include "api/json/run_operation.h"
#include "api/json/write_backups.h"
#include "api/json/write_tables.h"

namespace dynolith {
namespace {

// Operations whose output is a backup, written by `write`.
template <typename Request, absl::StatusOr<BackupDescription> (Database::*method)(const Request&),
          void (*write)(const BackupDescription&, JsonWriter*)>
absl::Status RunOnBackup(const OperationCall& call, std::string* body) {
  Request request;
  DYNOLITH_RETURN_IF_ERROR(ReadRequest(*call.input, &request));
  DYNOLITH_ASSIGN_OR_RETURN(const BackupDescription output, (call.database->*method)(request));
  JsonWriter writer(body);
  write(output, &writer);
  return absl::OkStatus();
}

// Operations whose output is the restored table.
template <typename Request, absl::StatusOr<TableDescription> (Database::*method)(const Request&)>
absl::Status RunRestore(const OperationCall& call, std::string* body) {
  Request request;
  DYNOLITH_RETURN_IF_ERROR(ReadRequest(*call.input, &request));
  DYNOLITH_ASSIGN_OR_RETURN(const TableDescription output, (call.database->*method)(request));
  JsonWriter writer(body);
  WriteTableJson("TableDescription", output, &writer);
  return absl::OkStatus();
}

constexpr OperationRow kRows[] = {
    {"CreateBackup",
     &RunOnBackup<CreateBackupRequest, &Database::CreateBackup, &WriteBackupDetailsJson>},
    {"DescribeBackup",
     &RunOnBackup<DescribeBackupRequest, &Database::DescribeBackup, &WriteBackupJson>},
    {"DeleteBackup", &RunOnBackup<DeleteBackupRequest, &Database::DeleteBackup, &WriteBackupJson>},
    {"ListBackups", &RunOperation<ListBackupsRequest, ListBackupsOutput, &Database::ListBackups>},
    {"RestoreTableFromBackup",
     &RunRestore<RestoreTableFromBackupRequest, &Database::RestoreTableFromBackup>},
    {"RestoreTableToPointInTime",
     &RunRestore<RestoreTableToPointInTimeRequest, &Database::RestoreTableToPointInTime>},
};

}  // namespace

absl::Span<const OperationRow> BackupOperations() { return kRows; }

}  // namespace dynolith
