// Outputs of backups -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_BACKUPS_H_
#define DYNOLITH_API_JSON_WRITE_BACKUPS_H_

#include "api/json/json_writer.h"
#include "dynolith/backups.h"

namespace dynolith {

// {"BackupDetails":{…}}.
void WriteBackupDetailsJson(const BackupDescription& backup, JsonWriter* writer);
// {"BackupDescription":{…}}: the details, and the table as it was.
void WriteBackupJson(const BackupDescription& backup, JsonWriter* writer);
void WriteOutputJson(const ListBackupsOutput& output, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_BACKUPS_H_
