// `dynolith backup`, `restore` and `verify`: copies of a whole store (tools/backup).
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "api/remote/server_address.h"
#include "api/service/messages.h"
#include "api/service/time_text.h"
#include "engine/base/clock.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/catalog.h"
#include "engine/store/encryption/key_source.h"
#include "engine/store/encryption/messages.h"
#include "engine/store/encryption/store_keys.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/local_store.h"
#include "engine/store/messages.h"
#include "tools/backup/backup_folder.h"
#include "tools/backup/checkpoint_folder.h"
#include "tools/backup/messages.h"
#include "tools/backup/restore_snapshot.h"
#include "tools/backup/server_checkpoint.h"
#include "tools/backup/verify_backup.h"
#include "tools/client/admin_call.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"
#include "tools/server/admin_guard.h"
#include "tools/ship/base.h"
#include "tools/ship/messages.h"
#include "tools/ship/restore.h"
#include "tools/ship/segment.h"
#include "tools/ship/state_file.h"
#include "tools/ship/target/ship_target.h"
#include "tools/ship/verify.h"

namespace dynolith {
namespace {

struct BackupOptions {
  std::string source;            // a data folder that no server holds, or the address of its server
  std::string admin_token_file;  // of that server; empty: it needs none from this machine
  std::string encryption_key;    // of a data folder
  std::string backup;            // the backup folder
  bool links = true;             // whether table files may be hard links to the store's
  std::optional<size_t> keep;    // how many backups stay; nullopt: all
};

struct RestoreOptions {
  std::string backup;
  std::string at;                       // of what a server ships; empty: the newest
  std::string endpoint;                 // of S3's protocol; empty: AWS's
  std::optional<std::string> snapshot;  // nullopt: the last one
  std::string folder;                   // new or empty
  std::string encryption_key;           // of the store; empty: it is not encrypted
};

struct VerifyOptions {
  std::string backup;
  std::string endpoint;  // as of RestoreOptions
  bool quick = false;
};

namespace fs = std::filesystem;

// The limit of waiting for other backups of the same store, and the pause between attempts.
constexpr absl::Duration kCheckpointPatience = absl::Minutes(10);
constexpr absl::Duration kCheckpointPause = absl::Milliseconds(100);
// How long to wait for another process that holds the data folder, such as a backup that makes a
// checkpoint, and after how long to report the wait.
constexpr absl::Duration kHeldPatience = absl::Seconds(10);
constexpr absl::Duration kHeldSilence = absl::Seconds(1);
// How often another backup may take the checkpoint away before this one holds it. After that, the
// folder is taken as one that this process cannot see.
constexpr int kCheckpointsLostMax = 20;

// Makes a checkpoint of a folder that no process has open. It is opened for writing, as a server
// would: damage is refused, and the logs become table files, which later backups find unchanged.
absl::StatusOr<std::string> MakeFolderCheckpoint(const std::string& folder,
                                                 const std::string& key) {
  // Open would make a new store.
  if (!MayBeThere(folder)) return absl::NotFoundError(messages::StoreFolderMissing(folder));
  if (!MayBeThere(Concat(folder, "/", kFormatFile))) {
    return absl::NotFoundError(messages::NotAStore(folder, kFormatFile));
  }
  // Opening changes the folder, so it is not opened while another backup holds the checkpoint.
  DYNOLITH_RETURN_IF_ERROR(CheckCheckpointFree(folder));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<LocalStore> store,
                            LocalStore::Open({.path = folder, .encryption_key = key}));
  return MakeCheckpoint(folder, [&](const std::string& to) { return store->Checkpoint(to); });
}

// Whether opening failed because another process holds the folder. A failure to start a thread has
// the same code.
bool IsHeldByOthers(const absl::Status& opened) {
  return absl::IsUnavailable(opened) && KindOf(opened) != ErrorKind::kServiceUnavailable;
}

// As MakeFolderCheckpoint, but waits up to kHeldPatience for another process that holds the folder.
absl::StatusOr<std::string> MakeAwaitedFolderCheckpoint(const std::string& folder,
                                                        const std::string& key) {
  const absl::Time begin = absl::Now();
  for (bool is_said = false;; absl::SleepFor(kCheckpointPause)) {
    absl::StatusOr<std::string> made = MakeFolderCheckpoint(folder, key);
    const absl::Duration waited = absl::Now() - begin;
    if (!IsHeldByOthers(made.status()) || waited > kHeldPatience) return made;
    if (!is_said && waited > kHeldSilence) {
      const std::string said = messages::BackupWaitsForFolder(folder, kHeldPatience);
      std::fwrite(said.data(), 1, said.size(), stderr);
      is_said = true;
    }
  }
}

absl::StatusOr<AddedSnapshot> AddCheckpoint(const BackupOptions& options,
                                            const std::string& checkpoint, BackupFolder* backup) {
  BackupFolder::AddOptions add;
  add.store = fs::path(checkpoint).parent_path().string();
  add.now = SystemClock().Now();
  add.links = options.links;
  DYNOLITH_RETURN_IF_ERROR(backup->CheckStore(add.store));
  return backup->Add(checkpoint, add);
}

struct HeldCheckpoint {
  std::string folder;
  std::optional<FolderHold> hold;
};

// A store has one checkpoint, and other backups may need it, too: this waits while another one
// holds it, and makes a new one if another has removed it. `source`: the server, or a folder in
// place of its address.
absl::StatusOr<HeldCheckpoint> MakeOwnCheckpoint(const client::AdminServer& source,
                                                 const std::string& key) {
  const absl::Time deadline = absl::Now() + kCheckpointPatience;
  for (int lost = 0;; absl::SleepFor(kCheckpointPause)) {
    absl::StatusOr<std::string> made = http::IsServerUrl(source.url)
                                           ? MakeServerCheckpoint(source)
                                           : MakeAwaitedFolderCheckpoint(source.url, key);
    absl::Status failure = made.status();
    if (made.ok()) {
      absl::StatusOr<FolderHold> hold = HoldCheckpoint(*made);
      if (hold.ok()) return HeldCheckpoint{*std::move(made), *std::move(hold)};
      failure = hold.status();
    }
    const bool is_lost = made.ok() && absl::IsNotFound(failure) && ++lost < kCheckpointsLostMax;
    const bool is_others = absl::IsAborted(failure) || is_lost;
    if (!is_others || absl::Now() > deadline) return failure;
  }
}

// A server removes its checkpoint itself. If another backup holds it by then, that one removes it.
absl::Status RemoveOwnCheckpoint(const client::AdminServer& source, HeldCheckpoint checkpoint) {
  if (!http::IsServerUrl(source.url)) return RemoveHeldCheckpoint(checkpoint.folder);
  checkpoint.hold.reset();
  absl::Status removed = RemoveServerCheckpoint(source);
  return absl::IsAborted(removed) ? absl::OkStatus() : removed;
}

absl::Status ReportMissing(const BackupFolder& backup, const std::string& made,
                           const std::vector<std::string>& missing) {
  return absl::DataLossError(
      messages::BackupMadeButMissing(made, MessageOf(backup.MissingError(missing.back()))));
}

// The checkpoint is removed, with all that is in it.
absl::Status CheckIsNoCheckpoint(const BackupOptions& options) {
  if (http::IsServerUrl(options.source)) return absl::OkStatus();
  std::error_code error;
  const fs::path backup = fs::weakly_canonical(fs::absolute(options.backup, error), error);
  const fs::path store = fs::weakly_canonical(fs::absolute(options.source, error), error);
  if (error || !IsWithinCheckpoint(backup.string(), store.string())) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::BackupInCheckpoint(options.backup));
}

// Adds a backup and prints it, then prints the backups that were removed.
absl::Status Backup(const BackupOptions& options) {
  if (http::IsServerUrl(options.source) && !options.encryption_key.empty()) {
    return absl::InvalidArgumentError(messages::EncryptionKeyOfServer(options.source));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckIsNoCheckpoint(options));
  DYNOLITH_ASSIGN_OR_RETURN(BackupFolder backup, BackupFolder::OpenToWrite(options.backup));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> missing, backup.Missing());
  client::AdminServer server{.url = options.source, .token = "", .timeouts = {}};
  if (!options.admin_token_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(server.token, ReadAdminToken(options.admin_token_file));
  }
  absl::StatusOr<HeldCheckpoint> checkpoint = MakeOwnCheckpoint(server, options.encryption_key);
  DYNOLITH_RETURN_IF_ERROR(checkpoint.status());
  const std::string store = fs::path(checkpoint->folder).parent_path().string();
  const absl::StatusOr<AddedSnapshot> added = AddCheckpoint(options, checkpoint->folder, &backup);
  absl::Status cleared = RemoveOwnCheckpoint(server, *std::move(checkpoint));
  DYNOLITH_RETURN_IF_ERROR(added.status());
  SayDatabasesLeftOut(store);
  Print(messages::BackupLine(options.backup, added->name, added->files, added->bytes,
                             added->new_files, added->new_bytes));
  // The files of the missing backup may be needed to recover it, so none are removed.
  if (!missing.empty()) return ReportMissing(backup, added->name, missing);
  const absl::StatusOr<std::vector<std::string>> removed = backup.Prune(options.keep);
  if (!removed.ok()) {
    std::string failure = messages::BackupNotAllRemoved(MessageOf(removed.status()));
    if (!cleared.ok()) failure = messages::BackupBothFailed(failure, MessageOf(cleared));
    return absl::Status(removed.status().code(), failure);
  }
  for (const std::string& name : *removed) Print(messages::BackupRemovedLine(options.backup, name));
  return cleared;
}

// Whether a key is given if and only if the backup is encrypted, and whether it is its key: before
// anything is copied.
absl::Status CheckKeyOf(const BackupFolder& backup, const StoreSnapshot& snapshot,
                        const RestoreOptions& options) {
  const auto is_keys = [](const auto& file) { return file.name == kKeysFile; };
  const auto keys = std::find_if(snapshot.files.begin(), snapshot.files.end(), is_keys);
  const bool is_encrypted = keys != snapshot.files.end();
  if (is_encrypted == options.encryption_key.empty()) {
    return absl::FailedPreconditionError(is_encrypted
                                             ? messages::FolderIsEncrypted(options.backup)
                                             : messages::FolderNotEncrypted(options.backup));
  }
  if (!is_encrypted) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(options.encryption_key));
  const std::string file = backup.FilePath(*keys);
  const absl::Status read = StoreKeys::Parse(file, ReadFileText(file).text, wrapping).status();
  // Damage is found with that of all other files.
  return absl::IsDataLoss(read) ? absl::OkStatus() : read;
}

// Whether it is what a server ships, and not a folder of backups.
bool IsShipped(const std::string& place) {
  if (place.starts_with("s3://") || place.starts_with("file://")) return true;
  std::error_code error;
  return fs::is_directory(Concat(place, "/", ship::kBaseFolder), error) ||
         fs::is_directory(Concat(place, "/", ship::kSegmentFolder), error);
}

absl::Status CheckOpens(const RestoreOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::unique_ptr<LocalStore> store,
      LocalStore::Open(
          {.path = options.folder, .encryption_key = options.encryption_key, .read_only = true}));
  return Catalog::Load(store.get()).status();
}

// Makes a store of what was shipped, and checks that it opens.
absl::Status RestoreFromTarget(const RestoreOptions& options) {
  if (options.snapshot) return absl::InvalidArgumentError(messages::SnapshotOfShipped());
  ship::RestoreRequest request{
      .at = {}, .folder = options.folder, .encryption_key = options.encryption_key};
  if (!options.at.empty()) {
    request.at = ParseTimeText(options.at);
    if (!request.at) return absl::InvalidArgumentError(messages::NotATime(options.at));
  }
  DYNOLITH_RETURN_IF_ERROR(ship::CheckApart(options.backup, ship::RealFolder(options.folder)));
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::unique_ptr<ship::ShipTarget> target,
      ship::OpenTarget(options.backup, {.endpoint = options.endpoint, .only_reads = true}));
  DYNOLITH_ASSIGN_OR_RETURN(const ship::RestoredStore restored,
                            ship::RestoreShipped(target.get(), request));
  DYNOLITH_RETURN_IF_ERROR(CheckOpens(options));
  Print(ship::messages::ShippedRestored(options.folder, target->Describe(), TimeText(restored.time),
                                        restored.base, restored.segments, restored.bytes));
  return absl::OkStatus();
}

absl::StatusOr<bool> VerifyTarget(const VerifyOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::unique_ptr<ship::ShipTarget> target,
      ship::OpenTarget(options.backup, {.endpoint = options.endpoint, .only_reads = true}));
  std::string scratch = Concat(fs::temp_directory_path().string(), "/dynolith-verify-XXXXXX");
  if (mkdtemp(scratch.data()) == nullptr) {
    const int error = errno;
    return ErrnoStatus(error, messages::BackupFileUnwritten(scratch, ErrnoReason(error)));
  }
  const absl::Cleanup remove = [&] {
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
  };
  DYNOLITH_ASSIGN_OR_RETURN(const ship::VerifiedTarget verified,
                            ship::VerifyShipped(target.get(), options.quick, scratch));
  for (const std::string& damage : verified.damages) Print(messages::VerifyDamageLine(damage));
  for (const ship::VerifiedTarget::VerifiedBase& base : verified.bases) {
    Print(ship::messages::ShippedBase(base.name, TimeText(base.time), base.files, base.bytes,
                                      base.is_whole));
  }
  Print(ship::messages::ShippedSummary(target->Describe(), verified.bases.size(), verified.segments,
                                       TimeText(verified.last), verified.damages.size()));
  return verified.damages.empty() && !verified.bases.empty();
}

// Makes a store from a backup, and checks that it opens.
absl::Status Restore(const RestoreOptions& options) {
  if (IsShipped(options.backup)) return RestoreFromTarget(options);
  if (!options.at.empty()) return absl::InvalidArgumentError(messages::AtOfBackup());
  DYNOLITH_ASSIGN_OR_RETURN(const BackupFolder backup, BackupFolder::OpenToRead(options.backup));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, backup.List());
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> missing, backup.Missing());
  // Without a name the last backup is meant, and not the last of those that are left.
  const bool is_last_missing =
      !missing.empty() &&
      (names.empty() || SnapshotNumber(missing.back()) > SnapshotNumber(names.back()));
  if (!options.snapshot && is_last_missing) return backup.MissingError(missing.back());
  if (names.empty()) return absl::NotFoundError(messages::BackupHasNoSnapshot(options.backup));
  const std::string name = options.snapshot.value_or(names.back());
  DYNOLITH_ASSIGN_OR_RETURN(const StoreSnapshot snapshot, backup.Read(name));
  DYNOLITH_RETURN_IF_ERROR(CheckKeyOf(backup, snapshot, options));
  DYNOLITH_RETURN_IF_ERROR(RestoreSnapshot(backup, snapshot, options.folder));
  DYNOLITH_RETURN_IF_ERROR(CheckOpens(options));
  Print(messages::RestoredLine(options.folder, name, snapshot.files.size(), snapshot.bytes()));
  return absl::OkStatus();
}

// Prints one line for each damage and each backup, and a summary. Returns whether there is no
// damage.
absl::StatusOr<bool> Verify(const VerifyOptions& options) {
  if (IsShipped(options.backup)) return VerifyTarget(options);
  DYNOLITH_ASSIGN_OR_RETURN(const BackupFolder backup, BackupFolder::OpenToRead(options.backup));
  DYNOLITH_ASSIGN_OR_RETURN(const VerifiedBackup verified,
                            VerifyBackup(backup, options.backup, options.quick));
  for (const std::string& damage : verified.damages) Print(messages::VerifyDamageLine(damage));
  for (const VerifiedBackup::VerifiedSnapshot& seen : verified.snapshots) {
    Print(
        messages::VerifySnapshotLine(seen.name, seen.store, seen.files, seen.bytes, seen.is_whole));
  }
  const uint64_t snapshots = verified.snapshots.size();
  Print(messages::VerifySummaryLine(options.backup, snapshots, verified.files, verified.bytes,
                                    options.quick, verified.damages.size()));
  return verified.damages.empty();
}

void AddShipEndpoint(CLI::App* command, std::string* endpoint) {
  command
      ->add_option("--ship-endpoint", *endpoint,
                   "For s3://…: an endpoint of S3's protocol other than AWS's")
      ->type_name("URL");
}

}  // namespace

void AddBackup(CLI::App* app, int* exit_code) {
  static BackupOptions options;
  static bool copies = false;
  static size_t keep = 0;
  CLI::App* const backup = app->add_subcommand("backup", "Add a backup of a whole store");
  backup
      ->add_option(
          "DIR|URL", options.source,
          "Data folder, not in use by a server, or the address of the server that uses it, "
          "which was started with --admin and whose data folder this machine sees")
      ->required();
  backup->add_option("TO", options.backup, "Backup folder of this store; made if it is not there")
      ->required();
  backup->add_option("--keep", keep, "Remove all backups but the last N; without it all are kept")
      ->check(WholeBetween(1, 1'000'000))
      ->type_name("N");
  backup->add_flag(
      "--copy", copies,
      "Copy table files also where links to the store's would do: links share its disk "
      "blocks, and so their damage");
  AddAdminToken(backup, &options.admin_token_file);
  AddKeyFlag(backup, &options.encryption_key);
  backup->callback([backup, exit_code] {
    options.links = !copies;
    if (backup->count("--keep") > 0) options.keep = keep;
    *exit_code = Finish(Backup(options));
  });
  backup->footer(
      "Each backup is whole, and takes only the space of what no earlier one has. That of an\n"
      "encrypted folder is encrypted as the folder is, by the key that it has then.\n"
      "Examples:\n"
      "  dynolith backup /var/lib/music /srv/backup/music\n"
      "  dynolith backup http://127.0.0.1:8000 /srv/backup/music --keep 14\n"
      "  dynolith verify /srv/backup/music\n"
      "  dynolith restore /srv/backup/music /var/lib/music-restored");
}

void AddRestore(CLI::App* app, int* exit_code) {
  static RestoreOptions options;
  static std::string snapshot;
  CLI::App* const restore = app->add_subcommand(
      "restore", "Make a data folder of a backup, or of what dynolith serve --ship has shipped");
  restore
      ->add_option("TO", options.backup, "Backup folder, or where --ship ships: a folder or s3://…")
      ->required();
  restore->add_option("DIR", options.folder, "Data folder that is new or empty")->required();
  CLI::Option* const named =
      restore
          ->add_option("--snapshot", snapshot,
                       "Which backup, as dynolith verify names it; the last one if not given")
          ->type_name("NAME");
  restore
      ->add_option("--at", options.at,
                   "Of what was shipped: the state at this time (2026-01-31T12:00:00Z) instead of "
                   "the newest")
      ->excludes(named)
      ->type_name("TIME");
  AddShipEndpoint(restore, &options.endpoint);
  AddKeyFlag(restore, &options.encryption_key);
  restore->callback([exit_code, named] {
    if (named->count() > 0) options.snapshot = snapshot;
    *exit_code = Finish(Restore(options));
  });
  restore->footer(
      "Examples:\n"
      "  dynolith restore /srv/backup/music /var/lib/music-restored\n"
      "  dynolith restore /srv/backup/music ./old --snapshot 000012-20260131T120000Z\n"
      "  dynolith restore s3://backups/music ./music --at 2026-01-31T12:00:00Z");
}

void AddVerify(CLI::App* app, int* exit_code) {
  static VerifyOptions options;
  CLI::App* const verify =
      app->add_subcommand("verify", "List backups, and compare their files with their checksums");
  verify
      ->add_option("TO", options.backup, "Backup folder, or where --ship ships: a folder or s3://…")
      ->required();
  AddShipEndpoint(verify, &options.endpoint);
  verify->add_flag("--quick", options.quick, "Compare lengths only, and read nothing");
  verify->callback([exit_code] {
    const absl::StatusOr<bool> whole = Verify(options);
    *exit_code = whole.ok() && !*whole ? 1 : Finish(whole.status());
  });
  verify->footer(
      "Examples:\n"
      "  dynolith verify /srv/backup/music\n"
      "  dynolith verify /srv/backup/music --quick\n"
      "  dynolith verify s3://backups/music --quick");
}

}  // namespace dynolith
