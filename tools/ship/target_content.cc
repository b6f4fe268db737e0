#include "tools/ship/target_content.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/backup/snapshot_file.h"
#include "tools/ship/messages.h"

namespace dynolith::ship {
namespace {

// Deleted at a time.
constexpr size_t kNamesMax = 1'000;

absl::Status DeleteInPieces(ShipTarget* target, const std::vector<std::string>& names) {
  for (size_t at = 0; at < names.size(); at += kNamesMax) {
    const auto begin = names.begin() + static_cast<ptrdiff_t>(at);
    const auto end = names.begin() + static_cast<ptrdiff_t>(std::min(at + kNamesMax, names.size()));
    DYNOLITH_RETURN_IF_ERROR(target->Delete({begin, end}));
  }
  return absl::OkStatus();
}

// Every number has one, so that they need not be listed: they may be hundreds of thousands.
absl::Status DeleteSegments(ShipTarget* target, uint64_t begin, uint64_t end) {
  std::vector<std::string> names;
  for (uint64_t number = begin; number < end; ++number) {
    names.push_back(SegmentName(number));
    if (names.size() < kNamesMax && number + 1 < end) continue;
    DYNOLITH_RETURN_IF_ERROR(target->Delete(names));
    names.clear();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ListBases(ShipTarget* target) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<ObjectInfo> objects, target->List(kBaseFolder));
  std::vector<std::string> names;
  for (const ObjectInfo& object : objects) {
    std::string name = object.name.substr(kBaseFolder.size());
    if (SnapshotNumber(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end(), [](const std::string& one, const std::string& other) {
    return SnapshotNumber(one) < SnapshotNumber(other);
  });
  return names;
}

absl::StatusOr<Base> ReadBase(ShipTarget* target, const std::string& name) {
  const std::string object = Concat(kBaseFolder, name);
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, target->Get(object));
  return ParseBase(Concat(target->Describe(), "/", object), text);
}

absl::StatusOr<FileObjects> ListFiles(ShipTarget* target) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<ObjectInfo> objects, target->List(kFileFolder));
  FileObjects files;
  for (const ObjectInfo& object : objects) files.emplace(object.name, object.bytes);
  return files;
}

bool TargetContent::LeadsOn(const ShippingState& state) const {
  return last && !last->parts.empty() && base && last->owner == state.owner &&
         last->chain == state.chain && base->owner == state.owner && base->chain == state.chain;
}

std::string_view TargetContent::LastBytes() const {
  const std::string_view data = last->data;
  return data.substr(data.size() - last->parts.back().bytes);
}

absl::StatusOr<TargetContent> ReadContent(ShipTarget* target) {
  TargetContent content;
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> bases, ListBases(target));
  std::string after;
  if (!bases.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(content.base, ReadBase(target, bases.back()));
    content.owner = content.base->owner;
    content.time = content.base->time;
    content.complete = content.base->complete;
    content.next_segment = content.base->segment;
    after = SegmentName(content.base->segment - 1);
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<ObjectInfo> segments,
                            target->List(kSegmentFolder, after));
  for (auto it = segments.rbegin(); it != segments.rend(); ++it) {
    const std::optional<uint64_t> number = SegmentNumber(it->name);
    if (!number) continue;
    DYNOLITH_ASSIGN_OR_RETURN(const std::string text, target->Get(it->name));
    DYNOLITH_ASSIGN_OR_RETURN(content.last,
                              ParseSegment(Concat(target->Describe(), "/", it->name), text));
    content.owner = content.last->owner;
    content.time = std::max(content.time, content.last->time);
    content.complete = std::max(content.complete, content.last->complete);
    content.next_segment = *number + 1;
    break;
  }
  DYNOLITH_ASSIGN_OR_RETURN(content.files, ListFiles(target));
  return content;
}

absl::StatusOr<std::vector<std::string>> RemoveBefore(ShipTarget* target, absl::Time time,
                                                      const FileObjects& known) {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<std::string> names, ListBases(target));
  // The last base from before that time stays, and all after it.
  std::vector<std::string> old;
  std::vector<std::string> removed;
  while (names.size() > 1) {
    DYNOLITH_ASSIGN_OR_RETURN(const Base second, ReadBase(target, names[1]));
    if (second.time > time) break;
    old.push_back(Concat(kBaseFolder, names.front()));
    names.erase(names.begin());
  }
  if (old.empty()) return removed;
  DYNOLITH_ASSIGN_OR_RETURN(const Base oldest,
                            ReadBase(target, old.front().substr(kBaseFolder.size())));
  std::set<std::string> needed;
  uint64_t first = 0;
  for (const std::string& name : names) {
    DYNOLITH_ASSIGN_OR_RETURN(const Base base, ReadBase(target, name));
    if (first == 0) first = base.segment;
    for (const SnapshotFile& file : base.files.files) {
      needed.insert(Concat(kFileFolder, file.sha256));
    }
  }
  for (const auto& [file, bytes] : known) {
    if (!needed.contains(file)) removed.push_back(file);
  }
  DYNOLITH_RETURN_IF_ERROR(DeleteSegments(target, oldest.segment, first));
  DYNOLITH_RETURN_IF_ERROR(DeleteInPieces(target, removed));
  // Last, so that the next call finds what is left over if this one is cut off.
  DYNOLITH_RETURN_IF_ERROR(target->Delete(old));
  return removed;
}

}  // namespace dynolith::ship
