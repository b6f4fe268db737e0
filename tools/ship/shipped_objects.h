// Files and segments as they lie at a target, each checked as it is read.
#ifndef DYNOLITH_TOOLS_SHIP_SHIPPED_OBJECTS_H_
#define DYNOLITH_TOOLS_SHIP_SHIPPED_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/backup/snapshot_file.h"
#include "tools/ship/base.h"
#include "tools/ship/segment.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

// The object with the bytes of a file.
std::string ObjectOf(const SnapshotFile& file);
// For messages: the target's name, and the object's.
std::string Describe(const ShipTarget& target, std::string_view object);

// Into a new file. Errors: kDataLoss if its bytes are not those of its name; the target's.
absl::Status FetchFile(ShipTarget* target, const SnapshotFile& file, const std::string& to);

// Of the store that the base was made of (engine/store/folder.h); empty: its files do not
// say it. Errors: kNotFound; kDataLoss for an object that was altered; the target's.
absl::StatusOr<std::string> IdentityOfBase(ShipTarget* target, const Base& base);

// Visits the segments from `first` on, in order, up to a time (nullopt: all); those up to `least`
// have to be there. `name` is for messages. Errors: kDataLoss for one that is missing or damaged;
// the target's; those of `visit`.
using SegmentVisit =
    absl::FunctionRef<absl::Status(uint64_t number, const std::string& name, const Segment&)>;
absl::Status VisitSegments(ShipTarget* target, uint64_t first, uint64_t least,
                           std::optional<absl::Time> at, SegmentVisit visit);

// Whether what the segment holds goes on from the base.
bool LeadsOn(const Segment& segment, const Base& base);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_SHIPPED_OBJECTS_H_
