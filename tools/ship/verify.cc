#include "tools/ship/verify.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/ship/base.h"
#include "tools/ship/log_files.h"
#include "tools/ship/messages.h"
#include "tools/ship/segment.h"
#include "tools/ship/shipped_objects.h"
#include "tools/ship/target_content.h"

namespace dynolith::ship {
namespace {

class Verification {
 public:
  Verification(ShipTarget* target, bool quick, const std::string& scratch)
      : target_(target), quick_(quick), scratch_(Concat(scratch, "/object")) {}

  absl::Status VisitBases() {
    DYNOLITH_ASSIGN_OR_RETURN(lengths_, ListFiles(target_));
    DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListBases(target_));
    for (const std::string& name : names) DYNOLITH_RETURN_IF_ERROR(VisitBase(name));
    return absl::OkStatus();
  }

  // All bases at once, each from its own first segment on.
  absl::Status VisitLogs() {
    if (bases_.empty()) return absl::OkStatus();
    std::vector<LogLengths> logs(bases_.begin(), bases_.end());
    const auto visit = [&](uint64_t number, const std::string& name, const Segment& segment) {
      ++verified_.segments;
      verified_.last = std::max(verified_.last, segment.time);
      for (size_t i = 0; i < bases_.size(); ++i) {
        if (number < bases_[i].segment || !LeadsOn(segment, bases_[i])) continue;
        for (const SegmentPart& part : segment.parts) {
          DYNOLITH_RETURN_IF_ERROR(logs[i].Add(name, part).status());
        }
      }
      return absl::OkStatus();
    };
    const uint64_t least = *SnapshotNumber(bases_.back().files.name);
    return NoteDamage(VisitSegments(target_, bases_.front().segment, least, std::nullopt, visit));
  }

  VerifiedTarget TakeResult() && { return std::move(verified_); }

 private:
  // Other errors are returned.
  absl::Status NoteDamage(const absl::Status& status) {
    if (!absl::IsDataLoss(status)) return status;
    verified_.damages.emplace_back(MessageOf(status));
    return absl::OkStatus();
  }

  absl::Status VisitBase(const std::string& name) {
    absl::StatusOr<Base> base = ReadBase(target_, name);
    VerifiedTarget::VerifiedBase line{.name = name, .time = {}, .is_whole = base.ok()};
    DYNOLITH_RETURN_IF_ERROR(NoteDamage(base.status()));
    if (base.ok()) {
      line.time = base->time;
      verified_.last = std::max(verified_.last, base->time);
      for (const SnapshotFile& file : base->files.files) {
        DYNOLITH_ASSIGN_OR_RETURN(const bool whole, IsWhole(file));
        line.is_whole = line.is_whole && whole;
        line.bytes += file.bytes;
        ++line.files;
      }
      bases_.push_back(*std::move(base));
    }
    verified_.bases.push_back(line);
    return absl::OkStatus();
  }

  // Looks at each object once.
  absl::StatusOr<bool> IsWhole(const SnapshotFile& file) {
    const auto [seen, is_new] = seen_.emplace(ObjectOf(file), true);
    if (!is_new) return seen->second;
    const absl::Status looked = LookAtObject(file);
    DYNOLITH_RETURN_IF_ERROR(NoteDamage(looked));
    return seen->second = looked.ok();
  }

  absl::Status LookAtObject(const SnapshotFile& file) {
    const std::string object = ObjectOf(file);
    const auto length = lengths_.find(object);
    if (length == lengths_.end()) {
      return absl::DataLossError(messages::ObjectMissing(Describe(*target_, object)));
    }
    if (length->second != file.bytes) {
      return absl::DataLossError(messages::ObjectAltered(Describe(*target_, object)));
    }
    if (quick_) return absl::OkStatus();
    absl::Status fetched = FetchFile(target_, file, scratch_);
    unlink(scratch_.c_str());
    return fetched;
  }

  ShipTarget* const target_;
  const bool quick_;
  const std::string scratch_;
  VerifiedTarget verified_;
  FileObjects lengths_;               // object -> bytes
  std::map<std::string, bool> seen_;  // object -> whether it is whole
  std::vector<Base> bases_;           // those that can be read
};

}  // namespace

absl::StatusOr<VerifiedTarget> VerifyShipped(ShipTarget* target, bool quick,
                                             const std::string& scratch) {
  Verification verification(target, quick, scratch);
  DYNOLITH_RETURN_IF_ERROR(verification.VisitBases());
  DYNOLITH_RETURN_IF_ERROR(verification.VisitLogs());
  return std::move(verification).TakeResult();
}

}  // namespace dynolith::ship
