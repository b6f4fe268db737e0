// The statements that a store sends, by what they do and to which family. They are prepared once
// for each connection, under their number; all parameters and results are binary.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_STATEMENTS_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_STATEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "engine/store/store.h"

namespace dynolith::postgres {

// Names of the families' tables in the schema "dynolith", in the order of Family. In the database.
inline constexpr std::string_view kTableNames[kFamilies] = {"meta", "tables", "gsi",
                                                            "lsi",  "log",    "expiry"};

enum class Verb : uint8_t {
  kBegin,
  kBeginReading,
  kBeginReadingSafe,  // the first statement waits until no commit under way can contradict it
  kFix,               // the state that a transaction reads, as of now
  kCommit,
  kRollback,
  kGet,          // key -> value
  kGetMany,      // keys -> (position from 1:int64, value)
  kPageForward,  // begin, end, rows:int64, bytes:int64 -> (key, value): up to the row that fills it
  kPageBackward,   // the same from the end
  kPut,            // key, value
  kPutMany,        // keys, values
  kDelete,         // key
  kDeleteMany,     // keys
  kDeleteRange,    // begin, end
  kExpectValue,    // key, value; fails with division_by_zero unless the row is so
  kExpectNone,     // key; fails with division_by_zero if there is such a row
  kExpectPresent,  // key; fails with division_by_zero if there is no such row
  kPutStamped,     // key, place:uint16be, value; the row's key goes on with the stamp (stamp.h)
  kEndedBefore,    // -> number:int64 of a commit: all with a lower one have ended
  // The same where a counter numbers the commits (StampSource::kCounter).
  kPutCounting,    // keys, places, values; gives the commit its number, others wait from then on
  kPutCounted,     // keys, places, values; with the number that the commit has
  kCountedBefore,  // as kEndedBefore
};
inline constexpr size_t kVerbs = 22;
inline constexpr size_t kStatements = kVerbs * kFamilies;

// One statement of a pipeline. Borrows the parameters' bytes.
struct Call {
  Verb verb;
  Family family = Family::kMeta;
  std::vector<std::string_view> parameters;

  size_t number() const {
    return static_cast<size_t>(verb) * kFamilies + static_cast<size_t>(family);
  }
};

std::string SqlOf(Verb verb, Family family);

// PostgreSQL's binary form of an array of bytea.
std::string ArrayOf(absl::Span<const std::string_view> values);
// That of a bigint.
std::string IntegerOf(int64_t value);

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_STATEMENTS_H_
