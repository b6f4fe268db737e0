// A base: the table files and logs of a store at one moment, to which segments are added.
//
//   bases/NAME = "dynolith base 1\n" "owner " token "\n" "chain " number "\n" "time " ms "\n"
//                "complete " ms "\n"
//                "segment " number "\n" "log " number "\n" "head " crc "\n" snapshot
//                crc: CRC-32C of all before "head "
//   NAME       = number "-" time, as of a backup (tools/backup/snapshot_file.h); the number is that
//                of a segment without parts which was put after the base's moment: a store that
//                another one has replaced can put no segment, and so makes no base
//   segment    = the first one that may have bytes that the base does not have
//   log        = what the logs before it hold is in the base's table files
//   snapshot   = the text of a backup, which names the files by their SHA-256 and ends with its own
//   files/SHA  = the bytes of one file
//
// owner, chain, time, complete: as a segment's. A base of an encrypted store has no logs: copies of
// them are encrypted in another way, and would not go on as the segments do. Those have the logs
// from their beginning.
#ifndef DYNOLITH_TOOLS_SHIP_BASE_H_
#define DYNOLITH_TOOLS_SHIP_BASE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/backup/snapshot_file.h"

namespace dynolith::ship {

inline constexpr std::string_view kBaseFolder = "bases/";
inline constexpr std::string_view kFileFolder = "files/";

struct Base {
  std::string owner;
  uint64_t chain = 0;
  absl::Time time;
  absl::Time complete;
  uint64_t segment = 0;
  uint64_t log = 0;
  StoreSnapshot files;
};

std::string BaseText(const Base& base);
// `name` is the object's. Errors: as ParseSegment's.
absl::StatusOr<Base> ParseBase(const std::string& name, std::string_view text);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_BASE_H_
