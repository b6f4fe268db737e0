// A piece of a store's logs, as it was shipped.
//
//   log/NUMBER = "dynolith segment 1\n" "owner " token "\n" "chain " number "\n" "time " ms "\n"
//                "complete " ms "\n" part* "end " bytes " " crc " " crc "\n" data
//                the bytes of data, their CRC-32C, and that of the text before "end "
//   NUMBER     = 20 digits: one more than that of the segment before it
//   part       = "part " log " " offset " " bytes "\n"     what of the data belongs where
//   token      = 32 lower-case hexadecimal digits: of the store that ships (shipping_state.h)
//   chain      = segments of one chain follow each other without a gap; a random number
//   time       = milliseconds since 1970: all that is in the segment had been committed by then
//   complete   = all that had been committed by then is in this segment and those before it; of a
//                segment that did not come to the end of the logs, that of the one before
//
// A segment without parts says who ships from here on, or gives a base its number.
#ifndef DYNOLITH_TOOLS_SHIP_SEGMENT_H_
#define DYNOLITH_TOOLS_SHIP_SEGMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace dynolith::ship {

// What segments are called begins with it.
inline constexpr std::string_view kSegmentFolder = "log/";

struct SegmentPart {
  uint64_t log = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool operator==(const SegmentPart&) const = default;
};

struct Segment {
  std::string owner;
  uint64_t chain = 0;
  absl::Time time;
  absl::Time complete;
  std::vector<SegmentPart> parts;
  std::string data;  // of all parts, one after the other
};

std::string SegmentName(uint64_t number);
// nullopt for every other name.
std::optional<uint64_t> SegmentNumber(std::string_view name);

std::string SegmentText(const Segment& segment);
// `name` is for messages. Errors: kDataLoss for an invalid text; kFailedPrecondition for a newer
// version.
absl::StatusOr<Segment> ParseSegment(std::string_view name, std::string_view text);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_SEGMENT_H_
