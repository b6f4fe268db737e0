#include "tools/ship/restore.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "api/service/time_text.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/key_source.h"
#include "engine/store/encryption/secret_key.h"
#include "engine/store/encryption/store_keys.h"
#include "engine/store/folder.h"
#include "engine/store/integrity_manifest.h"
#include "tools/backup/restore_snapshot.h"
#include "tools/backup/snapshot_file.h"
#include "tools/ship/base.h"
#include "tools/ship/log_files.h"
#include "tools/ship/messages.h"
#include "tools/ship/segment.h"
#include "tools/ship/shipped_objects.h"
#include "tools/ship/target_content.h"

namespace dynolith::ship {
namespace {

namespace fs = std::filesystem;

bool IsKeysFile(const SnapshotFile& file) { return file.name == kKeysFile; }

// The newest base of that time or before, by the order in which bases were made.
absl::StatusOr<Base> ChooseBase(ShipTarget* target, std::optional<absl::Time> at) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListBases(target));
  if (names.empty()) return absl::NotFoundError(messages::NothingShipped(target->Describe()));
  absl::Time first;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    // Later ones are not read: they may be damaged.
    if (at && SnapshotTime(*name) > *at) {
      first = SnapshotTime(*name);
      continue;
    }
    DYNOLITH_ASSIGN_OR_RETURN(Base base, ReadBase(target, *name));
    if (!at || base.time <= *at) return base;
    first = base.time;
  }
  return absl::NotFoundError(
      messages::NothingShippedBy(target->Describe(), TimeText(*at), TimeText(first)));
}

absl::Status Fill(ShipTarget* target, const Base& base, const RestoreRequest& request,
                  RestoredStore* restored) {
  const std::string& folder = request.folder;
  for (const SnapshotFile& file : base.files.files) {
    DYNOLITH_RETURN_IF_ERROR(FetchFile(target, file, Concat(folder, "/", file.name)));
    restored->bytes += file.bytes;
  }
  LogLengths logs(base);
  absl::Time latest = base.time;  // of what has been added
  const uint64_t made_at = *SnapshotNumber(base.files.name);
  const auto add = [&](uint64_t number, const std::string& name, const Segment& segment) {
    if (!LeadsOn(segment, base)) {
      // The base has what was shipped before it.
      if (number < made_at || segment.parts.empty()) return absl::OkStatus();
      return absl::FailedPreconditionError(
          messages::NoBaseYet(target->Describe(), TimeText(segment.time), TimeText(latest)));
    }
    latest = std::max(latest, segment.time);
    restored->time = std::max(restored->time, segment.complete);
    if (segment.parts.empty()) return absl::OkStatus();
    ++restored->segments;
    restored->bytes += segment.data.size();
    return WriteParts(folder, name, segment, &logs);
  };
  DYNOLITH_RETURN_IF_ERROR(VisitSegments(target, base.segment, made_at, request.at, add));
  DYNOLITH_RETURN_IF_ERROR(SyncLogs(folder, &logs));
  std::optional<StoreKeys> keys;
  if (!request.encryption_key.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(request.encryption_key));
    DYNOLITH_ASSIGN_OR_RETURN(keys, StoreKeys::Read(folder, wrapping));
  }
  return Folder::MarkCopied(folder, keys ? &*keys : nullptr);
}

// Whatever was made: the folder was empty.
void Clear(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->path().filename() != "lost+found") fs::remove(it->path(), ignored);
  }
}

}  // namespace

absl::StatusOr<RestoredStore> RestoreShipped(ShipTarget* target, const RestoreRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const Base base, ChooseBase(target, request.at));
  const auto& files = base.files.files;
  const bool is_encrypted = std::any_of(files.begin(), files.end(), IsKeysFile);
  if (is_encrypted != !request.encryption_key.empty()) {
    return absl::FailedPreconditionError(is_encrypted ? messages::KeyNeeded(target->Describe())
                                                      : messages::KeyNotNeeded(target->Describe()));
  }
  DYNOLITH_RETURN_IF_ERROR(MakeRestoreFolder(request.folder));
  RestoredStore restored{.time = base.complete, .base = base.files.name};
  const absl::Status filled = Fill(target, base, request, &restored);
  if (!filled.ok()) {
    Clear(request.folder);
    return filled;
  }
  return restored;
}

}  // namespace dynolith::ship
