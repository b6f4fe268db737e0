// Checks what was shipped.
#ifndef DYNOLITH_TOOLS_SHIP_VERIFY_H_
#define DYNOLITH_TOOLS_SHIP_VERIFY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

struct VerifiedTarget {
  struct VerifiedBase {
    std::string name;
    absl::Time time;
    uint64_t files = 0;
    uint64_t bytes = 0;
    bool is_whole = true;
  };
  std::vector<VerifiedBase> bases;
  uint64_t segments = 0;
  absl::Time last;  // of the last base or segment
  std::vector<std::string> damages;
};

// Compares all files with their checksums, and looks whether segments follow each other. `quick`:
// of files the lengths only. `scratch`: a folder for one file at a time. Errors: the target's.
absl::StatusOr<VerifiedTarget> VerifyShipped(ShipTarget* target, bool quick,
                                             const std::string& scratch);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_VERIFY_H_
