// What a target holds, and what is removed of it.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_CONTENT_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_CONTENT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/ship/base.h"
#include "tools/ship/segment.h"
#include "tools/ship/shipping_state.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

// The names of the bases, in their order.
absl::StatusOr<std::vector<std::string>> ListBases(ShipTarget* target);
// `name` as ListBases has it.
absl::StatusOr<Base> ReadBase(ShipTarget* target, const std::string& name);

// Objects with the bytes of files -> their lengths.
using FileObjects = std::map<std::string, uint64_t>;
absl::StatusOr<FileObjects> ListFiles(ShipTarget* target);

struct TargetContent {
  // Who shipped last, and when; nullopt: nothing is there.
  std::optional<std::string> owner;
  absl::Time time = absl::UnixEpoch();
  absl::Time complete = absl::UnixEpoch();
  std::optional<Base> base;     // the newest one
  std::optional<Segment> last;  // the newest one since that base
  uint64_t next_segment = 1;
  FileObjects files;  // ListFiles

  // Whether the last segment's last part is where the store may go on, as far as the target knows.
  bool LeadsOn(const ShippingState& state) const;
  // Of that part.
  std::string_view LastBytes() const;
};
absl::StatusOr<TargetContent> ReadContent(ShipTarget* target);

// Removes what no restore to `time` or later needs; of files those in `known` only, since others
// may be on their way to a base. Returns the names of the files' objects that were removed.
absl::StatusOr<std::vector<std::string>> RemoveBefore(ShipTarget* target, absl::Time time,
                                                      const FileObjects& known);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_CONTENT_H_
