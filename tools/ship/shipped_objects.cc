#include "tools/ship/shipped_objects.h"

#include <algorithm>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/store_keys.h"
#include "engine/store/folder.h"
#include "tools/backup/file_copy.h"
#include "tools/ship/messages.h"

namespace dynolith::ship {

std::string ObjectOf(const SnapshotFile& file) { return Concat(kFileFolder, file.sha256); }

std::string Describe(const ShipTarget& target, std::string_view object) {
  return Concat(target.Describe(), "/", object);
}

absl::Status FetchFile(ShipTarget* target, const SnapshotFile& file, const std::string& to) {
  const std::string object = ObjectOf(file);
  DYNOLITH_RETURN_IF_ERROR(target->GetFile(object, to));
  DYNOLITH_ASSIGN_OR_RETURN(const FileDigest digest, DigestFile(to));
  if (digest.sha256 == file.sha256) return absl::OkStatus();
  return absl::DataLossError(messages::ObjectAltered(Describe(*target, object)));
}

absl::StatusOr<std::string> IdentityOfBase(ShipTarget* target, const Base& base) {
  const auto& files = base.files.files;
  const auto find = [&](std::string_view name) {
    return std::find_if(files.begin(), files.end(),
                        [&](const SnapshotFile& file) { return file.name == name; });
  };
  auto file = find(kKeysFile);
  if (file == files.end()) file = find(kIdentityFile);
  if (file == files.end()) return "";
  const std::string object = ObjectOf(*file);
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, target->Get(object));
  if (Sha256OfText(text) == file->sha256) return IdentityIn(file->name, text);
  return absl::DataLossError(messages::ObjectAltered(Describe(*target, object)));
}

absl::Status VisitSegments(ShipTarget* target, uint64_t first, uint64_t least,
                           std::optional<absl::Time> at, SegmentVisit visit) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<ObjectInfo> objects,
                            target->List(kSegmentFolder, SegmentName(first - 1)));
  uint64_t next = first;
  for (const ObjectInfo& object : objects) {
    const std::optional<uint64_t> number = SegmentNumber(object.name);
    if (!number) continue;
    if (*number != next) {
      return absl::DataLossError(messages::ObjectMissing(Describe(*target, SegmentName(next))));
    }
    ++next;
    const std::string name = Describe(*target, object.name);
    DYNOLITH_ASSIGN_OR_RETURN(const std::string text, target->Get(object.name));
    DYNOLITH_ASSIGN_OR_RETURN(const Segment segment, ParseSegment(name, text));
    if (at && segment.time > *at) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(visit(*number, name, segment));
  }
  if (next > least) return absl::OkStatus();
  return absl::DataLossError(messages::ObjectMissing(Describe(*target, SegmentName(next))));
}

bool LeadsOn(const Segment& segment, const Base& base) {
  return segment.owner == base.owner && segment.chain == base.chain;
}

}  // namespace dynolith::ship
