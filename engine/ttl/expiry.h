// When an item expires, and the row that records it.
//
// Row in Family::kExpiry, one for each item of a table with time to live whose attribute is a
// number:
//   seconds:u64be row-key -> nothing    ; seconds since 1970 with the sign bit flipped, so that
//                                       ; memcmp order is time order; row-key as in kTables
// A row is a hint: the item decides whether it has expired. Switching time to live off leaves rows
// behind, which are deleted when a sweep finds them.
#ifndef DYNOLITH_ENGINE_TTL_EXPIRY_H_
#define DYNOLITH_ENGINE_TTL_EXPIRY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "engine/catalog/table_meta.h"
#include "engine/store/store.h"
#include "engine/value/value.h"

namespace dynolith {

// The first whole second at which the item is expired, by the attribute's value; nullopt if the
// attribute is absent, no number, or does not fit 64 bits (api/facts/operations.md §5.4).
std::optional<int64_t> ExpirySeconds(ItemView item, std::string_view attribute);

// Whether an item with that expiry shall be deleted: it has expired, at most five years ago.
bool IsExpired(int64_t expiry_seconds, absl::Time now);
// The least and the greatest expiry for which IsExpired holds.
int64_t EarliestExpired(absl::Time now);
int64_t LatestExpired(absl::Time now);

std::string ExpiryKey(int64_t seconds, std::string_view row_key);
struct ExpiryKeyParts {
  int64_t seconds = 0;
  std::string_view row_key;  // borrowed from the key
};
// nullopt if the bytes are no such key.
std::optional<ExpiryKeyParts> ParseExpiryKey(std::string_view key);

// Appends to `batch` the changes of the item's expiry row from `before` to `after` (nullptr: no
// such item). Returns the expiry for which a row was put. Does nothing for a table without time to
// live.
std::optional<int64_t> MaintainExpiry(const TableMeta& meta, std::string_view row_key,
                                      const ItemView* before, const ItemView* after,
                                      WriteBatch* batch);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_TTL_EXPIRY_H_
