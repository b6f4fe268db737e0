#include "tools/dynolith/backup.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/messages/store.h"
#include "engine/base/messages/store_backup.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"
#include "engine/store/witness.h"
#include "tools/backup/backup_folder.h"
#include "tools/backup/checkpoint_folder.h"
#include "tools/backup/restore_snapshot.h"
#include "tools/backup/server_call.h"
#include "tools/backup/server_checkpoint.h"
#include "tools/backup/verify_backup.h"
#include "tools/dynolith/admin_guard.h"
#include "tools/dynolith/print.h"
#include "tools/http/server_address.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

// Of a folder that no process has open: it is opened as a server would, so that what is damaged is
// refused, and what is in logs goes into table files, which the next backup finds again.
absl::StatusOr<std::string> MakeFolderCheckpoint(const std::string& folder) {
  // Open would make a new store.
  std::error_code error;
  if (!fs::exists(folder, error)) {
    return absl::NotFoundError(messages::StoreFolderMissing(folder));
  }
  if (!fs::exists(Concat(folder, "/", kFormatFile), error)) {
    return absl::NotFoundError(messages::NotAStore(folder, kFormatFile));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open({.path = folder}));
  return MakeCheckpoint(folder, [&](const std::string& to) { return store->Checkpoint(to); });
}

absl::StatusOr<AddedSnapshot> AddCheckpoint(const BackupOptions& options,
                                            const std::string& checkpoint, BackupFolder* backup) {
  DYNOLITH_ASSIGN_OR_RETURN(const FolderHold hold, HoldCheckpoint(checkpoint));
  BackupFolder::AddOptions add;
  add.store = fs::path(checkpoint).parent_path().string();
  add.now = SystemClock().Now();
  add.links = options.links;
  DYNOLITH_RETURN_IF_ERROR(backup->CheckStore(add.store));
  return backup->Add(checkpoint, add);
}

}  // namespace

absl::Status Backup(const BackupOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(BackupFolder backup, BackupFolder::OpenToWrite(options.backup));
  const bool is_served = http::IsServerUrl(options.source);
  AdminServer server{.url = options.source, .token = ""};
  if (!options.admin_token_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(server.token, ReadAdminToken(options.admin_token_file));
  }
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::string checkpoint,
      is_served ? MakeServerCheckpoint(server) : MakeFolderCheckpoint(options.source));
  const absl::StatusOr<AddedSnapshot> added = AddCheckpoint(options, checkpoint, &backup);
  absl::Status cleared =
      is_served ? RemoveServerCheckpoint(server) : RemoveCheckpoint(options.source);
  DYNOLITH_RETURN_IF_ERROR(added.status());
  Print(messages::BackupLine(options.backup, added->name, added->files, added->bytes,
                             added->new_files, added->new_bytes));
  const absl::StatusOr<std::vector<std::string>> removed = backup.Prune(options.keep);
  if (!removed.ok()) {
    std::string failure = messages::BackupNotAllRemoved(MessageOf(removed.status()));
    if (!cleared.ok()) failure = messages::BackupBothFailed(failure, MessageOf(cleared));
    return absl::Status(removed.status().code(), failure);
  }
  for (const std::string& name : *removed) Print(messages::BackupRemovedLine(options.backup, name));
  return cleared;
}

absl::Status Restore(const RestoreOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const BackupFolder backup, BackupFolder::OpenToRead(options.backup));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, backup.List());
  if (names.empty()) return absl::NotFoundError(messages::BackupHasNoSnapshot(options.backup));
  const std::string name = options.snapshot.value_or(names.back());
  DYNOLITH_ASSIGN_OR_RETURN(const StoreSnapshot snapshot, backup.Read(name));
  DYNOLITH_RETURN_IF_ERROR(RestoreSnapshot(backup, snapshot, options.folder));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                            Store::Open({.path = options.folder, .read_only = true}));
  DYNOLITH_RETURN_IF_ERROR(Catalog::Load(store.get()).status());
  Print(messages::RestoredLine(options.folder, name, snapshot.files.size(), snapshot.bytes()));
  return absl::OkStatus();
}

absl::StatusOr<bool> Verify(const VerifyOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const BackupFolder backup, BackupFolder::OpenToRead(options.backup));
  DYNOLITH_ASSIGN_OR_RETURN(const VerifiedBackup verified,
                            VerifyBackup(backup, options.backup, options.quick));
  for (const std::string& damage : verified.damages) Print(messages::VerifyDamageLine(damage));
  for (const VerifiedBackup::Verified& seen : verified.snapshots) {
    Print(
        messages::VerifySnapshotLine(seen.name, seen.store, seen.files, seen.bytes, seen.is_whole));
  }
  const uint64_t snapshots = verified.snapshots.size();
  Print(messages::VerifySummaryLine(options.backup, snapshots, verified.files, verified.bytes,
                                    options.quick, verified.damages.size()));
  return verified.damages.empty();
}

}  // namespace dynolith
