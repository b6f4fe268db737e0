#include "tools/backup/checkpoint_folder.h"

#include <filesystem>
#include <system_error>

#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/integrity_manifest.h"
#include "tools/backup/messages.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "checkpoint";
// RocksDB's suffix for an incomplete checkpoint.
constexpr std::string_view kIncompleteSuffix = ".tmp";

absl::Status RemoveAll(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return absl::OkStatus();
  return absl::InternalError(messages::BackupFileUnwritten(folder, error.message()));
}

// Takes the folder exclusively. Errors: kAborted if a backup holds it; else as FolderHold::Take.
absl::StatusOr<FolderHold> Take(const std::string& folder, const std::string& shown) {
  absl::StatusOr<FolderHold> hold =
      FolderHold::Take(folder, FolderHold::Kind::kExclusive, messages::CheckpointHeld(shown));
  if (!absl::IsUnavailable(hold.status())) return hold;
  return absl::AbortedError(hold.status().message());
}

}  // namespace

absl::StatusOr<std::string> MakeCheckpoint(
    const std::string& data_folder, absl::FunctionRef<absl::Status(const std::string&)> make) {
  std::error_code error;
  const fs::path data = fs::canonical(data_folder, error);
  if (error) return absl::NotFoundError(messages::BackupFileUnread(data_folder, error.message()));
  DYNOLITH_RETURN_IF_ERROR(RemoveCheckpoint(data.string()));
  std::string folder = Concat(data.string(), "/", kName);
  DYNOLITH_RETURN_IF_ERROR(make(folder));
  return folder;
}

absl::Status RemoveCheckpoint(const std::string& data_folder) {
  const std::string folder = Concat(data_folder, "/", kName);
  DYNOLITH_RETURN_IF_ERROR(RemoveAll(Concat(folder, kIncompleteSuffix)));
  if (!MayBeThere(folder)) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const FolderHold hold, Take(folder, data_folder));
  return RemoveAll(folder);
}

bool IsWithinCheckpoint(std::string_view path, std::string_view data_folder) {
  std::string folder = Concat(data_folder, "/", kName);
  const std::string whole = Concat(path, "/");
  return whole.starts_with(Concat(folder, "/")) ||
         whole.starts_with(Concat(folder, kIncompleteSuffix, "/"));
}

absl::Status RemoveHeldCheckpoint(const std::string& folder) { return RemoveAll(folder); }

absl::Status CheckCheckpointFree(const std::string& data_folder) {
  const absl::StatusOr<FolderHold> hold = Take(Concat(data_folder, "/", kName), data_folder);
  return absl::IsAborted(hold.status()) ? hold.status() : absl::OkStatus();
}

absl::StatusOr<FolderHold> HoldCheckpoint(const std::string& folder) {
  const absl::Status none = absl::NotFoundError(messages::CheckpointNotThere(folder));
  absl::StatusOr<FolderHold> hold = Take(folder, folder);
  if (absl::IsAborted(hold.status())) return hold;
  if (!hold.ok()) return none;
  const absl::StatusOr<FoundIntegrityManifest> found = ReadIntegrityManifest(folder);
  if (!found.ok() || found->integrity.state != IntegrityManifest::State::kCopied) return none;
  return hold;
}

}  // namespace dynolith
