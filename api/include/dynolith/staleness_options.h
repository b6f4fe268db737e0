// Deliberately stale reads: the states that an eventually consistent read may see
// (api/staleness/README.md).
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_STALENESS_OPTIONS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_STALENESS_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace dynolith {

// The target of a read: a table, or one part of it.
struct ReadScope {
  std::string table;    // empty: everything, and then the rest is, too
  std::string index;    // of the table, of any kind
  bool stream = false;  // the table's stream; then there is no index

  friend bool operator==(const ReadScope&, const ReadScope&) = default;
};

enum class Staleness : uint8_t {
  kNone,    // the newest state
  kFixed,   // the state of `bound` ago
  kRandom,  // a state that was the newest between `bound` ago and now, drawn for each read
  kHeld     // the state at the opening of the database, until the scope is released; then kNone
};

// The states that eventually consistent reads of a scope see. Of several rules that concern a read,
// that of the index or stream applies, else that of its table, else that of everything.
struct StalenessRule {
  ReadScope of;
  Staleness kind = Staleness::kNone;
  // For kFixed and kRandom: above zero, at most kStalenessHoursMax.
  absl::Duration bound;
  // For kFixed and kRandom: whether a client (ClientScope) sees no older state of a table or a part
  // than it has already seen, also by consistent reads.
  bool monotonic = false;
};

struct StalenessOptions {
  // One for a scope.
  std::vector<StalenessRule> rules;
  // For all random choices.
  uint64_t seed = 0;
};

// The present rules and holds.
struct StalenessState {
  struct Hold {
    ReadScope of;
    absl::Time since;
  };
  std::vector<StalenessRule> rules;  // in the order given
  std::vector<Hold> holds;           // in the order of their scopes
  // Snapshots of the store that are kept for this.
  int64_t snapshots = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_STALENESS_OPTIONS_H_
