// Texts about regions. None is the service's.
#ifndef DYNOLITH_API_REPLICA_MESSAGES_H_
#define DYNOLITH_API_REPLICA_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string RegionNotOpen(std::string_view region) {
  return Concat("the database of the region ", region, " is not open");
}
inline std::string RegionIsolated(std::string_view region) {
  return Concat("the region ", region,
                " cannot reach the others: its strongly consistent reads and its writes wait for "
                "that");
}
inline std::string NoMajority(std::string_view region) {
  return Concat("the region ", region,
                " reaches neither of the two other regions of the table, and two of three must "
                "agree");
}
inline std::string NotAgreed(std::string_view region, std::string_view why) {
  return Concat("what was written in the region ", region, " is in no other region yet",
                why.empty() ? "" : ": ", why);
}
inline std::string OverlapNegative() { return "the overlap of writes is not negative"; }
inline std::string LagOutOfOrder() {
  return "a lag is not negative, and its greatest time is not less than its least";
}
inline std::string RegionsOfParent() {
  return "these regions were made by the process of which this one is a fork: it may make its own "
         "with Regions::Make, and open databases of its own with them";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_REPLICA_MESSAGES_H_
