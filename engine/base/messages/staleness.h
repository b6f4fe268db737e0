// What is said of reads that see an older state on purpose.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_STALENESS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_STALENESS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// `scope` as --staleness takes it: "music/by-year"; empty: everything.
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
inline std::string NothingToHold(std::string_view scope) {
  return Concat("there is no ", scope, " whose reads could be held");
}
inline std::string NotHeld(std::string_view scope) {
  return Concat("the reads of ", ScopeName(scope), " are not held");
}
// Of the value of --staleness; the option's name stands in front.
inline std::string NotStaleness(std::string_view value) {
  return Concat(
      "\"", value,
      "\" is not [TABLE[/INDEX|:stream]=]HOW[,monotonic] with HOW one of 500ms, fixed:2s, "
      "random:1s, held and none");
}

// --- the admin endpoint

inline std::string StalenessBodyWanted() {
  return R"(the body must be {}, or such as {"table": "music"}, {"table": "music", "index": )"
         R"("by-year"} or {"table": "music", "stream": true})";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_STALENESS_H_
