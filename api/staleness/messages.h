// The texts about reads of an older state (--staleness).
#ifndef DYNOLITH_API_STALENESS_MESSAGES_H_
#define DYNOLITH_API_STALENESS_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// `scope`: in the form of --staleness: "music/by-year"; empty: everything.
inline std::string ScopeName(std::string_view scope) {
  return scope.empty() ? std::string("everything") : std::string(scope);
}
inline std::string StalenessOfNothing() {
  return "staleness is of everything, or of a table, and then of one index or of the stream";
}
inline std::string StalenessTwice(std::string_view scope) {
  return Concat("there are two rules of staleness for ", ScopeName(scope));
}
inline std::string StalenessOutOfRange(std::string_view scope, int64_t hours_max) {
  return Concat("the staleness of ", ScopeName(scope), " has to be above 0 and at most ", hours_max,
                " hours");
}
inline std::string MonotonicOfNothing(std::string_view scope) {
  return Concat("only a fixed or random staleness can be monotonic, not that of ",
                ScopeName(scope));
}
inline std::string LagOfSharedStore() {
  return "reads of a store of several processes show its newest state: a fixed or random staleness "
         "is possible where this process alone writes";
}
inline std::string NotHeld(std::string_view scope) {
  return Concat("the reads of ", ScopeName(scope), " are not held");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_STALENESS_MESSAGES_H_
