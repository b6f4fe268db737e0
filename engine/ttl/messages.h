// The texts about expiry rows: damage and checks.
#ifndef DYNOLITH_ENGINE_TTL_MESSAGES_H_
#define DYNOLITH_ENGINE_TTL_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== A check of a whole store: the change log and expiry rows.

// --- expiry rows

inline std::string ExpiryRows() { return "expiry rows"; }
inline std::string ExpiryRowMissing(std::string_view table, std::string_view row, int64_t seconds) {
  return Concat(table, ", row ", row, ": the item expires at ", seconds,
                ", but has no expiry row of that time");
}
inline std::string ExpiryRowDamaged(std::string_view row) {
  return Concat("expiry rows, row ", row, ": the row cannot be understood");
}

// ===== Time to live (api/facts/operations.md §5.4).

inline std::string DamagedExpiryFill() {
  return "the row that says whose expiry rows are being filled is damaged";
}

// ===== Backfill and check of index rows.

// `row` in all texts: the row's key, as printed by the caller.

inline std::string CheckTable(std::string_view table) { return Concat("table ", table); }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_TTL_MESSAGES_H_
